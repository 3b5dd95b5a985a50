// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The PersistentVolumes of the cluster, by name and by class.

#include "storage_objects.h"
#include "volume_node_affinity.h"

#include <berth/quantity.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kubernetes {

/// The claim that a volume is meant for.
struct ClaimRef {
    std::string name_space, name, uid;  ///< uid may be empty: any claim of that name
};

inline berth::Quantity storage_of(berth::Value resources) {
    return berth::Quantity::read(resources["storage"]).value_or(berth::Quantity{});
}
/// The mode of a volume, or the one that a claim asks for.
inline std::string_view mode_of(berth::Value spec) {
    auto mode = spec["volumeMode"].string();
    return mode.empty() ? std::string_view("Filesystem") : mode;
}

/// A PersistentVolume, read once for all pods that look at it.
struct Volume {
    std::string name, version, storage_class, mode, attributes_class;
    std::string named_class;  ///< in its spec: an annotation may say another
    bool available = false, deleted = false;
    std::optional<ClaimRef> claim;
    berth::Quantity capacity;
    std::vector<std::string> access;
    std::vector<std::pair<std::string, std::string>> labels;  ///< sorted by key
    VolumeNodeAffinity affinity;
    const InTreeVolume *migrates = nullptr;  ///< to a CSI driver, on nodes that say so
    VolumeNodeAffinity migrated;             ///< the affinity there
    std::string migration_fault;             ///< why there is none

    static std::shared_ptr<const Volume> read(const berth::Object &object) {
        auto v = std::make_shared<Volume>();
        auto meta = object.meta();
        auto spec = object.at("/spec");
        v->name = berth::view(meta.name);
        v->version = berth::view(meta.resource_version);
        v->storage_class = storage_class_of(object);
        v->named_class = spec["storageClassName"].string();
        v->mode = mode_of(spec);
        v->attributes_class = spec["volumeAttributesClassName"].string();
        v->available = object.at("/status/phase").string() == "Available";
        v->deleted = !object.at("/metadata/deletionTimestamp").is_null();
        if (auto c = spec["claimRef"]; !c.is_null())
            v->claim = ClaimRef{std::string(c["namespace"].string()), std::string(c["name"].string()),
                                std::string(c["uid"].string())};
        v->capacity = storage_of(spec["capacity"]);
        auto modes = spec["accessModes"];
        for (std::size_t i = 0; i < modes.size(); ++i) v->access.emplace_back(modes.at(i).string());
        for (const auto &l : object.labels()) v->labels.emplace_back(berth::view(l.key), berth::view(l.value));
        v->affinity = VolumeNodeAffinity::read(spec);
        if (const auto *kind = in_tree_volume(spec); kind && kind->counted && spec["csi"].is_null()) {
            auto of_volume = object.at("/metadata/labels");
            v->migrates = kind;
            v->migration_fault = volume_handle(*kind, spec, of_volume).fault;
            v->migrated = kind->topology.empty() ? v->affinity : v->affinity.translated(kind->topology, of_volume);
        }
        return v;
    }
};
using VolumePtr = std::shared_ptr<const Volume>;

/// Every PersistentVolume by name and by class. Changed on the loop, between cycles.
class VolumeTable {
    std::map<std::string, VolumePtr, std::less<>> by_name_;
    std::map<std::string, std::set<std::string>, std::less<>> by_class_;

    void forget(std::string_view name) {
        auto at = by_name_.find(name);
        if (at == by_name_.end()) return;
        by_class_[at->second->storage_class].erase(at->first);
        by_name_.erase(at);
    }

public:
    void changed(const berth::Object &before, const berth::Object &after) {
        if (before) forget(before.name());
        if (!after) return;
        auto volume = Volume::read(after);
        forget(volume->name);
        by_class_[volume->storage_class].insert(volume->name);
        by_name_[volume->name] = std::move(volume);
    }
    VolumePtr find(std::string_view name) const {
        auto at = by_name_.find(name);
        return at == by_name_.end() ? nullptr : at->second;
    }
    /// Calls fn(VolumePtr) for each volume of a class, by name.
    template <class Fn>
    void each_of(std::string_view storage_class, Fn &&fn) const {
        auto at = by_class_.find(storage_class);
        if (at == by_class_.end()) return;
        for (const auto &name : at->second) fn(by_name_.find(name)->second);
    }
};

/// Has the driver of the volume taken over on the node? `csi_node` may be false.
inline bool migrated_on(const Volume &volume, const berth::Object &csi_node) {
    if (!volume.migrates || !csi_node) return false;
    auto list = annotation(csi_node, "storage.alpha.kubernetes.io/migrated-plugins").value_or("");
    for (;;) {
        auto end = list.find(',');
        if (list.substr(0, end) == volume.migrates->plugin) return true;
        if (end == std::string_view::npos) return false;
        list.remove_prefix(end + 1);
    }
}

/// Can the volume be reached from a node with these labels? A fault is an error of upstream's.
struct Reach {
    bool reached = false;
    std::string fault;
};
inline Reach reach(const Volume &volume, const berth::Object &csi_node, Labels labels) {
    if (!migrated_on(volume, csi_node)) return {volume.affinity.matches(labels), {}};
    if (!volume.migration_fault.empty()) return {false, "could not translate pv: " + volume.migration_fault};
    return {volume.migrated.matches(labels), {}};
}

}  // namespace kubernetes
