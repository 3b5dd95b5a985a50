// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CSI migration: in-tree volumes (EBS, GCE PD, Azure disk, …) and their volume handles.

#include <berth/plugin.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace kubernetes {

/// A kind of volume that was once built into Kubernetes and is now served by a CSI driver
/// (csi-translation-lib/plugins).
struct InTreeVolume {
    std::string_view source;  ///< the field of a pod's volume, and of a PersistentVolume's spec
    std::string_view plugin;  ///< the old name, as StorageClass.provisioner may say it
    std::string_view driver;
    std::string_view topology;  ///< the driver's label for a node's zone; empty if zones are not translated
    bool counted;               ///< the scheduler takes it for the driver's
};

inline constexpr std::array<InTreeVolume, 7> in_tree_volumes{{
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone", true},
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone", true},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone", true},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", "", true},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", "", true},
    {"azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", "", false},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", false},
}};

/// What kind of in-tree volume a pod's volume or a PersistentVolume's spec is; null if it is none.
inline const InTreeVolume *in_tree_volume(berth::Value volume) {
    for (const auto &kind : in_tree_volumes)
        if (!volume[kind.source].is_null()) return &kind;
    return nullptr;
}

inline const InTreeVolume *in_tree_provisioner(std::string_view name) {
    for (const auto &kind : in_tree_volumes)
        if (kind.plugin == name) return &kind;
    return nullptr;
}

/// The handle that the driver would give a volume, or why it has none.
struct VolumeHandle {
    std::string handle, fault;
};

inline VolumeHandle ebs_handle(std::string_view id) {
    if (!id.starts_with("aws://")) return {std::string(id), {}};
    auto rest = id.substr(6);
    rest = rest.substr(0, std::min(rest.find('?'), rest.find('#')));
    auto slash = rest.find('/');
    auto name = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash);
    while (name.starts_with('/')) name.remove_prefix(1);
    while (name.ends_with('/')) name.remove_suffix(1);
    if (name.starts_with("vol-") && name.find('/') == std::string_view::npos) return {std::string(name), {}};
    return {
        {},
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" + std::string(id) + ")"};
}

/// The parts of "a__b".
inline std::vector<std::string_view> label_zones(std::string_view label) {
    std::vector<std::string_view> zones;
    for (;;) {
        auto end = label.find("__");
        zones.push_back(label.substr(0, end));
        if (end == std::string_view::npos) return zones;
        label.remove_prefix(end + 2);
    }
}

/// The region of zones named place-region-zone, which must be one.
inline VolumeHandle gce_region(const std::vector<std::string_view> &zones) {
    std::set<std::string> regions;
    for (auto zone : zones) {
        if (std::count(zone.begin(), zone.end(), '-') != 2)
            return {{}, "zone in unexpected format, expected: {locale}-{region}-{zone}, got: " + std::string(zone)};
        regions.emplace(zone.substr(0, zone.rfind('-')));
    }
    if (regions.size() == 1) return {*regions.begin(), {}};
    std::string list;
    for (const auto &r : regions) list += (list.empty() ? "" : " ") + r + ":{}";
    return {{}, "multiple or no regions gotten from zones, got: map[" + list + "]"};
}

/// `labels` are those of a PersistentVolume, absent for a pod's own volume.
inline VolumeHandle gce_handle(std::string_view disk, berth::Value labels) {
    auto label = labels["failure-domain.beta.kubernetes.io/zone"].string();
    if (label.empty()) label = labels["topology.kubernetes.io/zone"].string();
    auto zones = label_zones(label);
    std::string place = "projects/UNSPECIFIED/zones/UNSPECIFIED";
    if (zones.size() > 1) {
        auto region = gce_region(zones);
        if (!region.fault.empty()) return {{}, "failed to get region from zones: " + region.fault};
        place = "projects/UNSPECIFIED/regions/" + region.handle;
    } else if (!label.empty()) {
        place = "projects/UNSPECIFIED/zones/" + std::string(label);
    }
    return {place + "/disks/" + std::string(disk), {}};
}

inline VolumeHandle azure_handle(berth::Value disk) {
    auto kind = disk["kind"].string();
    std::string lower(kind);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (disk["kind"].is_string() && lower != "managed")
        return {{}, "kind(" + std::string(kind) + ") is not supported in csi migration"};
    return {std::string(disk["diskURI"].string()), {}};
}

/// `volume` is a pod's volume or a PersistentVolume's spec of that kind.
inline VolumeHandle volume_handle(const InTreeVolume &kind, berth::Value volume, berth::Value labels) {
    auto source = volume[kind.source];
    if (kind.source == "awsElasticBlockStore") return ebs_handle(source["volumeID"].string());
    if (kind.source == "gcePersistentDisk") return gce_handle(source["pdName"].string(), labels);
    if (kind.source == "azureDisk") return azure_handle(source);
    return {std::string(source["volumeID"].string()), {}};
}

}  // namespace kubernetes
