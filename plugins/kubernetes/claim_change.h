// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an event about a ResourceClaim says to the pods that wait for claims.

#include "named_claims.h"
#include "pod_resource_claims.h"

namespace kubernetes {

/// A change of a ResourceClaim. Every pod that waits for claims is asked about it, so it is read once for all of them.
class ClaimChange {
    berth::KeptObject kept_before_, kept_after_;  ///< so that no other object gets their addresses
    bool was_allocated_, is_allocated_;
    std::string_view name_space_, name_, owner_;  ///< of the claim that there is now; the uid of what controls it
    std::size_t place_ = 0;                       ///< among NamedClaims

public:
    ClaimChange(const berth::Host &host, const berth::Object &before, const berth::Object &after)
        : kept_before_(host, before.raw()),
          kept_after_(host, after.raw()),
          was_allocated_(before && is_allocated(before)),
          is_allocated_(after && is_allocated(after)) {
        if (!after) return;
        name_space_ = after.name_space();
        name_ = after.name();
        place_ = NamedClaims::place(name_space_, name_);
        if (const auto owner = controller_of(after)) owner_ = owner["uid"].string();
    }

    bool is(const berth::Object &before, const berth::Object &after) const {
        return kept_before_.raw() == before.raw() && kept_after_.raw() == after.raw();
    }
    /// Its devices are free again.
    bool given_back() const { return was_allocated_ && !is_allocated_; }
    /// Whether the claim can be among PodResourceClaims::of() the pod without a fault. Cheap. `named` has what the pod
    /// names.
    bool may_be_of(berth::Pod pod, const NamedClaims &named) const {
        if (pod.name_space() != name_space_) return false;
        return pod.uid() == owner_ || (named.may_have(place_) && PodResourceClaims::names(pod, name_));
    }
};

}  // namespace kubernetes
