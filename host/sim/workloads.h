// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Workload objects (Deployment, Job, DaemonSet, …), turned into the pods of their controllers.
///
/// Deployment, ReplicaSet, StatefulSet: `replicas` pods. Job: `parallelism` pods, at most what `completions` leaves.
/// DaemonSet: one pod for each node that its template's node name, node selector, required node affinity and
/// tolerations allow, bound to that node by affinity as the real controller does. Pods that a workload already owns in
/// the input count against it, so that a full dump does not double them; a ReplicaSet owned by a Deployment of the
/// input stands for it. A created pod is called after its workload with a number, and is as old as it.

#include "model/node.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace berth::sim {

/// A workload as read, with its position.
struct Workload {
    model::TreePtr tree;
    std::string where;
};

/// Is this apiVersion and kind one that `expand` knows?
bool is_workload(std::string_view api_version, std::string_view kind);

/// "Deployment default/web"
std::string identity(const Workload &workload);
/// The same of the controller that an object says it belongs to, or "".
std::string owner_of(model::Value object);

/// Reports a fault: where, and what.
using WorkloadFault = std::function<void(const std::string &where, const std::string &text)>;

/// The trees of the pods that are missing. `pods` are those of the input.
std::vector<model::TreePtr> expand(const std::vector<Workload> &workloads, std::span<const model::PodPtr> pods,
                                   std::span<const model::NodePtr> nodes, const WorkloadFault &fault);

}  // namespace berth::sim
