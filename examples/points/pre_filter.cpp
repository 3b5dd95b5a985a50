// SPDX-License-Identifier: Apache-2.0

/// OnePerCrew: a node takes one pod of each crew (the label crew). Once per pod, PreFilter counts the pods of its crew
/// on each node; Filter only looks up the count. AddPod and RemovePod update the counts while the host evaluates a node
/// as if other pods were on it.

#include <berth/plugin.hpp>

#include <map>
#include <string>

namespace {

class OnePerCrew {
    using Crews = std::map<std::string, int, std::less<>>;  // by node: the number of its pods of this pod's crew
    berth::StateKey<Crews> crews_;

    static std::string_view crew(berth::Pod pod) { return pod.at("/metadata/labels/crew").string(); }

public:
    // The state holds this plugin's data under this key, for one pod and one attempt.
    explicit OnePerCrew(const berth::Host &host) : crews_(host.state_key<Crews>("OnePerCrew")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        if (crew(pod).empty()) return berth::skip();  // then filter is not called for this pod
        Crews crews;
        auto placed = nodes.pods();
        for (std::uint32_t row = 0; row < placed.rows(); ++row)
            if (placed.exists(row) && crew(placed[row]) == crew(pod))
                ++crews[std::string(nodes[placed.slot(row)].name())];
        state.put(crews_, std::move(crews));
        return berth::ok;
    }

    berth::Verdict filter(berth::Call, berth::State state, berth::Pod, berth::Node node) const {
        const auto &crews = state.need(crews_);
        auto there = crews.find(node.name());
        if (there == crews.end() || there->second == 0) return berth::ok;
        return berth::unschedulable("node(s) had one of its crew");
    }

    // `state` is a copy for this trial.
    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other, berth::Node node) const {
        if (crew(other) == crew(pod)) ++state.need(crews_)[std::string(node.name())];
        return berth::ok;
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other,
                              berth::Node node) const {
        if (crew(other) == crew(pod)) --state.need(crews_)[std::string(node.name())];
        return berth::ok;
    }

    void events(berth::Events on) const {
        on.add("AssignedPod", BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE_POD_LABEL);
        on.add("Node", BERTH_EVENT_ADD);
    }
};

}  // namespace

BERTH_PLUGIN(OnePerCrew, "OnePerCrew", "1.0.0")
