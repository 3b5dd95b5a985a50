// SPDX-License-Identifier: Apache-2.0

/// Convoy: the pods of a convoy start together or not at all. Each waits in Permit with its node reserved, until as
/// many pods of the convoy have a node as the label convoy-size says. After args.seconds, it releases its node.

#include <berth/plugin.hpp>

#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string_view label(std::span<const berth_label> labels, std::string_view key) {
    for (const auto &l : labels)
        if (berth::view(l.key) == key) return berth::view(l.value);
    return {};
}

/// "namespace/convoy", or "" for a pod that sails alone.
std::string convoy_of(berth::Pod pod) {
    auto convoy = label(pod.labels(), "convoy");
    return convoy.empty() ? std::string() : std::string(pod.name_space()).append("/").append(convoy);
}

class Convoy {
    const berth::Host &host_;
    std::chrono::seconds patience_;
    berth::StateKey<std::uint32_t> others_;                  ///< how many other pods of the convoy have a node
    std::set<std::pair<std::string, std::string>> gave_up_;  ///< convoys, and uids of their pods

    /// The uids of the convoy's pods that gave up, which are forgotten.
    std::vector<std::string> take_those_of(const std::string &convoy) {
        std::vector<std::string> uids;
        for (auto at = gave_up_.lower_bound({convoy, ""}); at != gave_up_.end() && at->first == convoy;
             at = gave_up_.erase(at))
            uids.push_back(at->second);
        return uids;
    }

public:
    static constexpr const char *description = "Starts the pods of a convoy together";

    static void default_args(berth::ArgsReader &args) { args.integer("seconds", 60, 1, 3600); }

    Convoy(berth::Args args, const berth::Host &host)
        : host_(host),
          patience_(args.integer<std::uint32_t>("seconds", 60)),
          others_(host.state_key<std::uint32_t>("others")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        auto convoy = label(pod.labels(), "convoy");
        if (convoy.empty()) return berth::skip();
        // A rule about labels is worked out once for each distinct set of them. Pods that wait in Permit are placed
        // already.
        auto placed = nodes.pods();
        std::vector<bool> member;
        for (const auto &set : placed.label_sets()) member.push_back(label({set.labels, set.len}, "convoy") == convoy);
        std::uint32_t others = 0;
        for (std::uint32_t row = 0; row < placed.rows(); ++row)
            if (placed.exists(row) && !placed.terminating(row) && member[placed.label_set_code(row)] &&
                berth::view(placed.namespaces()[placed.namespace_code(row)]) == pod.name_space())
                ++others;
        state.put(others_, others);
        return berth::ok;
    }

    berth::Permit permit(berth::Call, berth::State state, berth::Pod pod, berth::Node) {
        const auto convoy = convoy_of(pod);
        if (convoy.empty()) return berth::ok;
        auto text = label(pod.labels(), "convoy-size");
        std::uint32_t size = 0;
        std::from_chars(text.data(), text.data() + text.size(), size);
        if (state.need(others_) + 1 < size) {
            // The arrival of another pod does not make Berth retry the pods that have given up. So only this call wakes
            // those of the convoy.
            for (const auto &uid : take_those_of(convoy))
                if (uid != pod.uid()) (void)host_.activate(uid);
            return berth::Permit::wait(patience_);
        }
        std::vector<std::string> waiting;
        host_.each_waiting([&](const berth_pod *other, std::string_view) {
            if (convoy_of({other, &host_}) == convoy) waiting.emplace_back(berth::view(other->uid));
        });
        for (const auto &uid : waiting) (void)host_.allow_waiting(uid);
        take_those_of(convoy);
        return berth::ok;
    }

    berth::Verdict reserve(berth::Pod, std::string_view) const { return berth::ok; }
    void unreserve(berth::Pod pod, std::string_view) {
        const auto convoy = convoy_of(pod);
        if (convoy.empty()) return;
        gave_up_.emplace(convoy, pod.uid());
        // Some may be gone since. A pod that is forgotten is tried again after some minutes.
        constexpr std::size_t most = 1000;
        if (gave_up_.size() > most) gave_up_.erase(gave_up_.begin());
    }
    void events(berth::Events) const {}  // none: permit() wakes the pods that it rejected
};

}  // namespace

BERTH_PLUGIN(Convoy, "Convoy", "1.0.0")
