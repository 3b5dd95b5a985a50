// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a test's cluster knows of kinds: plurals and scopes, from its CustomResourceDefinitions and of Kubernetes' own.

#include <berth/testing/objects.hpp>

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

namespace berth::testing {

class Kinds {
    /// Of a CustomResourceDefinition.
    struct Custom {
        std::string group, kind, plural;
        bool cluster_wide;
    };
    std::map<std::string, Custom, std::less<>> customs_;  ///< by the definition's name

    const Custom *custom(const StoredObject &object) const {
        for (const auto &[name, one] : customs_)
            if (one.group == object.group() && one.kind == object.kind) return &one;
        return nullptr;
    }
    /// Kubernetes' own. Their versions do not matter.
    static bool is_cluster_wide(std::string_view group, std::string_view kind) {
        constexpr std::string_view admission = "admissionregistration.k8s.io", dra = "resource.k8s.io",
                                   flows = "flowcontrol.apiserver.k8s.io", network = "networking.k8s.io",
                                   rights = "rbac.authorization.k8s.io", storage = "storage.k8s.io";
        constexpr std::array<std::pair<std::string_view, std::string_view>, 33> all{{
            {"", "Namespace"},
            {"", "Node"},
            {"metrics.k8s.io", "NodeMetrics"},
            {"", "PersistentVolume"},
            {admission, "MutatingAdmissionPolicy"},
            {admission, "MutatingAdmissionPolicyBinding"},
            {admission, "MutatingWebhookConfiguration"},
            {admission, "ValidatingAdmissionPolicy"},
            {admission, "ValidatingAdmissionPolicyBinding"},
            {admission, "ValidatingWebhookConfiguration"},
            {"apiextensions.k8s.io", "CustomResourceDefinition"},
            {"apiregistration.k8s.io", "APIService"},
            {"certificates.k8s.io", "CertificateSigningRequest"},
            {"certificates.k8s.io", "ClusterTrustBundle"},
            {flows, "FlowSchema"},
            {flows, "PriorityLevelConfiguration"},
            {network, "IPAddress"},
            {network, "IngressClass"},
            {network, "ServiceCIDR"},
            {"node.k8s.io", "RuntimeClass"},
            {rights, "ClusterRole"},
            {rights, "ClusterRoleBinding"},
            {dra, "DeviceClass"},
            {dra, "DeviceTaintRule"},
            {dra, "ResourceSlice"},
            {"scheduling.k8s.io", "PriorityClass"},
            {storage, "CSIDriver"},
            {storage, "CSINode"},
            {storage, "StorageClass"},
            {storage, "VolumeAttachment"},
            {storage, "VolumeAttributesClass"},
            {"internal.apiserver.k8s.io", "StorageVersion"},
            {"storagemigration.k8s.io", "StorageVersionMigration"},
        }};
        return std::ranges::find(all, std::pair{group, kind}) != all.end();
    }

public:
    static bool is_definition(Value object) {
        return object["kind"].string() == "CustomResourceDefinition" &&
               group_of(object["apiVersion"].string()) == "apiextensions.k8s.io";
    }
    void add(const StoredObject &object) {
        if (!is_definition(object.tree)) return;
        const auto spec = object.tree["spec"], names = spec["names"];
        customs_[object.name] = {std::string(spec["group"].string()), std::string(names["kind"].string()),
                                 std::string(names["plural"].string()), spec["scope"].string() == "Cluster"};
    }
    void remove(const StoredObject &object) {
        if (is_definition(object.tree)) customs_.erase(object.name);
    }

    /// In which an API server puts an object that names none: "default", or "" for a kind without namespaces. A custom
    /// kind has namespaces unless a definition says otherwise.
    std::string_view default_namespace(const StoredObject &object) const {
        const auto *of_custom = custom(object);
        const bool cluster_wide = of_custom ? of_custom->cluster_wide : is_cluster_wide(object.group(), object.kind);
        return cluster_wide ? "" : "default";
    }
    /// Not of Kubernetes' own. Of a kind without a definition its group says so.
    bool is_custom(const StoredObject &object) const {
        const auto group = object.group();
        return custom(object) || (group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io"));
    }
    /// Is it of the kind that a plugin calls by group, version and plural? The plural of a kind without a definition is
    /// guessed.
    bool is_of(const StoredObject &object, std::string_view group, std::string_view version,
               std::string_view resource) const {
        if (object.api_version != std::string(group) + (group.empty() ? "" : "/") + std::string(version)) return false;
        if (const auto *of_custom = custom(object)) return resource == of_custom->plural;
        std::string lower;
        for (char c : object.kind) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        auto end = lower.ends_with('y') ? lower.substr(0, lower.size() - 1) + "ies" : lower + "es";
        return resource == lower + "s" || resource == end;
    }
};

}  // namespace berth::testing
