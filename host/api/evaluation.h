// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an attempt to schedule a pod would come to now, for an answer about the pod.

#include "report/explanation.h"
#include "scheduler/scheduler.h"

namespace berth::api {

/// Whether an answer says how long each plugin took, in real time.
enum class Times : bool { None, Measured };

/// Evaluates the pod, and what would make it fit. Between two scheduling cycles; loop only.
void evaluate(Scheduler &scheduler, const model::PodPtr &pod, Times times, report::Explanation &out);
/// Adds the pod's state and its evaluation; of a pod with a node, that of one more pod like it. The same rules.
void add_present(Scheduler &scheduler, const model::PodPtr &pod, Times times, report::Explanation &out);

}  // namespace berth::api
