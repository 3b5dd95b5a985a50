// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster_devices.h"
#include "device_classes.h"
#include "resource_scoring.h"
#include "volume_node_affinity.h"

#include <array>
#include <memory>

namespace kubernetes {

/// How many devices stand for the extended resources that a scorer looks at, and how many of them are in use. These are
/// what a node offers of a resource if it offers none itself (resource_allocation.go calculateDRAResourceTotals).
/// Thread: loop.
class ScoredDevices {
    struct Total {
        std::int64_t devices = 0, in_use = 0;
        bool fault = false;  ///< upstream then counts none

        void operator+=(const Total &other) {
            devices += other.devices;
            in_use += other.in_use;
            fault = fault || other.fault;
        }
    };
    using Places = std::unordered_map<std::string_view, std::size_t>;

    const berth::Host &host_;
    DeviceClasses classes_;
    ClusterDevices devices_;

    Total count(const devices::Class &of, const devices::Slice &slice, const devices::Device &device,
                const devices::Uses &uses) const {
        for (const auto &text : of.selectors) {
            if (!text) continue;
            const auto selected = devices_.selectors().select(*text, slice, device);
            if (!selected.fault.empty()) return {0, 0, true};
            if (!selected.matches) return {};
        }
        return {1, uses.contains(device.id) ? 1 : 0};
    }

    /// Adds `total` for each of the nodes that the selection reaches; `everywhere`: all if it selects nothing.
    void add(const devices::NodeSelection &selection, bool everywhere, const Total &total, const Places &places,
             berth::Nodes nodes, berth::Slots slots, std::vector<Total> &out) const {
        if (selection.on_one_node() && !selection.all_nodes) {
            if (const auto at = places.find(*selection.node_name); at != places.end()) out[at->second] += total;
            return;
        }
        const bool all = selection.all_nodes || (everywhere && selection.selector.is_null());
        if (!all && selection.selector.is_null()) return;
        for (std::size_t i = 0; i < slots.size(); ++i) try {
                const devices::NodeView node{nodes[slots[i]].name(),
                                             all ? Labels{} : labels_of(host_, nodes, slots[i])};
                if (all || devices::matches(selection, node)) out[i] += total;
            } catch (const devices::Fatal &) {
                out[i].fault = true;
            }
    }

    std::vector<Total> totals(const devices::Class &of, const Places &places, berth::Nodes nodes, berth::Slots slots) {
        std::vector<Total> out(slots.size());
        const auto inventory = devices_.inventory();
        const auto &uses = devices_.uses();
        for (const auto &slice : inventory->all()) {
            Total all;
            for (const auto &device : slice->devices) {
                const auto one = count(of, *slice, device, uses);
                if (slice->per_device_nodes) add(device.nodes, false, one, places, nodes, slots, out);
                else all += one;
            }
            if (!slice->per_device_nodes) add(slice->nodes, true, all, places, nodes, slots, out);
        }
        return out;
    }

public:
    static constexpr std::array watches{"resource.k8s.io/v1/resourceclaims", "resource.k8s.io/v1/deviceclasses",
                                        "resource.k8s.io/v1/resourceslices"};

    explicit ScoredDevices(const berth::Host &host)
        : host_(host), classes_(host), devices_(host, host.kind("resource.k8s.io", "v1", "resourceclaims"), false) {}

    /// nullptr: devices cannot stand for any of the resources.
    static std::unique_ptr<ScoredDevices> of(const std::vector<ScoredResource> &resources, const berth::Host &host) {
        const bool any = std::any_of(resources.begin(), resources.end(),
                                     [](const auto &r) { return DeviceClasses::may_be_of_devices(r.name); });
        return any ? std::make_unique<ScoredDevices>(host) : nullptr;
    }
    static void declare(berth::Declare d) {
        for (const auto *resource : {"resourceclaims", "deviceclasses", "resourceslices"})
            d.watch("resource.k8s.io", "v1", resource);
    }

    /// Whether devices stand for something that the pod requests, so that its scores change with them.
    bool concern(const std::vector<ScoredResource> &resources, const std::vector<std::int64_t> &requests) const {
        for (std::size_t i = 0; i < resources.size(); ++i)
            if (requests[i] != 0 && classes_.is_of_devices(resources[i].name)) return true;
        return false;
    }

    /// For each resource that the pod requests and devices stand for, what the nodes at `slots` have of it.
    OwnColumns columns(const std::vector<ScoredResource> &resources, const std::vector<std::int64_t> &requests,
                       berth::Nodes nodes, berth::Slots slots) {
        if (!concern(resources, requests)) return {};
        OwnColumns out(resources.size());
        Places places;
        std::size_t end = 0;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            places.emplace(nodes[slots[i]].name(), i);
            end = std::max<std::size_t>(end, slots[i] + 1);
        }
        for (std::size_t r = 0; r < resources.size(); ++r) {
            const auto *name = requests[r] != 0 ? classes_.of_resource(resources[r].name) : nullptr;
            const auto object = name ? classes_.get(*name) : berth::Object{};
            if (!object) continue;
            const auto of_nodes = totals(devices::Class::read(*name, object.at("/spec")), places, nodes, slots);
            const auto offered = nodes.column(resources[r].allocatable_column),
                       requested = nodes.column(resources[r].requested_column);
            out[r].allocatable.resize(end);
            out[r].used.resize(end);
            for (std::size_t i = 0; i < slots.size(); ++i) {
                const auto slot = slots[i];
                const bool own = offered.int64(slot) != 0 || of_nodes[i].fault || of_nodes[i].devices == 0;
                out[r].allocatable[slot] = own ? offered.int64(slot) : of_nodes[i].devices;
                out[r].used[slot] = own ? requested.int64(slot) : of_nodes[i].in_use;
            }
        }
        return out;
    }
};

}  // namespace kubernetes
