// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The dry run of a pod's attempt, for `berth explain`: PreEnqueue to Score, without effects.

#include "model/dry_run.h"
#include "model/remedy.h"
#include "scheduler/profile_swap.h"

#include <cstdint>
#include <vector>

namespace berth::scheduler {

/// What an attempt to place a pod would come to now: PreEnqueue to Score as in an attempt, with the same random
/// numbers, without consequences. Between two scheduling cycles; loop only.
class PodDryRuns {
public:
    PodDryRuns(Core &core, ProfileSwap &swap) : core_(core), swap_(swap) {}

    /// The decision that it would reach. Extenders are not called. `times` may count the calls.
    model::DryRun run(const model::PodPtr &pod, plugin::Meter *times = nullptr);
    /// The same with the shadow's profiles.
    model::DryRun run_shadow(const model::PodPtr &pod);
    /// The smallest changes that would make the pod fit, at most three, the smallest first (cycle/remedies.h).
    /// `decision` is that of a dry run in the same turn of the loop, in which no node fit.
    std::vector<model::Remedy> remedies(const model::PodPtr &pod, const model::Decision &decision);

private:
    berth_pod view_of_next(const model::Pod &pod) const;
    model::DryRun run_by(const model::PodPtr &pod, const Generation *by, plugin::Meter *times);

    Core &core_;
    ProfileSwap &swap_;
    std::uint64_t runs_ = 0;
};

}  // namespace berth::scheduler
