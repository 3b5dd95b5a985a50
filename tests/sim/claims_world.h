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

}  // namespace claims_world
