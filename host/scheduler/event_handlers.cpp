// SPDX-License-Identifier: Apache-2.0
// What the world says, and whom it concerns (kube-scheduler v1.36.3, eventhandlers.go).
#include "scheduler/scheduler.h"

#include <algorithm>

namespace berth {

using queue::node_event;
using queue::pod_event;

/// As kube-scheduler says it: "Add event for scheduled pod".
void Scheduler::log_event(const char *text, const model::Pod &pod) {
    if (logs(3)) log_->write(env::Severity::Info, 3, text, {{"pod", pod.key()}});
}
void Scheduler::log_event(const char *text, const model::Node &node) {
    if (logs(3)) log_->write(env::Severity::Info, 3, text, {{"node", std::string(node.name)}});
}

void Scheduler::node_added(model::NodePtr node) {
    if (later([=, this] { node_added(node); })) return;
    log_event("Add event for node", *node);
    tell("Added", "Node", {}, node->name);
    cache_.add_node(node);
    queue_->move(node_event(BERTH_ADD, nullptr, std::move(node)));
}

void Scheduler::node_updated(model::NodePtr before, model::NodePtr after) {
    if (later([=, this] { node_updated(before, after); })) return;
    tell("Modified", "Node", {}, after->name, after->tree);
    cache_.update_node(after);
    for (const auto &event : queue::node_events(before, after)) queue_->move(event);
}

void Scheduler::node_deleted(model::NodePtr node) {
    if (later([=, this] { node_deleted(node); })) return;
    tell("Deleted", "Node", {}, node->name);
    log_event("Delete event for node", *node);
    std::string name(node->name);
    queue_->move(node_event(BERTH_DELETE, std::move(node), nullptr));
    cache_.remove_node(name);
}

void Scheduler::pod_added(model::PodPtr pod) {
    if (later([=, this] { pod_added(pod); })) return;
    if (pod->finished()) return;
    tell("Added", *pod);
    if (!pod->node_name().empty()) return add_assigned(pod);
    pending_[pod->key()] = pod;
    if (!responsible(*pod)) return;
    log_event("Add event for unscheduled pod", *pod);
    enqueue(pod);
}

void Scheduler::enqueue(const model::PodPtr &pod) {
    gated_.clear();
    queue_->add(pod);
    // What a gated pod was promised does not count yet.
    if (gated_ != pod->uid()) nominations_.set(pod);
}

void Scheduler::pod_updated(model::PodPtr before, model::PodPtr after) {
    if (later([=, this] { pod_updated(before, after); })) return;
    if (after->finished()) {
        if (!before->finished()) pod_deleted(std::move(after));
        return;
    }
    tell("Modified", "Pod", after->name_space(), after->name(), after->tree);
    if (!before->node_name().empty()) {
        update_assigned(before, after);
    } else if (!after->node_name().empty()) {
        if (responsible(*before)) log_event("Delete event for unscheduled pod", *before);
        add_assigned(after);
        pending_.erase(before->key());
        nominations_.remove(before->uid());
        queue_->remove(*before);
    } else {
        update_pending(before, after);
    }
}

void Scheduler::pod_deleted(model::PodPtr pod) {
    if (later([=, this] { pod_deleted(pod); })) return;
    tell("Deleted", *pod);
    nominations_.remove(pod->uid());
    if (!pod->node_name().empty()) {
        // The update that gave it its node may have been missed.
        auto known = pending_.find(pod->key());
        if (known != pending_.end() && known->second->uid() == pod->uid()) {
            pending_.erase(known);
            queue_->remove(*pod);
        }
        log_event("Delete event for scheduled pod", *pod);
        cache_.remove_pod(*pod);
        queue_->move(pod_event(*pod, BERTH_DELETE, pod, nullptr));
    } else {
        pending_.erase(pod->key());
        // One that is being bound may be of a profile that there is no more.
        const bool assumed = cache_.is_assumed(pod->uid());
        if (!assumed && !responsible(*pod)) return;
        log_event("Delete event for unscheduled pod", *pod);
        queue_->remove(*pod);
        if (assumed) {
            assumed_deleted(pod);
            // What its PreBind plugins wait for will not come.
            cancel_pre_bind({}, pod->uid(),
                            "pod does not exist any more: pod \"" + std::string(pod->name()) + "\" not found");
        } else {
            free_nomination(pod);
        }
    }
}

void Scheduler::object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) {
    if (later([=, this] { object_changed(kind, before, after); })) return;
    // Nothing is to come of a kind for the shadow's sake: no event of it, and no pod's retry.
    if (std::ranges::find(shadow_kinds_, kind) != shadow_kinds_.end()) return objects_.change(kind, before, after);
    const auto &object = after ? *after : *before;
    tell(!before ? "Added"
         : after ? "Modified"
                 : "Deleted",
         object.tree->value()["kind"].string(), object.name_space, object.name, after ? after->tree : nullptr);
    objects_.change(kind, before, after);
    const auto &resource = *event_resources_.insert(kind.event_resource()).first;
    queue_->move(queue::object_event(resource, std::move(before), std::move(after)));
}

void Scheduler::add_assigned(const model::PodPtr &pod) {
    log_event("Add event for scheduled pod", *pod);
    cache_.add_pod(pod);
    queue_->move(pod_event(*pod, BERTH_ADD, nullptr, pod));
}

void Scheduler::update_assigned(const model::PodPtr &before, const model::PodPtr &after) {
    cache_.update_pod(after);
    for (const auto &event : queue::pod_events(before, after)) queue_->move(event);
}

void Scheduler::update_pending(const model::PodPtr &before, const model::PodPtr &after) {
    auto version = [](const model::Pod &pod) {
        return pod.tree ? model::at_pointer(pod.tree->value(), "/metadata/resourceVersion").string()
                        : std::string_view{};
    };
    // The same object again. Objects from files may have no version at all.
    if (!version(*after).empty() && version(*before) == version(*after)) return;
    pending_[after->key()] = after;
    if (cache_.is_assumed(after->uid())) {
        if (after->terminating() && !before->terminating()) assumed_deleted(after);
        return;
    }
    if (!responsible(*after)) return;
    queue_->update(before, after);
    nominations_.update(*before, after);
    if (before->nominated_node() != after->nominated_node()) free_nomination(before);
}

/// A pod that was given a node is leaving before it was bound.
void Scheduler::assumed_deleted(const model::PodPtr &pod) {
    if (!waiting_.reject("", pod->uid(), "removed")) {
        cache_.forget(*pod);
        tell("Forgotten", *pod);
    }
    queue_->move(queue::Event{queue::resource_assigned_pod, BERTH_DELETE, pod, nullptr, nullptr, nullptr});
}

/// A pod gives up the node that it was promised: pods that are not more important may have a use for it.
void Scheduler::free_nomination(const model::PodPtr &pod) {
    if (pod->nominated_node().empty()) return;
    queue_->move(queue::Event{queue::resource_assigned_pod, BERTH_DELETE, pod, nullptr, nullptr, nullptr},
                 [&](const queue::QueuedPod &other) { return other.view.priority <= pod->view.priority; });
}

}  // namespace berth
