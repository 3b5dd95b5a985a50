// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods with ResourceClaims in a running world.

#include "storage_world.h"

namespace claims_world {

using namespace storage_world;

inline const std::string allocation = "allocation: {devices: {results: [{request: r, driver: d, pool: p, device: g}]}";

inline sim::InputObject resource_claim(const std::string &name, const std::string &status, const std::string &meta = "",
                                       const std::string &request = "exactly: {deviceClassName: gpus}") {
    return object("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {" + meta +
                  " namespace: default, name: " + name + ", uid: u-" + name +
                  "}, spec: {devices: {requests: [{name: r, " + request + "}]}}, status: {" + status + "}}");
}
inline sim::InputObject device_class(const std::string &name, const std::string &spec = "") {
    return object("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: " + name + "}, spec: {" + spec +
                  "}}");
}
/// Pod `name` with one entry of spec.resourceClaims, or several.
inline model::PodPtr claiming(const std::string &claim = "resourceClaimName: c", const std::string &status = "",
                              const std::string &name = "p") {
    return pod(name, "uid: p-" + name + ",", "resourceClaims: [{name: x, " + claim + "}],",
               ", status: {resourceClaimStatuses: [" + status + "]}");
}

inline const std::string claims = "resourceclaims", status_of_claims = "resourceclaims/status";
inline constexpr std::int64_t second = 1'000'000'000;

/// A world whose pods have claims.
struct ClaimsWorld : Storage {
    using Storage::Storage;

    static model::Kind kind() { return model::kind_of("resource.k8s.io", "v1", claims); }
    model::TreePtr claim(const std::string &name = "c") const {
        return world->world().store().find(kind(), "default/" + name);
    }
    /// Who has reserved the claim: "uid uid".
    std::string users(const std::string &name = "c") const {
        const auto tree = claim(name);
        const auto list = tree->value()["status"]["reservedFor"];
        std::string all;
        for (std::size_t i = 0; i < list.size(); ++i) all.append(i == 0 ? "" : " ").append(list.at(i)["uid"].string());
        return all;
    }
    Texts failures() const { return Storage::failures("DynamicResources"); }
};

}  // namespace claims_world
