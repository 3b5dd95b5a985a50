// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kinds of objects: group, version and resource, and the table of built-in kinds.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace berth::model {

enum class Scope : std::uint8_t {
    Unknown,  ///< of a custom kind without a known definition
    Cluster,
    Namespaced
};

/// A kind by the names that the API's paths have for it. Two are the same if these are.
struct Kind {
    std::string group, version, resource;  ///< "" is the core group; the resource is a plural, as in "pods"
    std::string name;                      ///< "Pod"; "" for a custom kind without a known definition
    Scope scope = Scope::Unknown;
    bool custom = false;

    std::string api_version() const;  ///< as files say it: "v1", "storage.k8s.io/v1"
    std::string text() const;         ///< as notes and messages say it: "v1/pods", "storage.k8s.io/v1/storageclasses"
    /// The long name by which events can always be registered: "storageclasses.v1.storage.k8s.io", "services.v1".
    std::string long_name() const;
    /// As Berth names its events: "Pod", "storage.k8s.io/StorageClass"; the long name of a custom one.
    std::string event_resource() const;
    /// The collection's path on an API server: "/apis/storage.k8s.io/v1/storageclasses".
    std::string path() const;
    bool operator==(const Kind &other) const {
        return group == other.group && version == other.version && resource == other.resource;
    }
};

/// A kind of Kubernetes' own.
struct BuiltInKind {
    std::string_view group, resource, name;
    Scope scope;
};
/// Those that schedulers look at, in one table. The short names of their events are a part of the ABI (add_event of
/// berth.host.sinks/1), and no later Berth has others: a kind that is added here must keep its long name for events.
std::span<const BuiltInKind> built_in_kinds();

/// The kind of that name in paths; built in if the table has its group and resource, custom otherwise.
Kind kind_of(std::string_view group, std::string_view version, std::string_view resource);

/// Do files call the kind so? For a kind without a known definition, the usual plural decides.
bool is_named(const Kind &kind, std::string_view name);

/// The resource that a kind most likely has, by the API machinery's rule: "Policy" → "policies".
std::string guessed_resource(std::string_view kind_name);

}  // namespace berth::model
