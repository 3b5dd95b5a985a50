// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ResourceClaims of a pod, and the reason why it must wait for them.

#include "node_selector.h"
#include "storage_objects.h"

#include <berth/time.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kubernetes {

/// The ResourceClaims that a pod names or had made for it; or why it must wait for them.
struct PodResourceClaims {
    std::vector<berth::Object> claims;
    std::string fault;

    /// Whether the pod's spec names the claim. The others of() the pod were made for it.
    static bool names(berth::Pod pod, std::string_view claim) {
        const auto list = pod.at("/spec/resourceClaims");
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.at(i)["resourceClaimName"].string() == claim) return true;
        return false;
    }

    static PodResourceClaims of(const berth::Host &host, berth::Kind kind, berth::Pod pod) {
        PodResourceClaims out;
        auto wanted = pod.at("/spec/resourceClaims");
        auto made = pod.at("/status/resourceClaimStatuses");
        auto pod_name = "pod \"" + full_name(pod.name_space(), pod.name()) + "\"";
        for (std::size_t i = 0; i < wanted.size() && out.fault.empty(); ++i) {
            auto name = wanted.at(i)["resourceClaimName"];
            bool own = false;
            if (name.is_null()) {
                if (wanted.at(i)["resourceClaimTemplateName"].is_null()) {
                    out.fault = pod_name + ", spec.resourceClaim " + berth::json_quote(wanted.at(i)["name"].string()) +
                                ": none of the supported fields are set";
                    break;
                }
                own = true;
                auto status = entry(made, wanted.at(i)["name"].string());
                if (!status) {
                    out.fault = pod_name + ": ResourceClaim not created yet";
                    break;
                }
                name = status["resourceClaimName"];
                if (name.is_null()) continue;  // none was needed
            }
            auto claim = host.get(kind, pod.name_space(), name.string());
            if (!claim)
                out.fault = "could not find ResourceClaim \"" + full_name(pod.name_space(), name.string()) + "\"";
            else if (!claim.at("/metadata/deletionTimestamp").is_null())
                out.fault = "resourceclaim " + berth::json_quote(claim.name()) + " is being deleted";
            else if (own && !controlled_by(claim, pod))
                out.fault = "ResourceClaim " + full_name(claim.name_space(), claim.name()) +
                            " was not created for Pod " + full_name(pod.name_space(), pod.name()) +
                            " (Pod is not owner)";
            out.claims.push_back(claim);
        }
        return out;
    }

private:
    static berth::Value entry(berth::Value list, std::string_view name) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.at(i)["name"].string() == name) return list.at(i);
        return {};
    }
};

/// Keeps a claim that is allocated from being deleted.
constexpr std::string_view claim_finalizer = "resource.kubernetes.io/delete-protection";

inline bool is_allocated(const berth::Object &claim) { return !claim.at("/status/allocation").is_null(); }

/// Whether the claim is reserved for the pod of that uid.
inline bool reserved_for(const berth::Object &claim, std::string_view uid) {
    auto list = claim.at("/status/reservedFor");
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list.at(i)["uid"].string() == uid) return true;
    return false;
}

/// How far the devices of an allocated claim are, where their drivers attach them to a node first.
struct DeviceConditions {
    bool wanted = false;  ///< some device has conditions
    bool ready = true;
    bool timed_out = false;
    std::string fault;  ///< a device could not be attached

    static DeviceConditions of(const berth::Object &claim, std::int64_t now_ns, std::int64_t timeout_ns) {
        DeviceConditions out;
        auto devices = claim.at("/status/allocation/devices/results");
        auto since = berth::parse_time(claim.at("/status/allocation/allocationTimestamp").string());
        bool decided = false;  // the first device that is not ready decides
        for (std::size_t i = 0; i < devices.size(); ++i) {
            auto conditions = devices.at(i)["bindingConditions"];
            if (conditions.is_null()) continue;
            out.timed_out = out.timed_out || (since && *since < now_ns - timeout_ns);
            if (conditions.size() == 0) continue;
            out.wanted = true;
            if (!decided) decided = !look(claim, devices.at(i), out);
        }
        return out;
    }

private:
    /// Whether the device is ready.
    static bool look(const berth::Object &claim, berth::Value device, DeviceConditions &out) {
        out.ready = false;
        auto status = status_of(claim, device);
        if (!status) return false;
        auto failures = device["bindingFailureConditions"], wanted = device["bindingConditions"];
        for (std::size_t i = 0; i < failures.size(); ++i)
            if (auto c = condition(status, failures.at(i).string()); c["status"].string() == "True") {
                out.fault = "device binding failed: claim=" + std::string(claim.name()) +
                            ", reason=" + std::string(c["reason"].string()) +
                            ", message=" + berth::json_quote(c["message"].string());
                return false;
            }
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (condition(status, wanted.at(i).string())["status"].string() != "True") return false;
        out.ready = true;
        return true;
    }

    static berth::Value status_of(const berth::Object &claim, berth::Value device) {
        auto list = claim.at("/status/devices");
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto same = [&](std::string_view field) { return list.at(i)[field].string() == device[field].string(); };
            if (same("device") && same("driver") && same("pool")) return list.at(i);
        }
        return {};
    }
    static berth::Value condition(berth::Value status, std::string_view type) {
        auto list = status["conditions"];
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.at(i)["type"].string() == type) return list.at(i);
        return {};
    }
};

}  // namespace kubernetes
