// SPDX-License-Identifier: Apache-2.0
#include "sim/expectations.h"

#include <algorithm>

namespace berth::sim {
namespace {

std::string joined(const std::vector<std::string> &names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

std::string expected_text(const Expectation &e) {
    switch (e.what) {
        case Expected::Placed: return "to be on " + (e.nodes.empty() ? "some node" : "node " + joined(e.nodes));
        case Expected::Pending: return "to be pending" + (e.message ? " because \"" + *e.message + "\"" : "");
        default: return "to be gone";
    }
}

}  // namespace

Finding check(const Expectation &e, const World &world, const ConditionMessage &message) {
    Finding out;
    out.time = e.at ? duration_text(*e.at) : "end";
    out.expected = "pod " + e.pod.key() + " " + expected_text(e);
    out.where = e.pod.where;
    auto pod = world.pod(e.pod.key());
    if (!pod) {
        out.found = "is not there";
        out.holds = e.what == Expected::Gone;
        return out;
    }
    if (std::string node(pod->node_name()); !node.empty()) {
        out.found = (pod->finished() ? "has finished on node " : "is on node ") + node +
                    (pod->terminating() ? ", being deleted" : "");
        out.holds = e.what == Expected::Placed && (e.nodes.empty() || std::ranges::count(e.nodes, node) > 0);
        return out;
    }
    auto why = message(*pod);
    out.found = why ? "is pending because \"" + *why + "\"" : "is pending, without a reason in its condition";
    out.holds = e.what == Expected::Pending && (!e.message || why == e.message);
    return out;
}

}  // namespace berth::sim
