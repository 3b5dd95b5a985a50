// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "claim_reservation.h"
#include "volume_node_affinity.h"

#include <atomic>
#include <stdexcept>

namespace kubernetes {

/// An allocated claim of a pod, and the nodes that its devices can be used from.
struct ClaimOnNodes {
    ClaimReservation::Claim claim;
    std::optional<std::vector<NodeTerm>> nodes;  ///< where its devices are; absent: everywhere
    bool unusable = false;                       ///< its devices cannot be attached
    std::atomic<bool> unavailable = false;       ///< on some node, as Filter saw

    static std::unique_ptr<ClaimOnNodes> read(const berth::Object &claim, berth::Pod pod, std::int64_t now_ns,
                                              std::int64_t timeout_ns) {
        auto out = std::make_unique<ClaimOnNodes>();
        out->claim = {std::string(claim.name_space()), std::string(claim.name()), std::string(claim.uid()),
                      reserved_for(claim, pod.uid())};
        if (auto selector = claim.at("/status/allocation/nodeSelector"); !selector.is_null()) {
            out->nodes = parse_selector(selector, "");
            if (auto faults = faults_of(*out->nodes); !faults.empty()) throw std::runtime_error(faults);
        }
        auto devices = DeviceConditions::of(claim, now_ns, timeout_ns);
        out->unusable = !devices.fault.empty() || (!devices.ready && devices.timed_out);
        return out;
    }

    bool reaches(Labels labels, std::string_view node) const {
        return !nodes || std::any_of(nodes->begin(), nodes->end(),
                                     [&](const NodeTerm &t) { return matches_term(t, labels, node); });
    }
};

}  // namespace kubernetes
