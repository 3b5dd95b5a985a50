// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The result of a dry run: the decision about a pod without effects.

#include "model/decision.h"

#include <string>
#include <vector>

namespace berth::model {

/// The decision that a scheduling attempt would reach now. Nothing in the cluster or the queue changes.
struct DryRun {
    Decision decision;
    /// Plugins and extenders that a real attempt would call next and a dry run does not: "PostFilter of X".
    std::vector<std::string> not_called;
};

}  // namespace berth::model
