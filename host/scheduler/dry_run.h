// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What would come of a pod.

#include "cycle/cycle.h"

namespace berth {

/// How many nodes a search looked at, and why they were rejected.
void take_counts(model::Decision &decision, const cycle::Outcome &outcome);

/// Asks the plugins of the search's profile, PreEnqueue to Score, and fills in the decision but for who and when; its
/// preFilter and nodes with `tables`. Whether no node fits, so that PostFilter would come next. The cycle has no
/// extenders.
bool rehearse(cycle::Cycle &cycle, const cycle::Search &search, bool tables, model::Decision &decision);

}  // namespace berth
