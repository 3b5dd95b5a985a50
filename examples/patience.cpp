// SPDX-License-Identifier: Apache-2.0

/// Patience: small pods do not overtake a large one for ever. Once a pod has waited args.seconds for resources of a
/// node, pods of the same or a lower priority that came later wait until it is placed.

#include <berth/plugin.hpp>

#include <string>
#include <utility>

namespace {

class Patience {
    const berth::Host &host_;
    std::int64_t longest_ns_;

    static std::pair<std::int64_t, std::string_view> age(berth::Pod pod) { return {pod.creation_time_ns(), pod.uid()}; }

public:
    static constexpr const char *description = "Holds pods back for one that has waited too long for resources";

    static void default_args(berth::ArgsReader &args) { args.integer("seconds", 300, 1, 86'400); }

    Patience(berth::Args args, const berth::Host &host)
        : host_(host), longest_ns_(args.integer<std::int64_t>("seconds", 300) * 1'000'000'000) {}

    berth::Verdict pre_filter(berth::Pod pod) const {
        const auto since = host_.now_ns() - longest_ns_;
        std::string first;
        // What waits is only valid within the visit. It ends with the first pod that is to go before this one.
        host_.each_pending(BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE,
                           [&](berth::PendingPod p) {
                               const auto other = p.pod();
                               if (!p.rejected_by("NodeResourcesFit") || other.initial_attempt_ns() > since ||
                                   other.priority() < pod.priority() || age(other) > age(pod))
                                   return true;
                               first = std::string(other.name_space()).append("/").append(other.name());
                               return false;
                           });
        if (first.empty()) return berth::ok;
        return berth::unresolvable(first + " has waited longer");
    }

    // Another pod may be placed, or be gone, whichever plugin rejected it.
    void events(berth::Events on) const {
        on.add("AssignedPod", BERTH_EVENT_ADD);
        on.add("Pod", BERTH_EVENT_DELETE);
    }
};

}  // namespace

BERTH_PLUGIN(Patience, "Patience", "1.0.0")
