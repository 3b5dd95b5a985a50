// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The handlers of watch events: they change cache, queue and nominations (upstream: eventhandlers.go).

#include "env/api.h"
#include "scheduler/binding_cycles.h"

#include <set>
#include <string>

namespace berth::scheduler {

/// What watch events change in the cache, the queue and the nominations (kube-scheduler v1.36.3, eventhandlers.go).
/// Every pod of theirs has a UID. While an attempt is suspended, they are deferred. Loop only.
class EventHandlers final : public env::Observer {
public:
    EventHandlers(Core &core, BindingCycles &bindings) : core_(core), bindings_(bindings) {}

    void node_added(model::NodePtr node) override;
    void node_updated(model::NodePtr before, model::NodePtr after) override;
    void node_deleted(model::NodePtr node) override;
    void pod_added(model::PodPtr pod) override;
    void pod_updated(model::PodPtr before, model::PodPtr after) override;
    void pod_deleted(model::PodPtr pod) override;
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override;

    /// The pod becomes one of ours: it waits in the queue, and is nominated where its status says so.
    void enqueue(const model::PodPtr &pod);
    /// Reports what the queue says: a PreEnqueue plugin gates the pod.
    void gated(const queue::QueuedPod &pod, const model::Status &status);

private:
    void log_event(const char *text, const model::Pod &pod);
    void log_event(const char *text, const model::Node &node);
    void add_assigned(const model::PodPtr &pod);
    void update_assigned(const model::PodPtr &before, const model::PodPtr &after);
    void update_pending(const model::PodPtr &before, const model::PodPtr &after);
    void delete_assumed(const model::PodPtr &pod);
    void free_nomination(const model::PodPtr &pod);
    void group_changed(const model::AnyPtr &before, const model::AnyPtr &after);

    Core &core_;
    BindingCycles &bindings_;
    std::set<std::string> event_resources_;  ///< names that events point to
};

}  // namespace berth::scheduler
