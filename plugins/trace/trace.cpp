// SPDX-License-Identifier: Apache-2.0

/// Trace: says in the log where a pod is on its way. See README.md.

#include <berth/plugin.hpp>

#include <string>

namespace {

class Trace {
    const berth::Host &host_;
    std::uint32_t verbosity_;

    void say(const std::string &line) const { host_.info(verbosity_, line); }
    bool silent() const { return !host_.log_enabled(verbosity_); }

    static std::string of(berth::Pod pod) { return "pod: " + std::string(pod.name()); }
    static std::string of(berth::Pod pod, std::string_view node) { return of(pod) + ", node: " + std::string(node); }

public:
    static constexpr const char *description = "Logs every call of every extension point";

    static void default_args(berth::ArgsReader &args) { args.integer("verbosity", 0, 0, 10); }

    Trace(berth::Args args, const berth::Host &host) : host_(host), verbosity_(args.integer("verbosity", 0)) {}

    berth::Verdict pre_filter(berth::Pod pod) const {
        say("PreFilter: " + std::string(pod.name()));
        return berth::ok;
    }

    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        say("Filter : " + of(pod, node.name()));
        return berth::ok;
    }

    berth::Verdict post_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Outcome,
                               berth::Nomination) const {
        say("PostFilter: " + of(pod));
        return berth::unschedulable("");
    }

    berth::Verdict pre_score(berth::Pod pod, berth::Nodes nodes, berth::Slots slots) const {
        if (silent()) return berth::ok;
        say("PreScore: " + std::string(pod.name()));
        for (auto slot : slots) say("PreScore: " + std::string(nodes[slot].name()));
        return berth::ok;
    }

    std::int64_t score(berth::Pod pod, berth::Node node) const {
        say("Score: " + of(pod, node.name()));
        return 0;
    }

    void normalize(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Slots, berth::Scores) const {
        say("NormalizeScore: " + of(pod));
    }

    berth::Verdict reserve(berth::Pod pod, std::string_view node) const {
        say("Reserve: " + of(pod, node));
        return berth::ok;
    }
    void unreserve(berth::Pod pod, std::string_view node) const { say("Unreserve: " + of(pod, node)); }

    berth::Permit permit(berth::Pod pod, std::string_view node) const {
        say("Permit: " + of(pod, node));
        return berth::ok;
    }

    berth::Verdict pre_bind(berth::Pod pod, std::string_view node) const {
        say("PreBind: " + of(pod, node));
        return berth::ok;
    }

    /// Leaves binding to the next plugin.
    berth::Verdict bind(berth::Pod pod, std::string_view node) const {
        say("Bind: " + of(pod, node));
        return berth::skip();
    }

    void post_bind(berth::Pod pod, std::string_view node) const { say("PostBind: " + of(pod, node)); }
};

}  // namespace

BERTH_PLUGIN(Trace, "Trace", "0.1.0")
