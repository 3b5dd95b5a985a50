// SPDX-License-Identifier: Apache-2.0
#include "queue/event.h"

#include "model/read_resources.h"

#include <algorithm>
#include <map>
#include <span>

namespace berth::queue {

using model::Value;
using model::view;

namespace {

bool same(const berth_str &a, const berth_str &b) { return view(a) == view(b); }
bool same(const berth_label &a, const berth_label &b) { return same(a.key, b.key) && same(a.value, b.value); }
bool same(const berth_taint &a, const berth_taint &b) {
    return same(a.key, b.key) && same(a.value, b.value) && same(a.effect, b.effect);
}

template <class T>
bool same_list(std::span<const T> a, std::span<const T> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T &x, const T &y) { return same(x, y); });
}

/// Does `after` ask for less of anything than `before`? To ask for none is less than to ask for zero.
bool shrunk(const model::Pod &before, const model::Pod &after) {
    if (before.tree == after.tree) return false;
    const model::ResourceList then = model::effective_requests(before, before.accounting),
                              now = model::effective_requests(after, after.accounting);
    return std::any_of(then.begin(), then.end(), [&](const model::ResourceAmount &old) {
        const model::Quantity *amount = model::find(now, old.name);
        return !amount || amount->milli_value() < old.amount.milli_value();
    });
}

Value field(const model::Object &object, std::string_view pointer) {
    return object.tree ? model::at_pointer(object.tree->value(), pointer) : Value{};
}

bool same_field(const model::Object &a, const model::Object &b, std::string_view pointer) {
    Value x = field(a, pointer), y = field(b, pointer);
    // An absent list and an empty one say the same.
    if (x.size() == 0 && y.size() == 0 && !x.is_string() && !y.is_string()) return true;
    return model::equal(x, y);
}

/// The same resources in the same amounts, however they are written.
bool same_resources(const model::Node &a, const model::Node &b) {
    Value x = field(a, "/status/allocatable"), y = field(b, "/status/allocatable");
    if (model::equal(x, y)) return true;
    const model::ResourceList before = model::resource_list(x), after = model::resource_list(y);
    return before.size() == after.size() &&
           std::all_of(before.begin(), before.end(), [&](const model::ResourceAmount &old) {
               const model::Quantity *amount = model::find(after, old.name);
               return amount && *amount == old.amount;
           });
}

bool same_taints(const model::Node &a, const model::Node &b) {
    if (!same_list(a.taints, b.taints)) return false;
    Value x = field(a, "/spec/taints"), y = field(b, "/spec/taints");
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x.at(i)["timeAdded"].string() != y.at(i)["timeAdded"].string()) return false;
    return true;
}

/// Status by type of condition, without heartbeats and texts.
std::map<std::string_view, std::string_view> conditions(const model::Node &node) {
    std::map<std::string_view, std::string_view> out;
    Value list = field(node, "/status/conditions");
    for (std::size_t i = 0; i < list.size(); ++i) out[list.at(i)["type"].string()] = list.at(i)["status"].string();
    return out;
}

std::string_view name_of(std::uint64_t action) {
    switch (action) {
        case BERTH_EVENT_ADD: return "Add";
        case BERTH_EVENT_DELETE: return "Delete";
        case BERTH_EVENT_UPDATE_NODE_ALLOCATABLE: return "UpdateNodeAllocatable";
        case BERTH_EVENT_UPDATE_NODE_LABEL: return "UpdateNodeLabel";
        case BERTH_EVENT_UPDATE_NODE_TAINT: return "UpdateNodeTaint";
        case BERTH_EVENT_UPDATE_NODE_CONDITION: return "UpdateNodeCondition";
        case BERTH_EVENT_UPDATE_NODE_ANNOTATION: return "UpdateNodeAnnotation";
        case BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE: return "UpdateNodeDeclaredFeature";
        case update_node_preemption_policy: return "UpdateNodePreemptionPolicy";
        case BERTH_EVENT_UPDATE_POD_LABEL: return "UpdatePodLabel";
        case BERTH_EVENT_UPDATE_POD_SCALE_DOWN: return "UpdatePodScaleDown";
        case update_pod_scale_up: return "UpdatePodScaleUp";
        case BERTH_EVENT_UPDATE_POD_TOLERATION: return "UpdatePodToleration";
        case BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED: return "UpdatePodSchedulingGatesEliminated";
        case BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM: return "UpdatePodGeneratedResourceClaim";
        case BERTH_EVENT_UPDATE: return "Update";
        case BERTH_EVENT_ALL: return "All";
        default: return "";
    }
}

}  // namespace

std::string label(const Event &event, bool target_pods) {
    if (!event.name.empty()) return std::string(event.name);
    std::string out(event.resource != resource_pod ? event.resource : target_pods ? "TargetPod" : "UnschedulablePod");
    return out += name_of(event.action);
}

std::vector<std::string_view> action_names(std::uint64_t actions) {
    std::vector<std::string_view> out;
    if (actions == BERTH_EVENT_ALL) return {name_of(actions)};
    const bool any_update = (actions & BERTH_EVENT_UPDATE) == BERTH_EVENT_UPDATE;
    for (std::uint64_t bit = 1; bit != 0; bit <<= 1)
        if (auto name = name_of(actions & bit); !name.empty() && !(any_update && (BERTH_EVENT_UPDATE & bit)))
            out.push_back(name);
    if (any_update) out.push_back(name_of(BERTH_EVENT_UPDATE));
    return out;
}

bool matches(std::string_view resource, std::uint64_t actions, const Event &event) {
    bool covers = resource == resource_any || resource == event.resource ||
                  (resource == resource_pod && event.resource == resource_assigned_pod);
    return covers && event.action != 0 && (event.action & ~actions) == 0;
}

Event pod_event(const model::Pod &of, std::uint64_t action, model::PodPtr before, model::PodPtr after) {
    return {of.node_name().empty() ? resource_pod : resource_assigned_pod,
            action,
            std::move(before),
            std::move(after),
            nullptr,
            nullptr};
}

Event node_event(std::uint64_t action, model::NodePtr before, model::NodePtr after) {
    return {resource_node, action, nullptr, nullptr, std::move(before), std::move(after)};
}

Event object_event(std::string_view resource, model::AnyPtr before, model::AnyPtr after) {
    Event event;
    event.resource = resource;
    event.action = !before ? BERTH_EVENT_ADD : after ? BERTH_EVENT_UPDATE : BERTH_EVENT_DELETE;
    event.old_object = std::move(before);
    event.new_object = std::move(after);
    return event;
}

std::vector<Event> node_events(const model::NodePtr &before, const model::NodePtr &after, bool more_facets) {
    std::vector<Event> events;
    auto add = [&](bool changed, std::uint64_t action) {
        if (changed) events.push_back(node_event(action, before, after));
    };
    const model::Node &a = *before, &b = *after;
    add(a.unschedulable && !b.unschedulable, BERTH_EVENT_UPDATE_NODE_TAINT);
    add(!same_resources(a, b), BERTH_EVENT_UPDATE_NODE_ALLOCATABLE);
    add(!same_list(a.labels, b.labels), BERTH_EVENT_UPDATE_NODE_LABEL);
    add(!same_taints(a, b), BERTH_EVENT_UPDATE_NODE_TAINT);
    add(conditions(a) != conditions(b), BERTH_EVENT_UPDATE_NODE_CONDITION);
    add(!same_list(a.annotations, b.annotations), BERTH_EVENT_UPDATE_NODE_ANNOTATION);
    add(more_facets && !same_field(a, b, "/spec/podPreemptionPolicy"), update_node_preemption_policy);
    add(!same_field(a, b, "/status/declaredFeatures"), BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE);
    return events;
}

std::vector<Event> pod_events(const model::PodPtr &before, const model::PodPtr &after, bool more_facets) {
    std::vector<Event> events;
    auto add = [&](bool changed, std::uint64_t action) {
        if (changed) events.push_back(pod_event(*after, action, before, after));
    };
    const model::Pod &a = *before, &b = *after;
    add(!same_list(a.labels(), b.labels()), BERTH_EVENT_UPDATE_POD_LABEL);
    add(shrunk(a, b), BERTH_EVENT_UPDATE_POD_SCALE_DOWN);
    add(more_facets && shrunk(b, a), update_pod_scale_up);
    add(field(a, "/spec/schedulingGates").size() > 0 && field(b, "/spec/schedulingGates").size() == 0,
        BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED);
    add(a.view.tolerations_len != b.view.tolerations_len, BERTH_EVENT_UPDATE_POD_TOLERATION);
    add(!same_field(a, b, "/status/resourceClaimStatuses") || !same_field(a, b, "/status/extendedResourceClaimStatus"),
        BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM);
    if (events.empty()) add(true, BERTH_EVENT_UPDATE);
    return events;
}

}  // namespace berth::queue
