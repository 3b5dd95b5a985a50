// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The live scheduler together with the recording of its inputs.

#include "env/api.h"
#include "live/recording.h"

#include <memory>
#include <optional>
#include <utility>

namespace berth::live {

/// They begin and end together: a recording holds all inputs of its scheduler. Loop only.
struct LiveCore {
    Recording recording;
    Scheduler scheduler;
    const SchedulerSettings begun_with;

    /// All but the journal outlive it.
    LiveCore(std::optional<record::JournalWriter> journal, env::Clock &clock, env::Workers &workers, DecisionSink &sink,
             env::Log &log, SchedulerSettings settings)
        : recording(std::move(journal), clock, workers, sink),
          scheduler(recording.recorder().clock(), &log, recording.sink(), recording.settings(settings)),
          begun_with(settings) {}
    env::Observer &observer() { return recording.recorder().observer(scheduler.observer()); }
};

/// Passes on what the world says to the core in force.
class ToCore final : public env::Observer {
    const std::unique_ptr<LiveCore> &core_;
    env::Observer &core() const { return core_->observer(); }

public:
    explicit ToCore(const std::unique_ptr<LiveCore> &core) : core_(core) {}
    void node_added(model::NodePtr node) override { core().node_added(std::move(node)); }
    void node_updated(model::NodePtr before, model::NodePtr after) override {
        core().node_updated(std::move(before), std::move(after));
    }
    void node_deleted(model::NodePtr node) override { core().node_deleted(std::move(node)); }
    void pod_added(model::PodPtr pod) override { core().pod_added(std::move(pod)); }
    void pod_updated(model::PodPtr before, model::PodPtr after) override {
        core().pod_updated(std::move(before), std::move(after));
    }
    void pod_deleted(model::PodPtr pod) override { core().pod_deleted(std::move(pod)); }
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override {
        core().object_changed(kind, std::move(before), std::move(after));
    }
    /// The kind is no longer watched.
    void forget(const model::Kind &kind) const {
        core_->recording.recorder().forgotten(kind);
        core_->scheduler.forget(kind);
    }
};

}  // namespace berth::live
