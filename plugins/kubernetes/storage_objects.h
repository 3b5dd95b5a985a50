// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Helpers of the volume plugins: claims, storage classes, error texts.

#include <berth/plugin.hpp>

#include <optional>
#include <string>

namespace kubernetes {

/// What a lister says of an object that is not there; of the core group by the singular alone, else with the group.
inline std::string not_found(std::string_view resource, std::string_view name) {
    return std::string(resource) + " " + berth::json_quote(name) + " not found";
}
inline std::string claim_not_found(std::string_view name) { return not_found("persistentvolumeclaim", name); }

/// As messages name an object with a namespace.
inline std::string full_name(std::string_view name_space, std::string_view name) {
    return std::string(name_space) + "/" + std::string(name);
}

inline std::optional<std::string_view> annotation(const berth::Object &object, std::string_view key) {
    auto v = object.at("/metadata/annotations")[key];
    return v.is_string() ? std::optional(v.string()) : std::nullopt;
}

constexpr std::string_view bind_completed = "pv.kubernetes.io/bind-completed";
constexpr std::string_view bound_by_controller = "pv.kubernetes.io/bound-by-controller";
constexpr std::string_view selected_node = "volume.kubernetes.io/selected-node";

/// The name of the StorageClass of a claim or of a volume: the old annotation first, "" if there is none.
inline std::string_view storage_class_of(const berth::Object &object) {
    if (auto old = annotation(object, "volume.beta.kubernetes.io/storage-class")) return *old;
    return object.at("/spec/storageClassName").string();
}

/// Whether claims of the class are bound only when a pod needs them. The API server fills in Immediate where a class
/// says nothing; a file may not.
inline bool waits_for_pods(const berth::Object &storage_class) {
    return storage_class.at("/volumeBindingMode").string() == "WaitForFirstConsumer";
}

/// Whether the claim has a volume, and both sides know it.
inline bool fully_bound(const berth::Object &claim) {
    return !claim.at("/spec/volumeName").string().empty() && annotation(claim, bind_completed);
}

/// The owner of an object or pod that controls it; false if none does.
template <class T>
berth::Value controller_of(const T &object) {
    auto owners = object.at("/metadata/ownerReferences");
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners.at(i)["controller"].is_true()) return owners.at(i);
    return {};
}

/// Whether `object` says that `pod` is its controller.
inline bool controlled_by(const berth::Object &object, const berth::Pod &pod) {
    const auto owner = controller_of(object);
    return owner && owner["uid"].string() == pod.uid();
}

/// The claim of a generic ephemeral volume must have been made for the pod: what is wrong if it was not, else "".
inline std::string not_made_for(const berth::Object &claim, const berth::Pod &pod) {
    if (controlled_by(claim, pod)) return {};
    return "PVC " + full_name(claim.name_space(), claim.name()) + " was not created for pod " +
           full_name(pod.name_space(), pod.name()) + " (pod is not owner)";
}

/// A volume of a pod that stands for a claim.
struct ClaimOfPod {
    std::string name;
    bool ephemeral = false;
};

/// The claim behind one entry of spec.volumes, if there is one.
inline std::optional<ClaimOfPod> claim_behind(const berth::Pod &pod, berth::Value volume) {
    if (auto claim = volume["persistentVolumeClaim"]; !claim.is_null())
        return ClaimOfPod{std::string(claim["claimName"].string()), false};
    if (!volume["ephemeral"].is_null())
        return ClaimOfPod{std::string(pod.name()) + "-" + std::string(volume["name"].string()), true};
    return std::nullopt;
}

/// Whether the pod names this claim (`ephemeral`: or has an ephemeral volume that makes it).
inline bool uses_claim(const berth::Pod &pod, const berth::Object &claim, bool ephemeral) {
    if (claim.name_space() != pod.name_space()) return false;
    auto volumes = pod.at("/spec/volumes");
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        auto c = claim_behind(pod, volumes.at(i));
        if (c && (ephemeral || !c->ephemeral) && c->name == claim.name()) return true;
    }
    return false;
}

}  // namespace kubernetes
