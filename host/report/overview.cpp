// SPDX-License-Identifier: Apache-2.0
#include "report/overview.h"

#include "report/answer_values.h"

#include <algorithm>
#include <unordered_map>

namespace berth::report {
namespace {

using model::ArrayBuilder;
using model::ObjectBuilder;

template <class T>
ArrayBuilder numbers(model::Arena &arena, const std::vector<T> &from) {
    ArrayBuilder out(arena);
    for (auto n : from) out.add(n);
    return out;
}

ArrayBuilder texts(model::Arena &arena, const std::vector<std::string> &from) {
    ArrayBuilder out(arena);
    for (const auto &text : from) out.add(std::string_view{text});
    return out;
}

ObjectBuilder pod_value(model::Arena &arena, const model::PodRef &pod) {
    ObjectBuilder out(arena);
    out.add("namespace", std::string_view{pod.name_space}).add("name", std::string_view{pod.name});
    return out;
}

ObjectBuilder waiting_value(model::Arena &arena, const model::SchedulingState &s, const model::Decision *last) {
    ObjectBuilder out(arena);
    out.add("pod", pod_value(arena, s.pod)).add("state", model::state_name(s.state));
    out.add("profile", std::string_view{s.profile}).add("attempts", s.attempts);
    add_time(out, "since", s.since_ns);
    add_time(out, "firstAttempt", s.first_ns);
    add_time(out, "until", s.until_ns);
    add_text(out, "gatedBy", s.gated_by);
    add_text(out, "nominatedNode", s.nominated_node);
    add_texts(arena, out, "rejectedBy", s.rejected_by);
    if (!last) return out;
    out.add("evaluatedNodes", last->evaluated_nodes);
    add_text(out, "message", last->message);
    add_rejections(arena, out, last->rejections);
    return out;
}

}  // namespace

std::string json(const NodeColumns &nodes) {
    model::Arena arena;
    auto out = answer_head(arena, "NodeColumns", nodes.by, nullptr);
    out.add("names", texts(arena, nodes.names)).add("zones", texts(arena, nodes.zones));
    out.add("zone", numbers(arena, nodes.zone)).add("unschedulable", numbers(arena, nodes.closed));
    ArrayBuilder resources(arena);
    for (const auto &r : nodes.resources) {
        ObjectBuilder one(arena);
        one.add("name", std::string_view{r.name}).add("allocatable", numbers(arena, r.allocatable));
        resources.add(one.add("requested", numbers(arena, r.requested)).value());
    }
    return text_of(out.add("resources", resources));
}

std::string json(const NodePods &node) {
    model::Arena arena;
    auto out = answer_head(arena, "NodePods", node.by, nullptr);
    out.add("name", std::string_view{node.name}).add("zone", std::string_view{node.zone});
    out.add("unschedulable", node.closed);
    add_texts(arena, out, "taints", node.taints);
    ArrayBuilder pods(arena);
    for (const auto &p : node.pods) {
        ObjectBuilder one(arena), requests(arena);
        requests.add("cpu", p.cpu).add("memory", p.memory);
        for (const auto &[name, value] : p.scalars) requests.add(name, value);
        one.add("pod", pod_value(arena, p.pod)).add("profile", std::string_view{p.profile});
        one.add("priority", p.priority).add("requests", requests);
        if (p.assumed) one.add("assumed", true);
        if (p.terminating) one.add("terminating", true);
        pods.add(one.value());
    }
    return text_of(out.add("pods", pods));
}

std::string json(const Waiting &waiting) {
    model::Arena arena;
    auto out = answer_head(arena, "WaitingPods", waiting.by, nullptr);
    ObjectBuilder counts(arena);
    counts.add("active", waiting.active).add("backingOff", waiting.backing_off);
    counts.add("unschedulable", waiting.unschedulable).add("gated", waiting.gated);
    out.add("counts", counts);
    std::unordered_map<std::string, const model::Decision *> last;
    for (const auto &d : waiting.decisions) last.try_emplace(d->pod.name_space + "/" + d->pod.name, d.get());
    ArrayBuilder pods(arena);
    for (const auto &s : waiting.pods) {
        const auto at = last.find(s.pod.name_space + "/" + s.pod.name);
        const auto *decision = at != last.end() && at->second->pod.uid == s.pod.uid ? at->second : nullptr;
        pods.add(waiting_value(arena, s, decision).value());
    }
    out.add("items", pods);
    if (waiting.omitted > 0) out.add("omitted", waiting.omitted);
    return text_of(out.add("wakes", wakes_value(arena, waiting.wakes, true)));
}

}  // namespace berth::report
