// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The evaluation of a pod from PreEnqueue to Score, without effects.

#include "cycle/cycle.h"
#include "plugin/call_environment.h"

namespace berth::scheduler {

/// Copies how many nodes a search evaluated, and why they were rejected.
void take_counts(model::Decision &decision, const cycle::ScheduleResult &result);

/// Evaluates a pod without consequences: PreEnqueue to Score, with the profile of `search`. Completes the decision
/// except for the pod and the time, its preFilter and nodes with `tables`. Whether no node fits, so that PostFilter
/// would come next. The cycle has no extenders.
bool evaluate(plugin::CallEnvironment &calls, cycle::Cycle &cycle, const cycle::Search &search, bool tables,
              model::Decision &decision);

}  // namespace berth::scheduler
