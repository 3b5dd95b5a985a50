// SPDX-License-Identifier: Apache-2.0

/// Dredger: helps a pod that fits nowhere. Of the nodes that rejected the pod, it takes the first with pods that have
/// the label mud=true, evicts these, and nominates the pod for that node. (Ballast, in the folder above, first tries
/// whether that would help.)

#include <berth/plugin.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

class Dredger {
    const berth::Host &host_;

    void remove(berth::Pod pod) const {
        berth::Request request;
        request.verb = BERTH_VERB_DELETE;
        request.resource = "pods";
        request.name_space = pod.name_space();
        request.name = pod.name();
        host_.send(request, [this](int status, std::string_view text) {
            if (status >= 300 && status != 404) host_.warning("mud stays where it is: " + std::string(text));
        });
    }

public:
    // The plugin declares what it writes. `berth config rbac` prints the rights for that.
    static constexpr std::array writes{"delete v1/pods"};
    void declare(berth::Declare d) const { d.write(BERTH_VERB_DELETE, "", "v1", "pods"); }

    explicit Dredger(const berth::Host &host) : host_(host) {}

    // The outcome has, for each node, the plugin that rejected it, the code and the reasons. If the code is
    // Unschedulable, removing pods may help.
    berth::Verdict post_filter(berth::Call, berth::State, berth::Pod, berth::Nodes nodes, berth::Outcome outcome,
                               berth::Nomination nomination) const {
        auto placed = nodes.pods();
        for (auto slot : outcome.slots_with(BERTH_STATUS_UNSCHEDULABLE)) {
            std::vector<std::uint32_t> removed;
            for (auto row : placed.on(slot))
                if (placed[row].at("/metadata/labels/mud").string() == "true" && !placed.terminating(row)) {
                    remove(placed[row]);
                    removed.push_back(row);
                }
            if (removed.empty()) continue;
            nomination.nominate(nodes[slot].name());  // no pod of lower priority takes the freed room
            nomination.victims(removed, "mud");       // `berth explain` names the victims
            return berth::ok;                         // the pod waits for the events of these deletions
        }
        return berth::unschedulable("there is no mud");  // the next PostFilter plugin is asked
    }
};

}  // namespace

BERTH_PLUGIN(Dredger, "Dredger", "1.0.0")
