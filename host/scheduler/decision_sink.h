// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of a receiver of decisions.

#include "model/decision.h"
#include "model/pod.h"

namespace berth {

/// Receives every decision. On the loop.
class DecisionSink {
public:
    virtual ~DecisionSink() = default;
    /// How much to record. The scheduler makes node tables only for Detail::Nodes and above.
    virtual model::Detail detail() const = 0;
    /// The same for one pod, if more is wanted about it than about the others.
    virtual model::Detail detail_of(const model::Pod &) const { return detail(); }
    /// The result of one attempt when its serial part has ended: the node is chosen and reserved (Scheduled, or Waiting
    /// if the pod waits in Permit), or the reasons why not. It comes a second time, with the same attempt and cycle,
    /// when a waiting pod is bound and when a binding cycle fails: that is the last word. A pod that a PreEnqueue
    /// plugin gates is Gated; it had no attempt.
    virtual void decision(const model::Decision &decision) = 0;
    /// Detail::Events: what happened between decisions.
    virtual void event(const model::DecisionEvent &event) = 0;
    /// Whether to call shadow_decision() for this pod.
    virtual bool wants_shadow(const model::Pod &) const { return false; }
    /// The shadow's decision, before the real one of the same attempt.
    virtual void shadow_decision(const model::Decision &) {}
};

}  // namespace berth
