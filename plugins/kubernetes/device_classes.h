// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pod_resource_claims.h"
#include "resource_names.h"
#include "text_hash.h"

#include <unordered_set>

namespace kubernetes {

/// The extended resources that a pod requests, if one of them is of devices.
struct ExtendedResources {
    struct Offered {
        std::uint32_t allocatable;  ///< column
        bool of_devices;            ///< a DeviceClass stands for it
    };
    std::vector<Offered> offered;  ///< by some node
    bool any = false;
    // What no node offers:
    bool of_devices = false;  ///< devices must stand for one
    bool nowhere = false;     ///< nothing stands for one
};

/// What DeviceClasses say about the requests of pods and claims.
class DeviceClasses {
    const berth::Host &host_;
    berth::Kind kind_;

    mutable std::unordered_set<std::string, TextHash, std::equal_to<>> names_;  ///< of resources that classes stand for
    mutable std::uint64_t version_ = 0;                                         ///< of the classes, then

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

    /// Whether a DeviceClass stands for the resource. On the loop.
    bool is_of_devices(std::string_view resource) const {
        if (auto now = host_.version_of(kind_); now != version_) {
            names_.clear();
            host_.each(kind_, "", [&](const berth::Object &c) {
                names_.emplace(c.at("/spec/extendedResourceName").string());
                names_.insert(implicit_name(c.name()));
            });
            version_ = now;
        }
        return !names_.empty() && names_.contains(resource);
    }

    /// In PreFilter.
    ExtendedResources extended_of(berth::Pod pod, berth::Nodes nodes) const {
        ExtendedResources out;
        const std::span wanted{pod.requests().scalars, pod.requests().scalars_len};
        auto counts = [](const berth_scalar &s) {
            auto name = berth::view(s.name);
            return s.value != 0 && (is_extended_resource(name) || name.starts_with(prefix));
        };
        out.any = std::any_of(wanted.begin(), wanted.end(),
                              [&](const auto &s) { return counts(s) && is_of_devices(berth::view(s.name)); });
        if (!out.any) return out;
        for (const auto &s : wanted) {
            if (!counts(s)) continue;
            const bool of_devices = is_of_devices(berth::view(s.name));
            auto id = host_.column(BERTH_COLUMN_NODE_ALLOCATABLE, berth::view(s.name));
            if (!nodes.column(id).absent()) out.offered.push_back({id, of_devices});
            else if (of_devices) out.of_devices = true;
            else out.nowhere = true;
        }
        return out;
    }

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
