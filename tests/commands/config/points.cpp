// SPDX-License-Identifier: Apache-2.0
// Plugins that do nothing, at the extension points of those of a scheduler that people wrote for Kubernetes 1.23.
#include <berth/plugin.hpp>

namespace {

struct OnlyFilter {
    static berth::Verdict filter(berth::Pod, berth::Node) { return berth::ok; }
};

struct OnlyPreFilter {
    static berth::Verdict pre_filter(berth::Pod) { return berth::ok; }
};

struct OnlyScore {
    static std::int64_t score(berth::Pod, berth::Node) { return 0; }
};

struct EveryPoint : OnlyFilter, OnlyPreFilter {
    static berth::Verdict post_filter(berth::Call, berth::State, berth::Pod, berth::Nodes, berth::Outcome,
                                      berth::Nomination) {
        return berth::unschedulable("nobody makes room");
    }
    static berth::Verdict pre_score(berth::Pod, berth::Nodes, berth::Slots) { return berth::ok; }
    static berth::Verdict reserve(berth::Pod, std::string_view) { return berth::ok; }
    static void unreserve(berth::Pod, std::string_view) {}
    static berth::Permit permit(berth::Pod, std::string_view) { return berth::ok; }
    static berth::Verdict pre_bind(berth::Pod, std::string_view) { return berth::ok; }
    static berth::Verdict bind(berth::Pod, std::string_view) { return berth::skip(); }
    static void post_bind(berth::Pod, std::string_view) {}
};

}  // namespace

BERTH_PLUGINS(berth::entry<EveryPoint>("EveryPoint", "1.0.0"), berth::entry<OnlyFilter>("OnlyFilter", "1.0.0"),
              berth::entry<OnlyPreFilter>("OnlyPreFilter", "1.0.0"), berth::entry<OnlyScore>("OnlyScore", "1.0.0"))
