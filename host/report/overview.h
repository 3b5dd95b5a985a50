// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about nodes and waiting pods, as JSON (docs/explain.md).

#include "model/scheduling_state.h"
#include "report/decision_ring.h"
#include "report/explanation.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// The nodes as columns: entry i of each is of node i.
struct NodeColumns {
    struct Resource {
        std::string name;  ///< "cpu" in milli-CPU, what is bytes in bytes
        std::vector<std::int64_t> allocatable, requested;
    };
    Answerer by;
    std::vector<std::string> names;
    std::vector<std::string> zones;     ///< "region/zone"; "": nodes that say nothing of it
    std::vector<std::uint32_t> zone;    ///< index into zones
    std::vector<std::uint32_t> closed;  ///< indices of nodes that take no new pods
    std::vector<Resource> resources;
};

/// A node and what is on it.
struct NodePods {
    struct Pod {
        model::PodRef pod;
        std::string profile;  ///< the schedulerName that it asks for
        std::int32_t priority = 0;
        std::int64_t cpu = 0, memory = 0;  ///< milli-CPU, bytes
        std::vector<std::pair<std::string, std::int64_t>> scalars;
        bool assumed = false, terminating = false;
    };
    Answerer by;
    std::string name, zone;
    bool closed = false;
    std::vector<std::string> taints;  ///< "key=value:Effect"
    std::vector<Pod> pods;            ///< in the order in which they came
};

/// The pods that wait, those first that have waited longest.
struct Waiting {
    Answerer by;
    std::size_t active = 0, backing_off = 0, unschedulable = 0, gated = 0;
    std::vector<model::SchedulingState> pods;  ///< without what wakes them
    std::size_t omitted = 0;
    DecisionRing::Entries decisions;
    /// What wakes pods that a plugin rejected, by its name; once for all of them.
    std::vector<model::Waking> wakes;
};

/// `kind: NodeColumns`.
std::string json(const NodeColumns &nodes);
/// `kind: NodePods`.
std::string json(const NodePods &node);
/// `kind: WaitingPods`; each with the last decision about it, if that is among those.
std::string json(const Waiting &waiting);

}  // namespace berth::report
