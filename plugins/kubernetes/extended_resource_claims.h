// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ResourceClaims that schedulers have made for pods' extended resources, by pod.

#include "pod_resource_claims.h"
#include "text_hash.h"

#include <set>
#include <unordered_map>

namespace kubernetes {

/// Thread: loop.
class ExtendedResourceClaims {
    const berth::Host &host_;
    berth::Kind kind_;
    /// By the uid of the pod: namespace and name.
    std::unordered_map<std::string, std::set<std::pair<std::string, std::string>>, TextHash, std::equal_to<>> by_pod_;
    bool read_ = false;

    void put(const berth::Object &claim) {
        if (auto pod = pod_of(claim); !pod.empty()) by_pod_[std::string(pod)].emplace(claim.name_space(), claim.name());
    }
    void remove(const berth::Object &claim) {
        auto at = by_pod_.find(pod_of(claim));
        if (at == by_pod_.end()) return;
        at->second.erase({std::string(claim.name_space()), std::string(claim.name())});
        if (at->second.empty()) by_pod_.erase(at);
    }

public:
    ExtendedResourceClaims(const berth::Host &host, berth::Kind kind) : host_(host), kind_(kind) {
        host.subscribe(kind, [this](const berth::Object &before, const berth::Object &after) {
            if (!read_) return;
            if (before) remove(before);
            if (after) put(after);
        });
    }
    ExtendedResourceClaims(const ExtendedResourceClaims &) = delete;
    ExtendedResourceClaims &operator=(const ExtendedResourceClaims &) = delete;

    static constexpr std::string_view mark = "resource.kubernetes.io/extended-resource-claim";

    /// The uid of the pod that the claim was made for; empty if it is a claim like others.
    static std::string_view pod_of(const berth::Object &claim) {
        if (annotation(claim, mark) != "true") return {};
        return controller_of(claim)["uid"].string();
    }

    /// The first of the pod's claims, by name; one that is not there is false.
    berth::Object find(berth::Pod pod) {
        if (!read_) host_.each(kind_, "", [this](const berth::Object &claim) { put(claim); });
        read_ = true;
        auto at = by_pod_.find(pod.uid());
        if (at == by_pod_.end()) return {};
        for (const auto &[name_space, name] : at->second) {
            if (name_space != pod.name_space()) continue;
            if (auto claim = host_.get(kind_, name_space, name)) return claim;
        }
        return {};
    }
};

}  // namespace kubernetes
