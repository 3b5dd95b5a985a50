// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pod_resource_claims.h"
#include "resource_names.h"

namespace kubernetes {

/// An extended resource that a pod requests.
struct ExtendedResource {
    std::string name;
    std::uint32_t allocatable;  ///< column
    bool of_devices;            ///< a DeviceClass stands for it
};

/// What DeviceClasses say about the requests of pods and claims.
class DeviceClasses {
    const berth::Host &host_;
    berth::Kind kind_;

    static bool of_device_class(const berth::Object &device_class, std::string_view resource) {
        return device_class.at("/spec/extendedResourceName").string() == resource ||
               resource == implicit_name(device_class.name());
    }

    berth::Verdict check_class(std::string_view name, const std::string &request) const {
        if (name.empty()) return berth::error("request " + request + ": unsupported request type");
        if (host_.get(kind_, "", name)) return berth::ok;
        return berth::unresolvable("request " + request + ": device class " + std::string(name) + " does not exist");
    }

public:
    explicit DeviceClasses(const berth::Host &host)
        : host_(host), kind_(host.kind("resource.k8s.io", "v1", "deviceclasses")) {}

    static constexpr std::string_view prefix = "deviceclass.resource.kubernetes.io/";

    /// The resource that a class stands for without saying so.
    static std::string implicit_name(std::string_view device_class) {
        return std::string(prefix) + std::string(device_class);
    }

    /// Whether a DeviceClass stands for the resource.
    bool is_of_devices(std::string_view resource) const {
        bool found = false;
        host_.each(kind_, "", [&](const berth::Object &c) {
            found = of_device_class(c, resource);
            return !found;
        });
        return found;
    }

    /// The extended resources that the pod requests, if one of them is of devices; else none.
    std::vector<ExtendedResource> extended_of(berth::Pod pod) const {
        std::vector<ExtendedResource> found;
        const auto &r = pod.requests();
        for (std::uint64_t i = 0; i < r.scalars_len; ++i) {
            auto name = berth::view(r.scalars[i].name);
            if (r.scalars[i].value == 0) continue;
            if (!is_extended_resource(name) && !name.starts_with(prefix)) continue;
            found.push_back({std::string(name), host_.column(BERTH_NODE_ALLOCATABLE, name), is_of_devices(name)});
        }
        if (std::none_of(found.begin(), found.end(), [](const auto &e) { return e.of_devices; })) found.clear();
        return found;
    }

    /// Of a claim that has no devices yet: what upstream would find wrong with it before it looks for some.
    berth::Verdict check(const berth::Object &claim) const {
        auto requests = claim.at("/spec/devices/requests");
        for (std::size_t i = 0; i < requests.size(); ++i) {
            std::string name(requests.at(i)["name"].string());
            auto exactly = requests.at(i)["exactly"], first = requests.at(i)["firstAvailable"];
            if (!exactly.is_null()) {
                auto verdict = check_class(exactly["deviceClassName"].string(), name);
                if (verdict.code() != BERTH_SUCCESS) return verdict;
            } else if (first.size() == 0) {
                return berth::unresolvable("resource claim " + full_name(claim.name_space(), claim.name()) +
                                           ", request " + name + ": unknown request type");
            }
            for (std::size_t k = 0; exactly.is_null() && k < first.size(); ++k) {
                auto verdict = check_class(first.at(k)["deviceClassName"].string(),
                                           name + "/" + std::string(first.at(k)["name"].string()));
                if (verdict.code() != BERTH_SUCCESS) return verdict;
            }
        }
        return berth::ok;
    }
};

}  // namespace kubernetes
