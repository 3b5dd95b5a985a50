// SPDX-License-Identifier: Apache-2.0

/// Draught: a pod with the label draught=7 needs a node whose label depth is at least 7.

#include <berth/plugin.hpp>

#include <charconv>

namespace {

class Draught {
    static int number(std::string_view text) {
        int n = 0;
        std::from_chars(text.data(), text.data() + text.size(), n);
        return n;
    }
    static bool floats(berth::Pod pod, berth::Node node) {
        return number(node.label("depth")) >= number(pod.at("/metadata/labels/draught").string());
    }

public:
    // Evicting pods makes no node deeper: unresolvable, so no pod is evicted for it.
    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        return floats(pod, node) ? berth::Verdict(berth::ok) : berth::unresolvable("node(s) were too shallow");
    }

    // A pod that this plugin rejected is tried again when a node comes or its labels change, if the node is deep
    // enough.
    void events(berth::Events on) const { on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL); }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        return floats(pod, *event.new_node()) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(Draught, "Draught", "1.0.0")
