// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A ResourceClaim of a pod, and the nodes from which its devices can be used.

#include "claim_reservation.h"
#include "devices/request.h"
#include "volume_node_affinity.h"

#include <atomic>
#include <stdexcept>

namespace kubernetes {

struct ClaimOnNodes {
    ClaimReservation::Claim claim;
    std::optional<berth::KeptObject> object;     ///< which `wanted` reads
    std::optional<devices::Claim> wanted;        ///< it has no devices yet
    std::int64_t score = 0;                      ///< of the devices that it has
    std::optional<std::vector<NodeTerm>> nodes;  ///< where its devices are; absent: everywhere
    bool unusable = false;                       ///< its devices cannot be attached
    bool skips_operations = false;               ///< of the node, for some of its devices
    std::atomic<bool> unavailable = false;       ///< on some node, as Filter saw

    static std::unique_ptr<ClaimOnNodes> read(const berth::Host &host, const berth::Object &claim, berth::Pod pod,
                                              std::int64_t timeout_ns) {
        auto out = std::make_unique<ClaimOnNodes>();
        out->claim = {std::string(claim.name_space()), std::string(claim.name()), std::string(claim.uid()),
                      reserved_for(claim, pod.uid()), nullptr};
        if (!is_allocated(claim)) {
            out->object.emplace(host, claim.raw());
            out->wanted = devices::Claim::read(claim.name_space(), claim.name(), claim.at("/spec"));
            return out;
        }
        out->score = score_of(claim);
        if (auto selector = claim.at("/status/allocation/nodeSelector"); !selector.is_null()) {
            out->nodes = berth::parse_node_selector(selector, "");
            if (auto faults = berth::faults_of(*out->nodes); !faults.empty()) throw std::runtime_error(faults);
        }
        auto devices = DeviceConditions::of(claim, host.now_ns(), timeout_ns);
        auto results = claim.at("/status/allocation/devices/results");
        for (std::size_t i = 0; i < results.size(); ++i)
            out->skips_operations = out->skips_operations || results.at(i)["skipNodeOperations"].size() > 0;
        out->unusable = !devices.fault.empty() || (!devices.ready && devices.timed_out);
        return out;
    }

    /// How early in its requests' lists the alternatives are that an allocated claim got (computeScore).
    static std::int64_t score_of(const berth::Object &claim) {
        auto requests = claim.at("/spec/devices/requests");
        auto results = claim.at("/status/allocation/devices/results");
        auto allocated = [&](const std::string &name) {
            for (std::size_t i = 0; i < results.size(); ++i)
                if (results.at(i)["request"].string() == name) return true;
            return false;
        };
        std::int64_t out = 0;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            auto list = requests.at(i)["firstAvailable"];
            for (std::size_t k = 0; requests.at(i)["exactly"].is_null() && k < list.size(); ++k)
                if (allocated(full_name(requests.at(i)["name"].string(), list.at(k)["name"].string())))
                    out += score_of_place(k);
        }
        return out;
    }
    static std::int64_t score_of_place(std::size_t alternative) {
        constexpr std::int64_t alternatives_at_most = 8;  // of a request, as the API allows
        return alternatives_at_most - static_cast<std::int64_t>(alternative);
    }

    bool reaches(Labels labels, std::string_view node) const {
        return !nodes || std::any_of(nodes->begin(), nodes->end(),
                                     [&](const NodeTerm &t) { return berth::matches_term(t, labels, node); });
    }
};

}  // namespace kubernetes
