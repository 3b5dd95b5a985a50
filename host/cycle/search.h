// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The input and the result of one search for a node (upstream: ScheduleResult, Diagnosis).

#include "cluster/cache.h"
#include "cluster/nominations.h"
#include "model/decision.h"
#include "plugin/call.h"
#include "plugin/profile.h"

namespace berth::cycle {

/// One pod, one snapshot. Everything outlives the search.
struct Search {
    const plugin::Profile &profile;
    const berth_pod &pod;
    plugin::State &state;
    plugin::CallContext &call;
    const berth_nodes &nodes;
    // The cache of the snapshot `nodes`, and the pods nominated to its nodes.
    cluster::Cache &cache;
    const cluster::Nominations &nominations;
};

/// The plugins of a search: those with Filter, and those whose PreFilter has extensions (AddPod, RemovePod).
struct Participants {
    std::vector<const plugin::Instance *> filters, extensions;
};

enum class Ending {
    Chosen,   ///< a node was found
    Unfit,    ///< no node fits (upstream's FitError)
    NoNodes,  ///< there is no node at all
    Failed,   ///< something broke: a plugin failed or misbehaved
};

/// The plugins that have to change their mind before another attempt makes sense; each once.
struct Rejectors {
    std::vector<const plugin::Instance *> unschedulable;  ///< all that rejected, the pending ones included
    std::vector<const plugin::Instance *> pending;        ///< those that wait for another component to act

    void add(const plugin::Instance *instance, std::int32_t code);
    void clear();
    bool empty() const { return unschedulable.empty() && pending.empty(); }
    std::vector<std::string> names() const;  ///< of all of them, sorted
};

struct ScheduleResult {
    Ending ending = Ending::Failed;
    std::uint32_t slot = BERTH_NO_SLOT;  ///< Chosen: the node
    std::uint32_t evaluated = 0, feasible = 0;
    std::uint32_t start_index = 0;             ///< index in the visiting order at which the search began
    std::string_view phase;                    ///< the extension point that ended it, unless Chosen
    std::string message;                       ///< of the pod's condition, unless Chosen
    Rejectors rejectors;                       ///< Unfit: empty only if no plugin rejected the pod
    std::vector<model::Rejection> rejections;  ///< of nodes, the most frequent one first
};

/// What is wrong with an answer that is neither a success nor a rejection: its message, or its code if it has none.
std::string failure_text(const model::Status &status);

}  // namespace berth::cycle
