// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_selectors.h"
#include "release.h"

#include <berth/plugin.hpp>

#include <map>

namespace kubernetes {

/// The ResourceSlices of the cluster as the allocator wants them, kept up to date by their watch. Thread: loop.
class DeviceSlices {
    /// A slice reads texts of its object.
    struct Known {
        berth::KeptObject object;
        devices::Slice slice;
    };
    const berth::Host &host_;
    devices::Rules rules_;
    berth::Kind kind_;
    DeviceSelectors &selectors_;
    std::map<std::string, devices::SlicePtr, std::less<>> by_name_;
    std::shared_ptr<const devices::Inventory> inventory_;
    bool read_ = false;

    void put(const berth::Object &object) {
        auto known = std::make_shared<Known>(
            Known{berth::KeptObject(host_, object.raw()), devices::Slice::read(object.name(), object.at("/spec"))});
        by_name_[std::string(object.name())] = devices::SlicePtr(known, &known->slice);
    }

public:
    DeviceSlices(const berth::Host &host, DeviceSelectors &selectors)
        : host_(host),
          rules_(Rules(host).devices),
          kind_(host.kind("resource.k8s.io", "v1", "resourceslices")),
          selectors_(selectors) {
        host.subscribe(kind_, [this](const berth::Object &before, const berth::Object &after) {
            if (!read_) return;
            inventory_.reset();
            const auto &object = after ? after : before;
            if (auto at = by_name_.find(object.name()); at != by_name_.end()) {
                selectors_.forget(*at->second);
                by_name_.erase(at);
            }
            if (after) put(after);
        });
    }

    /// All of them as they are now, by name.
    std::shared_ptr<const devices::Inventory> inventory() {
        if (!read_) host_.each(kind_, "", [this](const berth::Object &object) { put(object); });
        read_ = true;
        if (!inventory_) {
            std::vector<devices::SlicePtr> all;
            for (const auto &[name, slice] : by_name_) all.push_back(slice);
            inventory_ = std::make_shared<const devices::Inventory>(std::move(all), rules_);
        }
        return inventory_;
    }
};

}  // namespace kubernetes
