// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The results of earlier searches for devices, on nodes whose devices have not changed since.

#include "device_uses.h"

#include <list>
#include <memory>
#include <mutex>

namespace kubernetes {

/// What searches for claims of the same content found, by node. Pods of one template have such claims, and the search
/// on a node comes to the same as long as the devices of that node's pools are used as they were. Thread: any, while no
/// use of a device changes.
class KnownAllocations {
    /// A device as devices::Chosen has it, but for whatever claim of that content.
    struct Chosen {
        std::uint32_t demand, alternative;
        const devices::Slice *slice;
        const devices::Device *device;
        bool shared;
        devices::Consumed consumed;
    };
    struct Claim {
        std::vector<Chosen> devices;
        std::vector<std::size_t> alternatives;
    };
    struct OnNode {
        std::vector<std::shared_ptr<const std::uint64_t>> pools;  ///< the versions of the uses of their devices
        std::uint64_t version = 0;                                ///< the sum of these then: each of them only grows
        std::int64_t steps = 0;                                   ///< of the search
        bool found = false;
        std::string text;  ///< if nothing was
        std::vector<Claim> claims;
    };

    std::shared_ptr<const devices::Inventory> inventory_;  ///< to which it all points
    DeviceUses &uses_;
    std::mutex mutex_;
    std::unordered_map<std::string, OnNode, TextHash, std::equal_to<>> by_node_;
    std::size_t bytes_ = 0;  ///< about; what is found anew on a node counts again
    static constexpr std::size_t bytes_at_most = 32 << 20;

    static std::size_t bytes_of(const OnNode &on) {
        constexpr std::size_t of_entry = 256, of_text = 64;
        std::size_t out = of_entry;
        for (const auto &claim : on.claims)
            for (const auto &c : claim.devices) out += sizeof c + c.consumed.size() * (sizeof c.consumed[0] + of_text);
        return out;
    }
    static std::uint64_t version_of(const OnNode &on) {
        std::uint64_t sum = 0;
        for (const auto &one : on.pools) sum += *one;
        return sum;
    }

    static Claim kept(const devices::Claim &claim, const devices::ClaimDevices &found) {
        Claim out{{}, found.alternatives};
        for (const auto &c : found.devices)
            for (std::uint32_t d = 0; d < claim.demands.size(); ++d) {
                const auto &list = claim.demands[d].alternatives;
                if (c.request < list.data() || c.request >= list.data() + list.size()) continue;
                out.devices.push_back(
                    {d, static_cast<std::uint32_t>(c.request - list.data()), c.slice, c.device, c.shared, c.consumed});
            }
        return out;
    }

public:
    using Claims = devices::Allocator::Claims;

    KnownAllocations(std::shared_ptr<const devices::Inventory> inventory, DeviceUses &uses)
        : inventory_(std::move(inventory)), uses_(uses) {}

    const devices::Inventory *inventory() const { return inventory_.get(); }

    /// How the search on that node ends, if that is known; the devices that it finds are left out.
    std::optional<devices::Allocation> ending(std::string_view node) {
        const std::lock_guard lock(mutex_);
        const auto at = by_node_.find(node);
        if (at == by_node_.end() || at->second.version != version_of(at->second)) return std::nullopt;
        devices::Allocation out;
        if (at->second.found) out.outcome = devices::Allocation::Outcome::Found;
        out.text = at->second.text;
        out.steps = at->second.steps;
        return out;
    }
    /// The devices that it finds for these claims; nothing if they are not known.
    std::optional<std::vector<devices::ClaimDevices>> found(std::string_view node, const Claims &claims) {
        const std::lock_guard lock(mutex_);
        const auto at = by_node_.find(node);
        if (at == by_node_.end() || !at->second.found || at->second.version != version_of(at->second))
            return std::nullopt;
        std::vector<devices::ClaimDevices> out;
        for (std::size_t i = 0; i < claims.size(); ++i) {
            auto &one = out.emplace_back(devices::ClaimDevices{{}, at->second.claims[i].alternatives});
            for (const auto &c : at->second.claims[i].devices)
                one.devices.push_back({&claims[i]->demands[c.demand].alternatives[c.alternative], c.slice, c.device,
                                       c.shared, c.consumed});
        }
        return out;
    }
    /// Keeps the result of a search that came to its end, found or not.
    void keep(std::string_view node, const Claims &claims, const devices::Allocation &result) {
        const std::lock_guard lock(mutex_);
        if (bytes_ > bytes_at_most) {
            by_node_.clear();
            bytes_ = 0;
        }
        auto at = by_node_.find(node);
        if (at == by_node_.end()) {
            at = by_node_.emplace(node, OnNode{}).first;
            for (const auto *slice : inventory_->candidates(node))
                if (!slice->devices.empty())
                    at->second.pools.push_back(uses_.version(devices::Inventory::pool_id(slice->driver, slice->pool)));
        }
        auto &on = at->second;
        on.version = version_of(on);
        on.found = result.outcome == devices::Allocation::Outcome::Found;
        on.text = result.text;
        on.steps = result.steps;
        on.claims.clear();
        for (std::size_t i = 0; on.found && i < claims.size(); ++i)
            on.claims.push_back(kept(*claims[i], result.claims[i]));
        bytes_ += bytes_of(on);
    }
    std::size_t bytes() {
        const std::lock_guard lock(mutex_);
        return bytes_;
    }
};

/// The last of these by content. Thread: loop.
class KnownAllocationsByContent {
    static constexpr std::size_t contents_at_most = 16, longest_content = 16 << 10, bytes_at_most = 64 << 20;
    std::list<std::pair<std::string, std::shared_ptr<KnownAllocations>>> last_;  ///< the newest first

public:
    /// Those for claims of that content, which says all that a search for them reads of them and of their classes;
    /// nullptr if nothing can be kept: then what is on a node may depend on others.
    std::shared_ptr<KnownAllocations> of(const std::string &content,
                                         const std::shared_ptr<const devices::Inventory> &inventory, DeviceUses &uses) {
        if (std::erase_if(last_, [&](const auto &one) { return one.second->inventory() != inventory.get(); }) > 0)
            uses.free_versions();
        if (!inventory->nodes_are_independent() || content.size() > longest_content) return nullptr;
        std::size_t bytes = 0;
        for (const auto &one : last_) bytes += one.second->bytes();
        for (; bytes > bytes_at_most && last_.size() > 1; last_.pop_back()) bytes -= last_.back().second->bytes();
        auto at = std::find_if(last_.begin(), last_.end(), [&](const auto &one) { return one.first == content; });
        if (at == last_.end()) {
            last_.emplace_front(content, std::make_shared<KnownAllocations>(inventory, uses));
            if (last_.size() > contents_at_most) last_.pop_back();
        } else {
            last_.splice(last_.begin(), last_, at);
        }
        return last_.front().second;
    }
};

}  // namespace kubernetes
