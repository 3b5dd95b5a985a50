// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Assume, Reserve and Permit, and their undoing (upstream: assumeAndReserve; v1.36.3, schedule_one.go).

#include "bind/placement.h"

namespace berth::bind {

/// The cache counts the pod on its node as long as this lives. Unless it was committed, its destructor undoes
/// everything: it calls Unreserve of all Reserve plugins in reverse order, also of those that were not reached, then
/// the cache forgets the pod. Loop only, and not during a search on the snapshot.
class Reservation {
    Placement *placement_;
    cluster::Cache *cache_;

public:
    /// Assumes the pod in the cache. Both outlive it.
    Reservation(Placement &placement, cluster::Cache &cache);
    ~Reservation();
    Reservation(const Reservation &) = delete;
    Reservation &operator=(const Reservation &) = delete;

    /// Runs the Reserve plugins until one does not succeed: its rejection, or its failure as a complete text.
    /// `nodes` is the snapshot in which the node was chosen.
    model::Status reserve(const berth_nodes &nodes);
    void commit() { cache_ = nullptr; }
};

/// The answer of all Permit plugins: success, success with waits, a rejection, or a failure as a complete text.
struct PermitAnswer {
    struct Wait {
        const plugin::Instance *instance;
        std::int64_t timeout_ns;
    };
    model::Status status;
    std::vector<Wait> waits;
};

/// Runs the Permit plugins. A pod waits at most 15 minutes for each.
PermitAnswer permit(Placement &placement, const berth_nodes &nodes);

/// A failure in the words of upstream: `running Reserve plugin "X": …`. A rejection is passed on in the plugin's name.
model::Status rejection_or_failure(std::string_view point, const plugin::Instance &instance, model::Status status);

}  // namespace berth::bind
