// SPDX-License-Identifier: Apache-2.0
#include "model/kind.h"

#include <algorithm>
#include <array>

namespace berth::model {
namespace {

constexpr std::string_view apps = "apps", storage = "storage.k8s.io", dra = "resource.k8s.io";

constexpr std::array built_in{
    BuiltInKind{"", "configmaps", "ConfigMap", Scope::Namespaced},
    BuiltInKind{"", "limitranges", "LimitRange", Scope::Namespaced},
    BuiltInKind{"", "namespaces", "Namespace", Scope::Cluster},
    BuiltInKind{"", "nodes", "Node", Scope::Cluster},
    BuiltInKind{"", "persistentvolumeclaims", "PersistentVolumeClaim", Scope::Namespaced},
    BuiltInKind{"", "persistentvolumes", "PersistentVolume", Scope::Cluster},
    BuiltInKind{"", "pods", "Pod", Scope::Namespaced},
    BuiltInKind{"", "replicationcontrollers", "ReplicationController", Scope::Namespaced},
    BuiltInKind{"", "resourcequotas", "ResourceQuota", Scope::Namespaced},
    BuiltInKind{"", "serviceaccounts", "ServiceAccount", Scope::Namespaced},
    BuiltInKind{"", "services", "Service", Scope::Namespaced},
    BuiltInKind{apps, "daemonsets", "DaemonSet", Scope::Namespaced},
    BuiltInKind{apps, "deployments", "Deployment", Scope::Namespaced},
    BuiltInKind{apps, "replicasets", "ReplicaSet", Scope::Namespaced},
    BuiltInKind{apps, "statefulsets", "StatefulSet", Scope::Namespaced},
    BuiltInKind{"batch", "cronjobs", "CronJob", Scope::Namespaced},
    BuiltInKind{"batch", "jobs", "Job", Scope::Namespaced},
    BuiltInKind{"coordination.k8s.io", "leases", "Lease", Scope::Namespaced},
    BuiltInKind{"node.k8s.io", "runtimeclasses", "RuntimeClass", Scope::Cluster},
    BuiltInKind{"policy", "poddisruptionbudgets", "PodDisruptionBudget", Scope::Namespaced},
    BuiltInKind{dra, "deviceclasses", "DeviceClass", Scope::Cluster},
    BuiltInKind{dra, "devicetaintrules", "DeviceTaintRule", Scope::Cluster},
    BuiltInKind{dra, "resourceclaims", "ResourceClaim", Scope::Namespaced},
    BuiltInKind{dra, "resourceclaimtemplates", "ResourceClaimTemplate", Scope::Namespaced},
    BuiltInKind{dra, "resourceslices", "ResourceSlice", Scope::Cluster},
    BuiltInKind{"scheduling.k8s.io", "podgroups", "PodGroup", Scope::Namespaced},
    BuiltInKind{"scheduling.k8s.io", "priorityclasses", "PriorityClass", Scope::Cluster},
    BuiltInKind{"scheduling.k8s.io", "workloads", "Workload", Scope::Namespaced},
    BuiltInKind{storage, "csidrivers", "CSIDriver", Scope::Cluster},
    BuiltInKind{storage, "csinodes", "CSINode", Scope::Cluster},
    BuiltInKind{storage, "csistoragecapacities", "CSIStorageCapacity", Scope::Namespaced},
    BuiltInKind{storage, "storageclasses", "StorageClass", Scope::Cluster},
    BuiltInKind{storage, "volumeattachments", "VolumeAttachment", Scope::Cluster},
    BuiltInKind{storage, "volumeattributesclasses", "VolumeAttributesClass", Scope::Cluster},
};

}  // namespace

std::span<const BuiltInKind> built_in_kinds() { return built_in; }

std::string Kind::api_version() const { return group.empty() ? version : group + "/" + version; }

std::string Kind::text() const { return api_version() + "/" + resource; }

std::string Kind::long_name() const { return resource + "." + version + (group.empty() ? "" : "." + group); }

std::string Kind::event_resource() const {
    if (custom) return long_name();
    return group.empty() ? name : group + "/" + name;
}

std::string Kind::path() const { return (group.empty() ? "/api/" : "/apis/") + text(); }

Kind kind_of(std::string_view group, std::string_view version, std::string_view resource) {
    Kind out{std::string(group), std::string(version), std::string(resource), {}, Scope::Unknown, true};
    const auto *known = std::find_if(built_in.begin(), built_in.end(), [&](const BuiltInKind &one) {
        return one.group == group && one.resource == resource;
    });
    if (known == built_in.end()) return out;
    out.name = known->name;
    out.scope = known->scope;
    out.custom = false;
    return out;
}

std::string guessed_resource(std::string_view kind_name) {
    std::string out(kind_name);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (out == "endpoints") return out;
    if (out.ends_with('s')) return out + "es";
    if (!out.ends_with('y')) return out + "s";
    out.back() = 'i';
    return out + "es";
}

bool is_named(const Kind &kind, std::string_view name) {
    return kind.name.empty() ? kind.resource == guessed_resource(name) : kind.name == name;
}

}  // namespace berth::model
