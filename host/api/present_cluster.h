// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of a scheduler's cluster at one moment, to be simulated elsewhere.

#include "config/configuration.h"
#include "model/any_object.h"
#include "model/node.h"
#include "scheduler/scheduler.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

/// Shares the objects. Any thread may have one.
struct PresentCluster {
    std::vector<model::NodePtr> nodes;
    std::vector<model::PodPtr> placed;   ///< those that are being bound too
    std::vector<model::PodPtr> waiting;  ///< for a node, of the scheduler's profiles
    std::vector<std::pair<model::Kind, model::AnyPtr>> objects;
};

/// On the loop, between cycles. It takes no longer than there are objects, and copies none.
PresentCluster present_cluster(Scheduler &scheduler);

enum class Placing { Pending, All };

/// Writes it piece by piece as a List, as `kubectl get -o json` prints it. With Placing::All the pods of the
/// configuration's profiles have no node any more, except those that are ending or that a kubelet made by itself.
void write_cluster(const PresentCluster &cluster, const config::Configuration &configuration, Placing placing,
                   const std::function<void(std::string_view)> &write);

}  // namespace berth::api
