// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "claim_reservation.h"
#include "resource_names.h"
#include "volume_node_affinity.h"

#include <atomic>
#include <stdexcept>

namespace kubernetes {

/// An allocated claim of a pod, and the nodes that its devices can be used from.
struct ClaimOnNodes {
    ClaimReservation::Claim claim;
    std::optional<std::vector<NodeTerm>> nodes;  ///< where its devices are; absent: everywhere
    bool unusable = false;                       ///< its devices cannot be attached
    std::atomic<bool> unavailable = false;       ///< on some node, as Filter saw

    static std::unique_ptr<ClaimOnNodes> read(const berth::Object &claim, berth::Pod pod, std::int64_t now_ns,
                                              std::int64_t timeout_ns) {
        auto out = std::make_unique<ClaimOnNodes>();
        out->claim = {std::string(claim.name_space()), std::string(claim.name()), std::string(claim.uid()),
                      reserved_for(claim, pod.uid())};
        if (auto selector = claim.at("/status/allocation/nodeSelector"); !selector.is_null()) {
            out->nodes = parse_selector(selector, "");
            if (auto faults = faults_of(*out->nodes); !faults.empty()) throw std::runtime_error(faults);
        }
        auto devices = DeviceConditions::of(claim, now_ns, timeout_ns);
        out->unusable = !devices.fault.empty() || (!devices.ready && devices.timed_out);
        return out;
    }

    bool reaches(Labels labels, std::string_view node) const {
        return !nodes || std::any_of(nodes->begin(), nodes->end(),
                                     [&](const NodeTerm &t) { return matches_term(t, labels, node); });
    }
};
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
               resource == "deviceclass.resource.kubernetes.io/" + std::string(device_class.name());
    }

    bool is_of_devices(std::string_view resource) const {
        bool found = false;
        host_.each(kind_, "", [&](const berth::Object &c) {
            found = of_device_class(c, resource);
            return !found;
        });
        return found;
    }

    berth::Verdict check_class(std::string_view name, const std::string &request) const {
        if (name.empty()) return berth::error("request " + request + ": unsupported request type");
        if (host_.get(kind_, "", name)) return berth::ok;
        return berth::unresolvable("request " + request + ": device class " + std::string(name) + " does not exist");
    }

public:
    explicit DeviceClasses(const berth::Host &host)
        : host_(host), kind_(host.kind("resource.k8s.io", "v1", "deviceclasses")) {}

    /// The extended resources that the pod requests, if one of them is of devices; else none.
    std::vector<ExtendedResource> extended_of(berth::Pod pod) const {
        std::vector<ExtendedResource> found;
        const auto &r = pod.requests();
        for (std::uint64_t i = 0; i < r.scalars_len; ++i) {
            auto name = berth::view(r.scalars[i].name);
            if (r.scalars[i].value == 0) continue;
            if (!is_extended_resource(name) && !name.starts_with("deviceclass.resource.kubernetes.io/")) continue;
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
