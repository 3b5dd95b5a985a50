// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of objects behind an event registration for all resources (upstream: UnrollWildCardResource). Upstream has
/// them in framework/types.go.

#include <array>

namespace berth::plugin {

/// What a plugin waits for that does not say so (framework/runtime/framework.go, fillEnqueueExtensions), beside the
/// kinds that it declares, and what a pod waits for that an extender rejected; as far as objects of that kind are
/// watched.
inline constexpr std::array usual_resources{"Pod",
                                            "Node",
                                            "PersistentVolume",
                                            "PersistentVolumeClaim",
                                            "storage.k8s.io/CSINode",
                                            "storage.k8s.io/CSIDriver",
                                            "storage.k8s.io/CSIStorageCapacity",
                                            "storage.k8s.io/StorageClass",
                                            "resource.k8s.io/ResourceClaim",
                                            "resource.k8s.io/DeviceClass"};

}  // namespace berth::plugin
