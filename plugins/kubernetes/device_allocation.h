// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The allocation of devices to one pod's claims in one attempt, for Filter, Score and Reserve.

#include "claim_on_nodes.h"
#include "cluster_devices.h"
#include "extended_requests.h"

#include <atomic>
#include <map>

namespace kubernetes {

/// The search for the devices of one pod's claims that have none, in one attempt. What it found on a node is kept for
/// Score and Reserve.
class DeviceAllocation {
public:
    /// What was found on a node.
    struct Result {
        std::vector<devices::ClaimDevices> claims;  ///< in their order, then for that for extended resources
        const ExtendedClaim *extended;              ///< nullptr: the pod has none
    };

private:
    const berth::Host &host_;
    std::shared_ptr<const devices::Inventory> inventory_;
    std::optional<devices::Uses> uses_;       ///< if devices are in flight for these very claims
    std::vector<berth::KeptObject> objects_;  ///< which classes read
    devices::Allocator::Claims claims_;
    std::map<std::string, devices::Class, std::less<>> classes_;
    devices::Allocator::FindClass find_class_;
    std::optional<devices::Allocator> allocator_;
    std::shared_ptr<KnownAllocations> known_;  ///< of searches for such claims; may be null
    std::atomic<std::int64_t> time_left_ns_, steps_left_ = steps_at_most;
    bool limited_;

    mutable std::mutex mutex_;
    mutable std::map<std::string, Result, std::less<>> by_node_;

    /// Of an attempt's searches: a virtual clock stands still meanwhile.
    static constexpr std::int64_t steps_at_most = 10'000'000;

    void read_class(const DeviceClasses &classes, const std::string &name) {
        if (classes_.contains(name)) return;
        auto object = classes.get(name);
        if (!object) return;
        objects_.emplace_back(host_, object.raw());
        classes_.emplace(name, devices::Class::read(name, object.at("/spec")));
    }

    /// All that a search reads of the claims and their classes; empty: not known.
    std::string content() const {
        std::string out;
        for (const auto *claim : claims_) {
            if (!claim->source) return {};
            out.append(berth::json(claim->source)).append("\n");
        }
        for (const auto &[name, one] : classes_) {
            out.append(name).append("\n");
            for (const auto &selector : one.selectors)
                out.append(selector ? berth::json_quote(*selector) : "unknown").append("\n");
        }
        return out;
    }

    berth::Verdict verdict_of(berth::Call call, devices::Allocation &found, std::string_view node) const {
        using Outcome = devices::Allocation::Outcome;
        switch (found.outcome) {
            case Outcome::Found: return berth::ok;
            case Outcome::NotFound:
                if (found.text.empty()) return berth::unresolvable("cannot allocate all claims");
                return berth::unresolvable(std::move(found.text));
            case Outcome::Error: return berth::error(std::move(found.text));
            case Outcome::Stopped: break;
        }
        if (call.cancelled()) return berth::Verdict{BERTH_STATUS_CANCELLED};
        return berth::error("node " + std::string(node) + ": timed out trying to allocate devices");
    }

    /// Calls `fn(stop)`, whose steps and time are the attempt's.
    template <class Fn>
    auto limited(berth::Call call, Fn fn) {
        const auto began = host_.now_ns(), time_left = time_left_ns_.load(), steps_left = steps_left_.load();
        std::int64_t steps = 0;
        const devices::Allocator::Stop stop = [&] {
            return call.cancelled() || (limited_ && (++steps > steps_left || host_.now_ns() - began > time_left));
        };
        auto out = fn(stop);
        time_left_ns_ -= host_.now_ns() - began;
        steps_left_ -= steps;
        return out;
    }

    static std::string share_id(std::uint64_t a, std::uint64_t b) {
        char text[40];
        std::snprintf(text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a >> 32),
                      static_cast<unsigned>(a >> 16 & 0xffff), static_cast<unsigned>(a & 0xfff),
                      static_cast<unsigned>(0x8000 | (b >> 48 & 0x3fff)),
                      static_cast<unsigned long long>(b & 0xffff'ffff'ffff));
        return text;
    }

public:
    /// `claims`, with these uids, outlive it, and their classes exist, as do those of `extended`. `timeout_ns` is for
    /// all nodes together; 0: none.
    DeviceAllocation(const berth::Host &host, ClusterDevices &devices, const DeviceClasses &classes,
                     devices::Allocator::Claims claims, const std::vector<std::string_view> &uids,
                     const ExtendedResources &extended, std::int64_t timeout_ns)
        : host_(host),
          inventory_(devices.inventory()),
          uses_(devices.uses_without(uids)),
          claims_(std::move(claims)),
          time_left_ns_(timeout_ns),
          limited_(timeout_ns > 0) {
        for (const auto *claim : claims_)
            for (const auto &demand : claim->demands)
                for (const auto &request : demand.alternatives) read_class(classes, request.device_class);
        for (const auto &resource : extended.resources()) read_class(classes, resource.device_class);
        find_class_ = [this](std::string_view name) {
            auto at = classes_.find(name);
            return at == classes_.end() ? nullptr : &at->second;
        };
        allocator_.emplace(*inventory_, uses_ ? *uses_ : devices.uses(), devices.selectors(), find_class_);
        if (auto text = extended.any() || uses_ ? std::string() : content(); !text.empty())
            known_ = devices.known(text, inventory_);
    }
    DeviceAllocation(const DeviceAllocation &) = delete;
    DeviceAllocation &operator=(const DeviceAllocation &) = delete;

    /// Looks for devices on a node. Code CANCELLED if `call` was. `extended`, which outlives this, may be null.
    berth::Verdict allocate(berth::Call call, Labels labels, std::string_view node, const ExtendedClaim *extended) {
        using Outcome = devices::Allocation::Outcome;
        const bool may_know = known_ && !extended;
        if (may_know)
            if (auto ending = known_->ending(node)) {
                // It costs what the search would: an attempt ends alike whatever is known.
                if (limited_ && steps_left_.fetch_sub(ending->steps) < ending->steps)
                    ending->outcome = Outcome::Stopped;
                return verdict_of(call, *ending, node);
            }
        auto claims = claims_;
        if (extended) claims.push_back(&extended->claim);
        auto found =
            limited(call, [&](const auto &stop) { return allocator_->allocate({node, labels}, claims, stop); });
        if (may_know && (found.outcome == Outcome::Found || found.outcome == Outcome::NotFound))
            known_->keep(node, claims_, found);
        if (found.outcome != Outcome::Found) return verdict_of(call, found, node);
        const std::lock_guard lock(mutex_);
        by_node_.insert_or_assign(std::string(node), Result{std::move(found.claims), extended});
        return berth::ok;
    }

    /// What a node lacks for the claims, as Allocator::lacks().
    std::string lacks(berth::Call call, Labels labels, std::string_view node, const ExtendedClaim *extended) {
        auto claims = claims_;
        if (extended) claims.push_back(&extended->claim);
        return limited(call, [&](const auto &stop) { return allocator_->lacks({node, labels}, claims, stop); });
    }

    /// What was found on a node; nullptr: nothing.
    const Result *on(std::string_view node) const {
        const std::lock_guard lock(mutex_);
        auto at = by_node_.find(node);
        if (at == by_node_.end() && known_)
            if (auto claims = known_->found(node, claims_))
                at = by_node_.emplace(node, Result{*std::move(claims), nullptr}).first;
        return at == by_node_.end() ? nullptr : &at->second;
    }

    /// How early in their lists the alternatives are that were taken on a node (computeScore).
    static std::int64_t score(const devices::Claim &claim, const devices::ClaimDevices &found) {
        std::int64_t out = 0;
        for (std::size_t i = 0; i < claim.demands.size(); ++i)
            if (claim.demands[i].prioritized) out += ClaimOnNodes::score_of_place(found.alternatives[i]);
        return out;
    }

    /// What is in flight from now on for `claim`, which is `wanted` and gets `found`.
    AllocationInFlight chosen(const ClaimReservation::Claim &claim, const devices::Claim &wanted,
                              const devices::ClaimDevices &found, const berth::Node &node, berth::Call call) const {
        // Ids of shares differ even from those of another run with the same seed, as the uids of claims do.
        std::uint64_t salt = std::hash<std::string_view>{}(claim.uid);
        auto next_id = [&] {
            const auto a = host_.random(call.raw(), node.slot(), ++salt);
            return share_id(a, host_.random(call.raw(), node.slot(), ++salt));
        };
        AllocationInFlight out{claim.name_space, claim.name, claim.uid};
        out.json = devices::allocation_json(wanted, found, node.name(), find_class_, next_id, inventory_->rules());
        out.devices = DeviceUse::of(found);
        for (const auto &c : found.devices) out.conditions = out.conditions || c.device->binding_conditions.size() > 0;
        return out;
    }
};

}  // namespace kubernetes
