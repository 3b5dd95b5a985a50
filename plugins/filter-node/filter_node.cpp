// SPDX-License-Identifier: Apache-2.0

/// FilterNode: only nodes with these names, labels or expressions. See README.md.

#include <berth/plugin.hpp>
#include <berth/selector.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

class FilterNode {
    std::vector<std::string> names_;
    berth::LabelSelector selector_;
    std::string message_;

    bool matches(berth::Node node) const {
        bool named = names_.empty() || std::find(names_.begin(), names_.end(), node.name()) != names_.end();
        return named && (selector_.empty() || selector_.matches(node.at("/metadata/labels")));
    }

public:
    static constexpr const char *description = "Allows only nodes with given names or labels";

    static void default_args(berth::ArgsReader &args) {
        args.strings("names");
        berth::LabelSelector::read(args, "selector");
        args.string("message", "node(s) didn't match FilterNode's names or selector");
    }

    explicit FilterNode(berth::Args args)
        : names_(args.strings("names")),
          selector_(berth::LabelSelector::read(args, "selector")),
          message_(args.string("message", "")) {}

    berth::Verdict filter(berth::Pod, berth::Node node) const {
        return matches(node) ? berth::Verdict(berth::ok) : berth::unresolvable(message_);
    }

    /// A new node, or one that matches since its labels changed.
    void events(berth::Events on) const { on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL); }
    berth::Hint hint(berth::Event event, berth::Pod) const {
        auto before = event.old_node(), after = event.new_node();
        return after && matches(*after) && !(before && matches(*before)) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(FilterNode, "FilterNode", "0.1.0")
