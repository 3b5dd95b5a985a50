// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth simulate --without-nodes`: the removal of nodes from a cluster's input.

#include "model/result.h"
#include "sim/input.h"

#include <span>
#include <string>

namespace berth::offline {

/// Takes the nodes out of the input. Their pods of `profiles` wait for another node; those of DaemonSets, of kubelets
/// and of other schedulers, and those that are being deleted, go with their node. The error is a node that there is
/// not.
model::Result<void> take_nodes_away(sim::Input &input, std::span<const std::string> names,
                                    std::span<const std::string> profiles);

}  // namespace berth::offline
