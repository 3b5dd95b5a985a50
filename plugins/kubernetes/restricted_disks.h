// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The disks in a pod's own volumes that two pods may not share (VolumeRestrictions).

#include <berth/plugin.hpp>

#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace kubernetes {

/// The disks named in a pod's own volumes that no two pods may use at once, but for some kinds when both only read.
/// Indexed, so that another pod's volumes cost no more than their number, however many this pod has. Reads the pod:
/// good for as long as that is.
class RestrictedDisks {
    using Writes = bool;
    using OnMonitor = std::tuple<std::string_view, std::string_view, std::string_view>;  // monitor, pool, image
    std::map<std::string_view, Writes> gce_, iscsi_;
    std::set<std::string_view> aws_;
    std::map<OnMonitor, Writes> rbd_;

    template <class Disk>
    static void add(std::map<Disk, Writes> &to, const Disk &disk, berth::Value source) {
        to[disk] |= writes(source);
    }
    template <class Disk>
    static bool clash(const std::map<Disk, Writes> &with, const Disk &disk, berth::Value source) {
        auto at = with.find(disk);
        return at != with.end() && (at->second || writes(source));
    }
    static Writes writes(berth::Value source) { return !source["readOnly"].is_true(); }

    /// Calls fn(disk) for each monitor of an RBD image.
    template <class Fn>
    static void each_monitor(berth::Value rbd, Fn &&fn) {
        auto pool = rbd["pool"].string();
        if (pool.empty()) pool = "rbd";
        auto monitors = rbd["monitors"];
        for (std::size_t i = 0; i < monitors.size(); ++i)
            fn(OnMonitor{monitors.at(i).string(), pool, rbd["image"].string()});
    }

    void add(berth::Value volume) {
        if (auto gce = volume["gcePersistentDisk"]; !gce.is_null()) add(gce_, gce["pdName"].string(), gce);
        if (auto aws = volume["awsElasticBlockStore"]; !aws.is_null()) aws_.insert(aws["volumeID"].string());
        if (auto iscsi = volume["iscsi"]; !iscsi.is_null()) add(iscsi_, iscsi["iqn"].string(), iscsi);
        if (auto rbd = volume["rbd"]; !rbd.is_null())
            each_monitor(rbd, [&](const OnMonitor &disk) { add(rbd_, disk, rbd); });
    }

    bool conflict_with(berth::Value other) const {
        if (auto gce = other["gcePersistentDisk"]; !gce.is_null() && clash(gce_, gce["pdName"].string(), gce))
            return true;
        if (auto aws = other["awsElasticBlockStore"]; !aws.is_null() && aws_.contains(aws["volumeID"].string()))
            return true;
        if (auto iscsi = other["iscsi"]; !iscsi.is_null() && clash(iscsi_, iscsi["iqn"].string(), iscsi)) return true;
        bool same = false;
        if (auto rbd = other["rbd"]; !rbd.is_null() && !rbd_.empty())
            each_monitor(rbd, [&](const OnMonitor &disk) { same = same || clash(rbd_, disk, rbd); });
        return same;
    }

public:
    static bool is_one(berth::Value volume) {
        return !volume["gcePersistentDisk"].is_null() || !volume["awsElasticBlockStore"].is_null() ||
               !volume["rbd"].is_null() || !volume["iscsi"].is_null();
    }

    explicit RestrictedDisks(berth::Value volumes) {
        for (std::size_t i = 0; i < volumes.size(); ++i) add(volumes.at(i));
    }

    bool none() const { return gce_.empty() && aws_.empty() && iscsi_.empty() && rbd_.empty(); }
    /// Whether a pod with these volumes uses one of the disks.
    bool conflict(berth::Value volumes) const {
        for (std::size_t i = 0; !none() && i < volumes.size(); ++i)
            if (conflict_with(volumes.at(i))) return true;
        return false;
    }
};

}  // namespace kubernetes
