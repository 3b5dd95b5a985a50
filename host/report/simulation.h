// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The result of a simulation, as tables and as one object.

#include "model/decision.h"
#include "model/input_report.h"
#include "model/node.h"
#include "model/pod.h"
#include "report/device_use.h"
#include "report/pending.h"
#include "report/shadow.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::report {

/// A node at the end.
struct NodeUse {
    model::NodePtr node;
    std::int64_t cpu = 0, memory = 0;  ///< requested by its pods: milli-CPU, bytes
    std::uint64_t pods = 0;
    std::map<std::string, std::int64_t> scalars;  ///< requested, by name
};

/// A Kubernetes Event that a plugin wrote.
struct WrittenEvent {
    std::int64_t time_ns = 0;
    bool warning = false;
    std::string reason, action, note, controller;
    std::string kind, name_space, name;  ///< of the object that it is about
};

/// Something that a scenario expects, and what is instead.
struct ExpectationResult {
    std::string time, expected, found, where;
    bool holds = false;
};

struct Simulation {
    std::string scenario;  ///< its name; empty: a cluster as it stood
    std::vector<ExpectationResult> expectations;
    std::vector<std::string> profiles;
    std::uint64_t seed = 0;
    std::string kubernetes_version;  ///< that is decided as: "1.36"
    std::uint64_t placed_before = 0, finished_pods = 0, other_scheduler = 0, attempts = 0;
    std::uint64_t without_node = 0;  ///< pods on nodes that are not there
    std::uint64_t deleted_pods = 0;  ///< pending ones that are being deleted: nothing is decided about them
    std::uint64_t evicted_pods = 0;  ///< had a node, and was preempted or evicted
    std::vector<NodeUse> nodes;
    std::vector<DeviceUse> devices;           ///< those of ResourceSlices
    std::set<std::string> requested_scalars;  ///< scalars that a pod asks for, placed or not
    std::vector<model::PodPtr> placements;    ///< made by this run, in the order of the decisions
    std::vector<PendingPod> pending;          ///< in the order of the queue
    std::vector<model::Decision> decisions;   ///< kept only for -o json|yaml
    std::vector<WrittenEvent> events;         ///< of plugins, in the order in which they came
    std::vector<std::string> warnings;
    std::optional<ShadowReport> shadow;
    model::InputReport input;

    std::uint64_t pods_without_place() const { return pending.size() + without_node; }
};

/// Tables. Long lists are cut unless `all`. `advise` says what would make pending pods fit.
std::string to_text(const Simulation &simulation, bool all, const Advise &advise = {});

/// `{apiVersion: berth/v1alpha1, kind: SimulationResult, …}`.
model::TreePtr to_tree(const Simulation &simulation, model::Detail detail);

}  // namespace berth::report
