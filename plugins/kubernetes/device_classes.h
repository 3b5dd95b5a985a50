// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The DeviceClasses of the cluster, found by their name in a claim or by the name of a pod's extended resource.

#include "pod_resource_claims.h"
#include "resource_names.h"
#include "text_hash.h"

#include <limits>
#include <tuple>
#include <unordered_map>

namespace kubernetes {

/// What DeviceClasses say about the requests of pods and claims.
class DeviceClasses {
    const berth::Host &host_;
    berth::Kind kind_;

    struct Class {
        std::string name;
        std::int64_t created_ns;
    };
    mutable std::unordered_map<std::string, Class, TextHash, std::equal_to<>> by_resource_;
    mutable std::uint64_t version_ = 0;  ///< of the classes, then

    /// Of several classes with one resource the newest stands for it; of equally old ones the first by name.
    void put(std::string_view resource, const Class &c) const {
        auto [at, fresh] = by_resource_.try_emplace(std::string(resource), c);
        auto &known = at->second;
        if (!fresh && std::tie(known.created_ns, c.name) < std::tie(c.created_ns, known.name)) known = c;
    }

    berth::Verdict check_class(std::string_view name, const std::string &request) const {
        if (name.empty()) return berth::error("request " + request + ": unsupported request type");
        if (get(name)) return berth::ok;
        return berth::unresolvable("request " + request + ": device class " + std::string(name) + " does not exist");
    }

public:
    explicit DeviceClasses(const berth::Host &host)
        : host_(host), kind_(host.kind("resource.k8s.io", "v1", "deviceclasses")) {}

    static constexpr std::string_view prefix = "deviceclass.resource.kubernetes.io/";

    berth::Object get(std::string_view name) const { return host_.get(kind_, "", name); }

    /// The resource that a class stands for without saying so.
    static std::string implicit_name(std::string_view device_class) {
        return std::string(prefix) + std::string(device_class);
    }

    /// The name of the DeviceClass that stands for the resource; nullptr if none does. On the loop; lives until the
    /// classes change.
    const std::string *of_resource(std::string_view resource) const {
        if (auto now = host_.version_of(kind_); now != version_) {
            by_resource_.clear();
            host_.each(kind_, "", [&](const berth::Object &c) {
                const auto created = berth::parse_time(c.at("/metadata/creationTimestamp").string());
                const Class known{std::string(c.name()), created.value_or(std::numeric_limits<std::int64_t>::min())};
                if (auto name = c.at("/spec/extendedResourceName").string(); !name.empty()) put(name, known);
                put(implicit_name(known.name), known);
            });
            version_ = now;
        }
        auto at = by_resource_.find(resource);
        return at == by_resource_.end() ? nullptr : &at->second.name;
    }
    /// Whether devices may be given for a resource of that name at all (IsDRAExtendedResourceName).
    static bool may_be_of_devices(std::string_view resource) {
        return is_extended_resource(resource) || resource.starts_with(prefix);
    }
    bool is_of_devices(std::string_view resource) const { return of_resource(resource) != nullptr; }

    /// Of a claim that has no devices yet: what upstream would find wrong with it before it looks for some.
    berth::Verdict check(const berth::Object &claim) const {
        auto requests = claim.at("/spec/devices/requests");
        for (std::size_t i = 0; i < requests.size(); ++i) {
            std::string name(requests.at(i)["name"].string());
            auto exactly = requests.at(i)["exactly"], first = requests.at(i)["firstAvailable"];
            if (!exactly.is_null()) {
                auto verdict = check_class(exactly["deviceClassName"].string(), name);
                if (verdict.code() != BERTH_STATUS_SUCCESS) return verdict;
            } else if (first.size() == 0) {
                return berth::unresolvable("resource claim " + full_name(claim.name_space(), claim.name()) +
                                           ", request " + name + ": unknown request type");
            }
            for (std::size_t k = 0; exactly.is_null() && k < first.size(); ++k) {
                auto verdict = check_class(first.at(k)["deviceClassName"].string(),
                                           name + "/" + std::string(first.at(k)["name"].string()));
                if (verdict.code() != BERTH_STATUS_SUCCESS) return verdict;
            }
        }
        return berth::ok;
    }
};

}  // namespace kubernetes
