// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All pods in their binding cycle, from Reserve to bound or failed.

#include "bind/binding_cycle.h"
#include "scheduler/failure_handler.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::scheduler {

/// The pods in their binding cycle (states: bind/binding_cycle.h): from the moment when they are reserved on a node
/// until they are bound or their cycle failed. Loop only.
class BindingCycles final : public plugin::PreBindPods, private bind::Listener {
public:
    /// A pod in its binding cycle, with the decision that chose its node.
    struct Entry {
        std::unique_ptr<queue::QueuedPod> pod;
        std::shared_ptr<bind::BindingCycle> cycle;
        model::Decision decision;

        const model::Pod &assumed() const { return *cycle->placement().pod; }
    };
    using OnBound = std::function<void(const model::Pod &, const model::Decision &)>;
    using OnDelayed = std::function<void(const model::Pod &)>;

    BindingCycles(Core &core, FailureHandler &failures) : core_(core), failures_(failures) {}
    /// See Scheduler.
    void on_bound(OnBound callback) { on_bound_ = std::move(callback); }
    void on_delayed(OnDelayed callback) { on_delayed_ = std::move(callback); }

    /// Assumes and reserves the pod on its node, reports the decision and starts the binding cycle, which takes `pod`
    /// and `decision`. Or the failure: then the pod is assumed no more, and both stay with the caller.
    std::optional<Failure> begin(bind::Placement placement, std::unique_ptr<queue::QueuedPod> &pod,
                                 model::Decision &decision);

    const Entry *find(std::string_view uid) const;  ///< nullptr: the pod is in no binding cycle
    template <class Fn>
    void each(Fn &&fn) const {
        for (const auto &[cycle, entry] : entries_) fn(entry);
    }
    std::size_t size() const { return entries_.size(); }

    bool cancel(std::string_view uid, std::string_view reason) override;

private:
    std::shared_ptr<bind::BindingCycle> assume(bind::Placement placement);
    void permitted(bind::BindingCycle &cycle) override;
    void delayed(bind::BindingCycle &cycle) override;
    void bound(bind::BindingCycle &cycle) override;
    void failed(bind::BindingCycle &cycle, std::string_view phase, model::Status status) override;

    Core &core_;
    FailureHandler &failures_;
    OnBound on_bound_;
    OnDelayed on_delayed_;
    std::unordered_map<const bind::BindingCycle *, Entry> entries_;
};

}  // namespace berth::scheduler
