// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The devices of the cluster, those that claims have, and those in flight.

#include "allocations_in_flight.h"
#include "device_slices.h"
#include "extended_resource_claims.h"
#include "known_allocations.h"
#include "pod_resource_claims.h"

#include <set>

namespace kubernetes {

/// The devices of the cluster: which ones there are, and which ones claims have or are about to have. Thread: loop, but
/// for what it gives away.
class ClusterDevices {
    const berth::Host &host_;
    berth::Kind claims_;
    DeviceSelectors selectors_;
    DeviceSlices slices_;
    DeviceUses uses_;
    KnownAllocationsByContent known_;
    std::shared_ptr<AllocationsInFlight> in_flight_ = AllocationsInFlight::of_process();
    std::uint64_t settled_ = 0;        ///< the version of `in_flight_` that `uses_` has
    std::set<std::uint64_t> counted_;  ///< the allocations in flight among `uses_`
    bool read_ = false;

    /// No uid begins so.
    static std::string name_of(std::uint64_t in_flight) { return "in flight: " + std::to_string(in_flight); }

    void count(const berth::Object &claim) { uses_.put(claim.uid(), DeviceUse::of(claim.at("/status/allocation"))); }

    void changed(const berth::Object &before, const berth::Object &after) {
        const bool same = before && after && before.uid() == after.uid();
        if (before && !same) in_flight_->saw(before.uid(), {}, false);
        if (after) in_flight_->saw(after.uid(), berth::view(after.meta().resource_version), is_allocated(after));
        if (!read_) return;
        if (before && !same) uses_.remove(before.uid());
        if (after) count(after);
    }

    /// What another cluster's pods are about to have does not count: in a test there may be two. A claim that is not
    /// made, or not shown yet, may be of either.
    bool of_another_cluster(const AllocationInFlight &entry) const {
        if (entry.name.empty()) return false;
        const auto claim = host_.get(claims_, entry.name_space, entry.name);
        return claim ? claim.uid() != entry.uid : !entry.made;
    }

    /// Brings what is in flight up to date among the uses.
    void settle() {
        in_flight_->expire(host_.now_ns());
        if (settled_ == in_flight_->version()) return;
        settled_ = in_flight_->version();
        std::set<std::uint64_t> now;
        for (const auto &entry : in_flight_->all()) {
            if (of_another_cluster(*entry)) continue;
            now.insert(entry->id);
            if (!counted_.contains(entry->id)) uses_.put(name_of(entry->id), entry->devices);
        }
        for (auto id : counted_)
            if (!now.contains(id)) uses_.remove(name_of(id));
        counted_ = std::move(now);
    }

public:
    /// Without `to_allocate`, for a plugin that only counts devices, sharing (DeviceSelectors) and taints are not read.
    ClusterDevices(const berth::Host &host, berth::Kind claims, bool to_allocate = true)
        : host_(host),
          claims_(claims),
          selectors_(Rules(host).selectors, to_allocate),
          slices_(host, selectors_, to_allocate && DeviceSlices::rules_count(host)) {
        host.subscribe(claims_,
                       [this](const berth::Object &before, const berth::Object &after) { changed(before, after); });
    }

    /// Watches what this reads, and the classes that its owners read beside it.
    void declare(berth::Declare d) const {
        for (const auto *resource : {"resourceclaims", "deviceclasses", "resourceslices"})
            d.watch("resource.k8s.io", "v1", resource);
        if (slices_.with_taint_rules()) d.watch("resource.k8s.io", "v1", "devicetaintrules");
    }
    bool with_taint_rules() const { return slices_.with_taint_rules(); }

    const DeviceSelectors &selectors() const { return selectors_; }
    AllocationsInFlight &in_flight() const { return *in_flight_; }
    std::shared_ptr<const devices::Inventory> inventory() { return slices_.inventory(); }
    bool taints_changed(const berth::Object &before, const berth::Object &after) {
        return slices_.taints_changed(before, after);
    }

    /// What is known of searches for claims of that content among these slices; or nullptr.
    std::shared_ptr<KnownAllocations> known(const std::string &content,
                                            const std::shared_ptr<const devices::Inventory> &among) {
        return known_.of(content, among, uses_);
    }

    /// The devices in use; it stays as it is until a claim changes or the next call.
    const devices::Uses &uses() {
        if (!read_) host_.each(claims_, "", [this](const berth::Object &claim) { count(claim); });
        read_ = true;
        settle();
        return uses_.all();
    }
    /// The devices in use as far as the claims of these uids, which have none, do not use them: devices may be in
    /// flight for them whose write was not answered. Nothing if there are no such devices.
    std::optional<devices::Uses> uses_without(const std::vector<std::string_view> &uids) {
        std::vector<std::string> names;
        for (const auto &entry : in_flight_->all())
            if (std::ranges::find(uids, entry->uid) != uids.end()) names.push_back(name_of(entry->id));
        if (names.empty()) return std::nullopt;
        uses();
        return uses_.without(names);
    }
};

}  // namespace kubernetes
