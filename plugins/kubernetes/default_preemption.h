// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin DefaultPreemption: it chooses candidate nodes and victims, and nominates a node.

#include <berth/plugin.hpp>
#include <berth/preemption_evaluator.hpp>

#include <limits>
#include <string>

namespace kubernetes {

/// PostFilter: evicts pods of lower priority from the node where it costs least, and nominates the pod for it.
/// PreEnqueue: the pod waits while its victims are being evicted. All of it is the SDK's evaluator, with its defaults.
class DefaultPreemption {
    berth::preemption::Evaluator<> evaluator_;

    static berth::preemption::Interface policy(const berth::Args &args) {
        berth::preemption::Interface policy;
        policy.min_candidate_nodes_percentage =
            args.integer<std::int64_t>("minCandidateNodesPercentage", policy.min_candidate_nodes_percentage);
        policy.min_candidate_nodes_absolute =
            args.integer<std::int64_t>("minCandidateNodesAbsolute", policy.min_candidate_nodes_absolute);
        return policy;
    }

public:
    static constexpr const char *description = "Makes room for a pod by evicting pods of lower priority";
    static constexpr auto watches = berth::preemption::watches;
    static constexpr auto writes = berth::preemption::writes;

    static void default_args(berth::ArgsReader &args) {
        constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        const std::string percentage_name = "minCandidateNodesPercentage", absolute_name = "minCandidateNodesAbsolute";
        auto percentage = args.integer(percentage_name, 10, least, most);
        auto absolute = args.integer(absolute_name, 100, least, most);
        auto invalid = [&](const std::string &field, std::int64_t n, const std::string &why) {
            args.error(field, "Invalid value: " + std::to_string(n) + ": " + why);
        };
        if (percentage < 0 || percentage > 100) invalid(percentage_name, percentage, "not in valid range [0, 100]");
        if (absolute < 0) invalid(absolute_name, absolute, "not in valid range [0, inf)");
        if (percentage != 0 || absolute != 0) return;
        invalid(percentage_name, 0, "cannot be zero at the same time as " + absolute_name);
        invalid(absolute_name, 0, "cannot be zero at the same time as " + percentage_name);
    }

    DefaultPreemption(berth::Args args, const berth::Host &host)
        : evaluator_(host, "DefaultPreemption", policy(args)) {}

    void declare(berth::Declare d) const { evaluator_.declare(d); }
    berth::Verdict pre_enqueue(berth::Pod pod) { return evaluator_.pre_enqueue(pod); }
    void events(berth::Events on) const { evaluator_.events(on); }
    berth::Hint hint(berth::Event event, berth::Pod pod) { return evaluator_.hint(event, pod); }
    berth::Verdict post_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                               berth::Outcome outcome, berth::Nomination nomination, berth::Done done) {
        return evaluator_.preempt(call, state, pod, nodes, outcome, nomination, done);
    }
};

}  // namespace kubernetes
