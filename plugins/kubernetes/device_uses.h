// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sums of devices that claims use.

#include "devices/allocator.h"

namespace kubernetes {

/// A device that a claim has.
struct DeviceUse {
    std::string device;  ///< its id
    bool shared = false;
    std::optional<devices::Consumed> consumed = {};  ///< by a share

    /// Those of a claim's status.allocation. With admin access a device is not in use.
    static std::vector<DeviceUse> of(berth::Value allocation) {
        std::vector<DeviceUse> out;
        auto results = allocation["devices"]["results"];
        for (std::size_t i = 0; i < results.size(); ++i) {
            auto r = results.at(i), consumed = r["consumedCapacity"];
            if (r["adminAccess"].is_true()) continue;
            DeviceUse use{devices::device_id(r["driver"].string(), r["pool"].string(), r["device"].string()),
                          r["shareID"].is_string()};
            if (!consumed.is_null()) use.consumed.emplace();
            for (std::size_t k = 0; k < consumed.size(); ++k)
                use.consumed->emplace_back(consumed.key(k), devices::Amount::read(consumed.member(k)));
            out.push_back(std::move(use));
        }
        return out;
    }
    static std::vector<DeviceUse> of(const devices::ClaimDevices &chosen) {
        std::vector<DeviceUse> out;
        for (const auto &c : chosen.devices) {
            if (c.request->admin_access) continue;
            DeviceUse use{c.device->id, c.shared};
            if (!c.consumed.empty()) use.consumed = c.consumed;
            out.push_back(std::move(use));
        }
        return out;
    }
};

/// The devices that claims have, summed up. Each claim is counted once.
class DeviceUses {
    devices::Uses uses_;
    std::unordered_map<std::string, std::shared_ptr<std::uint64_t>, TextHash, std::equal_to<>> versions_;  ///< by pool
    std::unordered_map<std::string, std::vector<DeviceUse>, TextHash, std::equal_to<>> by_claim_;

    static const devices::Consumed *amounts(const DeviceUse &use) { return use.consumed ? &*use.consumed : nullptr; }
    /// No version is kept of a pool before it is watched.
    void changed(const DeviceUse &use) {
        const auto pool = std::string_view(use.device).substr(0, use.device.rfind('\n'));
        if (auto at = versions_.find(pool); at != versions_.end()) ++*at->second;
    }

    static void subtract(devices::Uses &from, const DeviceUse &use) {
        auto of_device = from.find(use.device);
        if (use.shared) of_device->second.remove_share(amounts(use));
        else --of_device->second.exclusive;
        if (of_device->second.free()) from.erase(of_device);
    }

public:
    const devices::Uses &all() const { return uses_; }
    /// A copy without what these claims use.
    devices::Uses without(const std::vector<std::string> &claims) const {
        auto out = uses_;
        for (const auto &claim : claims)
            if (auto at = by_claim_.find(claim); at != by_claim_.end())
                for (const auto &use : at->second) subtract(out, use);
        return out;
    }
    /// Grows with each change of a use of the pool's devices; `pool` is an Inventory::pool_id.
    std::shared_ptr<const std::uint64_t> version(std::string_view pool) {
        auto at = versions_.find(pool);
        if (at == versions_.end()) at = versions_.emplace(pool, std::make_shared<std::uint64_t>(0)).first;
        return at->second;
    }
    /// Frees those that are no longer in use.
    void free_versions() {
        std::erase_if(versions_, [](const auto &one) { return one.second.use_count() == 1; });
    }

    /// `claim` is any name for it that no other has.
    void put(std::string_view claim, std::vector<DeviceUse> devices) {
        remove(claim);
        if (devices.empty()) return;
        for (const auto &use : devices) {
            changed(use);
            auto &of_device = uses_[use.device];
            if (use.shared) of_device.add_share(amounts(use));
            else ++of_device.exclusive;
        }
        by_claim_.emplace(claim, std::move(devices));
    }
    void remove(std::string_view claim) {
        auto at = by_claim_.find(claim);
        if (at == by_claim_.end()) return;
        for (const auto &use : at->second) {
            changed(use);
            subtract(uses_, use);
        }
        by_claim_.erase(at);
    }
};

}  // namespace kubernetes
