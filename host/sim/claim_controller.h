// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What kube-controller-manager does about the ResourceClaims of pods that have ended: at once, in no time.
/// (kubernetes v1.36.3, pkg/controller/resourceclaim, and the garbage collector.)
///
/// - A pod that has ended, is gone, or was deleted before it had a node uses no claim any more. A claim that nobody
/// uses
///   loses its devices.
/// - A claim that was made for a pod goes with it.
///
/// Not simulated: making claims from templates.

#include "sim/store.h"

#include <set>

namespace berth::sim {

class ClaimController {
    Store &store_;
    /// Claims, as "namespace/name", by the uid of each pod that uses or owns them.
    std::map<std::string, std::set<std::string>, std::less<>> claims_of_;

public:
    /// The store outlives it.
    explicit ClaimController(Store &store) : store_(store) {}

    /// Looks at the pods of the input that have ended, and from then on at each change. A pod that the input lacks may
    /// be one that its maker left out: its claims stay. Nothing where no plugin watches claims.
    void start();

private:
    void changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after);
    void file(model::Value before, model::Value after);
    /// No claim is used by, or is for, that pod any more.
    void pod_ended(model::Value pod);
    void release(const std::string &claim_key, std::string_view pod_uid);
};

}  // namespace berth::sim
