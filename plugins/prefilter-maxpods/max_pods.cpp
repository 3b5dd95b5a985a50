// SPDX-License-Identifier: Apache-2.0

/// MaxPods: at most so many pods at a time. See README.md.

#include <berth/plugin.hpp>
#include <berth/selector.hpp>

#include <limits>
#include <optional>
#include <string>

namespace {

class MaxPods {
    enum class Scope { Namespace, Profile, Cluster };

    std::int64_t max_;
    Scope scope_ = Scope::Namespace;
    std::optional<berth::LabelSelector> selector_;
    std::string message_;
    std::uint32_t scheduler_name_;

    static bool is_set(berth::Value v) { return !v.is_null(); }

    /// Does this pod count, and is it limited?
    bool concerns(berth::Pod pod) const { return !selector_ || selector_->matches(pod.labels()); }

    /// How many placed pods count against `pod`.
    std::int64_t count(berth::Pod pod, berth::Nodes nodes) const {
        auto placed = nodes.pods();
        std::optional<std::uint32_t> same_namespace;
        for (std::uint32_t i = 0; i < placed.namespaces().size(); ++i)
            if (berth::view(placed.namespaces()[i]) == pod.name_space()) same_namespace = i;
        if (scope_ == Scope::Namespace && !same_namespace) return 0;

        auto scheduler = nodes.pods().column(scheduler_name_);
        // Selectors are evaluated once per distinct label set, not once per pod.
        std::vector<std::uint8_t> matches;
        if (selector_)
            for (const auto &set : placed.label_sets())
                matches.push_back(selector_->matches({set.labels, set.len}) ? 1 : 0);

        std::int64_t n = 0;
        for (std::uint32_t row = 0; row < placed.rows(); ++row) {
            if (!placed.exists(row) || placed.terminating(row)) continue;
            if (scope_ == Scope::Namespace && placed.namespace_code(row) != *same_namespace) continue;
            if (scope_ == Scope::Profile) {
                auto code = scheduler.code(row);
                if (!code || berth::view(scheduler.dict<berth_str>()[*code]) != pod.scheduler_name()) continue;
            }
            if (selector_ && !matches[placed.label_set_code(row)]) continue;
            ++n;
        }
        return n;
    }

    std::string message(std::int64_t current) const {
        std::string text = message_;
        auto fill = [&](std::string_view mark, std::int64_t n) {
            for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
                text.replace(at, mark.size(), std::to_string(n));
        };
        fill("{max}", max_);
        fill("{current}", current);
        return text;
    }

public:
    static constexpr const char *description = "Places at most maxPods pods at a time";

    static void default_args(berth::ArgsReader &args) {
        if (!is_set(args.field("maxPods")))
            args.error("maxPods", "required: how many pods may be placed at a time, as in maxPods: 6");
        args.integer("maxPods", 0, 0, std::numeric_limits<std::int32_t>::max());
        berth::LabelSelector::read(args, "selector");
        // With a selector alone the limit is on all pods that it selects, wherever they are.
        args.one_of("scope", is_set(args.field("selector")) ? "Cluster" : "Namespace",
                    {"Namespace", "Profile", "Cluster"});
        args.string("message", "reached the limit of {max} pods, {current} are placed");
    }

    MaxPods(berth::Args args, const berth::Host &host)
        : max_(args.integer<std::int64_t>("maxPods", 0)),
          message_(args.string("message", "")),
          scheduler_name_(host.column(BERTH_COLUMN_POD_SCHEDULER_NAME)) {
        auto scope = args.string("scope", "Namespace");
        if (scope == "Profile") scope_ = Scope::Profile;
        if (scope == "Cluster") scope_ = Scope::Cluster;
        if (is_set(args["selector"])) selector_ = berth::LabelSelector::read(args, "selector");
    }

    berth::Verdict pre_filter(berth::Pod pod, berth::Nodes nodes) const {
        if (!concerns(pod)) return berth::skip();
        auto current = count(pod, nodes);
        if (current < max_) return berth::ok;
        return berth::unschedulable(message(current));
    }

    void events(berth::Events on) const { on.add_hinted("AssignedPod", BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE); }

    /// A pod that counted and no longer counts frees a place: it was deleted, has finished, is terminating, or lost the
    /// label that the selector wants.
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto before = event.old_pod(), after = event.new_pod();
        auto counts = [&](const std::optional<berth::Pod> &p) {
            if (!p || p->terminating() || !concerns(*p)) return false;
            if (scope_ == Scope::Namespace) return p->name_space() == pod.name_space();
            if (scope_ == Scope::Profile) return p->scheduler_name() == pod.scheduler_name();
            return true;
        };
        return counts(before) && !counts(after) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(MaxPods, "MaxPods", "0.1.0")
