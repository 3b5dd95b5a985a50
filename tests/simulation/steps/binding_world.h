// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods whose volumes are bound while the API server has its faults.

#include "storage_world.h"

namespace binding_world {

using namespace storage_world;

inline const std::string volumes = "persistentvolumes", claims = "persistentvolumeclaims";
inline const std::string csi = "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,";
inline const std::string of_k = "accessModes: [ReadWriteOnce], storageClassName: k,";
inline const std::string version = "resourceVersion: '7',";
inline constexpr std::int64_t second = 1'000'000'000;

/// Two nodes, and a pod that comes once the faults of the API server are arranged.
struct Binding : Storage {
    explicit Binding(std::vector<sim::InputObject> objects, const std::string &plugins = "")
        : Storage({labelled("n", "disk: ssd"), labelled("m", "disk: hdd")}, {}, std::move(objects), plugins) {}

    void add(const std::string &list, const std::string &name = "p", const std::string &spec = "") {
        CHECK(world->world().store().put(sim::pod_kind, *with_volumes(name, list, spec)->tree));
    }
    void remove(const std::string &resource, const std::string &key) {
        world->world().store().remove(model::kind_of("", "v1", resource), key);
    }
    model::TreePtr stored(const std::string &resource, const std::string &key) const {
        return world->world().store().find(model::kind_of("", "v1", resource), key);
    }
    std::string claim_of(const std::string &volume) const {
        return std::string(stored(volumes, volume)->value()["spec"]["claimRef"]["name"].string());
    }
    Texts failures() const { return Storage::failures("VolumeBinding"); }
};

inline sim::InputObject class_of(const std::string &provisioner = "kubernetes.io/no-provisioner") {
    return storage_class("k", "WaitForFirstConsumer", provisioner);
}
inline const sim::InputObject made = class_of("a.csi.example.com");
inline const std::string on_ssd =
    "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, "
    "values: [ssd]}]}]}},";

}  // namespace binding_world
