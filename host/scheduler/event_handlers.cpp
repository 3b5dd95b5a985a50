// SPDX-License-Identifier: Apache-2.0
#include "scheduler/event_handlers.h"

#include <utility>

namespace berth::scheduler {

using queue::node_event;
using queue::pod_event;

/// In kube-scheduler's words: "Add event for scheduled pod".
void EventHandlers::log_event(const char *text, const model::Pod &pod) {
    if (core_.logs(3)) core_.log->write(env::Severity::Info, 3, text, {{"pod", pod.key()}});
}
void EventHandlers::log_event(const char *text, const model::Node &node) {
    if (core_.logs(3)) core_.log->write(env::Severity::Info, 3, text, {{"node", std::string(node.name)}});
}

void EventHandlers::node_added(model::NodePtr node) {
    if (core_.defer([=, this] { node_added(node); })) return;
    log_event("Add event for node", *node);
    core_.notifier.event("Added", "Node", {}, node->name);
    core_.cache.add_node(node);
    core_.queue->move(node_event(BERTH_EVENT_ADD, nullptr, std::move(node)));
}

void EventHandlers::node_updated(model::NodePtr before, model::NodePtr after) {
    if (core_.defer([=, this] { node_updated(before, after); })) return;
    core_.notifier.event("Modified", "Node", {}, after->name, after->tree);
    core_.cache.update_node(after);
    for (const auto &event : queue::node_events(before, after, core_.queue->settings().rules.target_pod_events))
        core_.queue->move(event);
}

void EventHandlers::node_deleted(model::NodePtr node) {
    if (core_.defer([=, this] { node_deleted(node); })) return;
    core_.notifier.event("Deleted", "Node", {}, node->name);
    log_event("Delete event for node", *node);
    std::string name(node->name);
    core_.queue->move(node_event(BERTH_EVENT_DELETE, std::move(node), nullptr));
    core_.cache.remove_node(name);
}

void EventHandlers::pod_added(model::PodPtr pod) {
    if (core_.defer([=, this] { pod_added(pod); })) return;
    if (pod->finished()) return;
    core_.notifier.event("Added", *pod);
    if (!pod->node_name().empty()) return add_assigned(pod);
    core_.pending.set(pod);
    if (!core_.responsible(*pod)) return;
    log_event("Add event for unscheduled pod", *pod);
    enqueue(pod);
}

void EventHandlers::pod_updated(model::PodPtr before, model::PodPtr after) {
    if (core_.defer([=, this] { pod_updated(before, after); })) return;
    if (after->finished()) {
        if (!before->finished()) pod_deleted(std::move(after));
        return;
    }
    core_.notifier.event("Modified", "Pod", after->name_space(), after->name(), after->tree);
    if (!before->node_name().empty()) {
        update_assigned(before, after);
    } else if (!after->node_name().empty()) {
        if (core_.responsible(*before)) log_event("Delete event for unscheduled pod", *before);
        add_assigned(after);
        core_.pending.erase(before->key());
        core_.nominations.remove(before->uid());
        core_.queue->remove(*before);
    } else {
        update_pending(before, after);
    }
}

void EventHandlers::pod_deleted(model::PodPtr pod) {
    if (core_.defer([=, this] { pod_deleted(pod); })) return;
    core_.notifier.event("Deleted", *pod);
    core_.nominations.remove(pod->uid());
    if (!pod->node_name().empty()) {
        // The update that gave it its node may have been missed.
        auto known = core_.pending.find(pod->key());
        if (known != core_.pending.end() && known->second->uid() == pod->uid()) {
            core_.pending.erase(known);
            core_.queue->remove(*pod);
        }
        log_event("Delete event for scheduled pod", *pod);
        core_.cache.remove_pod(*pod);
        core_.queue->move(pod_event(*pod, BERTH_EVENT_DELETE, pod, nullptr));
    } else {
        core_.pending.erase(pod->key());
        // A pod in its binding cycle may be of a profile that is gone.
        const bool assumed = core_.cache.is_assumed(pod->uid());
        const bool concerned = assumed || core_.responsible(*pod);
        if (concerned) {
            log_event("Delete event for unscheduled pod", *pod);
            core_.queue->remove(*pod);
        }
        // As upstream: PreEnqueue, which the rest of the group passes anew, still counts the pod.
        core_.cache.groups().remove(*pod);
        if (!concerned) return;
        if (assumed) {
            delete_assumed(pod);
            // Its PreBind plugins need not wait any longer.
            bindings_.cancel(pod->uid(),
                             "pod does not exist any more: pod \"" + std::string(pod->name()) + "\" not found");
        } else {
            free_nomination(pod);
        }
    }
}

void EventHandlers::object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) {
    if (core_.defer([=, this] { object_changed(kind, before, after); })) return;
    // Its end is seen where it was known, even if its last change made it another one.
    if (!after)
        if (auto known = core_.objects.known(kind, *before)) before = std::move(known);
    // What only the shadow watches, or profiles that are not in force, requeues no pod.
    if (!core_.profiles.watches(kind)) return core_.objects.change(kind, before, after);
    auto old_object = before, new_object = after;
    core_.profiles.reduce(kind, old_object, new_object);
    if (!old_object && !new_object) return core_.objects.change(kind, before, after);
    const auto &object = new_object ? *new_object : *old_object;
    core_.notifier.event(!old_object  ? "Added"
                         : new_object ? "Modified"
                                      : "Deleted",
                         object.tree->value()["kind"].string(), object.name_space, object.name,
                         new_object ? new_object->tree : nullptr);
    core_.objects.change(kind, before, after);
    if (kind == model::pod_group_kind() && core_.queue->settings().groups) group_changed(before, after);
    const auto &resource = *event_resources_.insert(kind.event_resource()).first;
    core_.queue->move(queue::object_event(resource, std::move(old_object), std::move(new_object)));
}

/// A PodGroup that cannot be read counts as none.
void EventHandlers::group_changed(const model::AnyPtr &before, const model::AnyPtr &after) {
    auto read = [this](const model::AnyPtr &object) -> model::PodGroupPtr {
        if (!object) return nullptr;
        return model::read_pod_group(object, [&](model::Value, const std::string &path, const std::string &text) {
            if (core_.log)
                core_.log->write(env::Severity::Error, 0, "PodGroup is left out: it cannot be read",
                                 {{"podGroup", object->key()}, {"field", path}, {"err", text}});
        });
    };
    const auto known = core_.cache.groups().find(before ? before->key() : after->key());
    const auto now = read(after);
    if (now) core_.cache.groups().set(now);
    else if (known) core_.cache.groups().drop(*known);
    if (now || known) core_.queue->group_changed(known, now);
}

void EventHandlers::enqueue(const model::PodPtr &pod) {
    core_.cache.groups().add(pod);
    const bool gated = core_.queue->add(pod);
    if (!gated || core_.queue->settings().rules.gated_nomination_counts) core_.nominations.set(pod);
    if (core_.queue->settings().groups)
        core_.queue->move({queue::resource_unscheduled_pod, BERTH_EVENT_ADD, nullptr, pod, nullptr, nullptr});
}

void EventHandlers::gated(const queue::QueuedPod &pod, const model::Status &status) {
    model::Decision decision = core_.decision_of(pod);
    decision.result = model::AttemptResult::Gated;
    decision.phase = "PreEnqueue";
    decision.message = status.message();
    decision.rejected_by = {status.plugin};
    core_.notifier.decision(decision);
}

void EventHandlers::add_assigned(const model::PodPtr &pod) {
    log_event("Add event for scheduled pod", *pod);
    core_.cache.add_pod(pod);
    core_.queue->move(pod_event(*pod, BERTH_EVENT_ADD, nullptr, pod));
}

void EventHandlers::update_assigned(const model::PodPtr &before, const model::PodPtr &after) {
    core_.cache.update_pod(after);
    for (const auto &event : queue::pod_events(before, after, core_.queue->settings().rules.target_pod_events))
        core_.queue->move(event);
}

void EventHandlers::update_pending(const model::PodPtr &before, const model::PodPtr &after) {
    auto version = [](const model::Pod &pod) {
        return pod.tree ? model::at_pointer(pod.tree->value(), "/metadata/resourceVersion").string()
                        : std::string_view{};
    };
    // The same object again. Objects from files may have no version at all.
    if (!version(*after).empty() && version(*before) == version(*after)) return;
    core_.pending.set(after);
    core_.cache.groups().update(after);
    if (core_.cache.is_assumed(after->uid())) {
        if (after->terminating() && !before->terminating()) delete_assumed(after);
        return;
    }
    if (!core_.responsible(*after)) return;
    core_.queue->update(before, after);
    core_.nominations.update(*before, after);
    if (before->nominated_node() != after->nominated_node()) free_nomination(before);
}

/// An assumed pod is deleted before it was bound.
void EventHandlers::delete_assumed(const model::PodPtr &pod) {
    if (!core_.waiting.reject("", pod->uid(), "removed")) {
        core_.cache.forget(*pod);
        core_.notifier.event("Forgotten", *pod);
    }
    core_.queue->move(queue::Event{queue::resource_assigned_pod, BERTH_EVENT_DELETE, pod, nullptr, nullptr, nullptr});
}

/// A pod gives up its nominated node: pods of equal or lower priority may fit there.
void EventHandlers::free_nomination(const model::PodPtr &pod) {
    if (pod->nominated_node().empty()) return;
    core_.queue->move(queue::Event{queue::resource_assigned_pod, BERTH_EVENT_DELETE, pod, nullptr, nullptr, nullptr},
                      [&](const queue::QueuedPod &other) { return other.view.priority <= pod->view.priority; });
}

}  // namespace berth::scheduler
