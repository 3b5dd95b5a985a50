// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The counts of devices behind extended resources, total and in use, for scores.

#include "cluster_devices.h"
#include "device_classes.h"
#include "resource_scoring.h"
#include "volume_node_affinity.h"

#include <array>
#include <map>
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
    /// The devices of a class that the same nodes reach.
    struct Reached {
        std::vector<const devices::Device *> devices;
        bool fault = false;

        Total total(const devices::Uses &uses) const {
            Total out{static_cast<std::int64_t>(devices.size()), 0, fault};
            for (const auto *device : devices) out.in_use += uses.contains(device->id) ? 1 : 0;
            return out;
        }
    };
    /// All devices of a class, kept until a slice or a class changes.
    struct OfClass {
        std::shared_ptr<const devices::Inventory> inventory;  ///< has the devices
        std::uint64_t version = 0;                            ///< of the classes
        std::unordered_map<std::string_view, Reached> on_node;
        Reached everywhere;
        std::map<std::string, std::pair<const devices::NodeSelection *, Reached>> selecting;  ///< by the selector

        /// Where the devices of a selection belong; nullptr: no node reaches them. `open`: all do if it selects
        /// nothing.
        Reached *at(const devices::NodeSelection &selection, bool open) {
            if (selection.on_one_node() && !selection.all_nodes) return &on_node[*selection.node_name];
            if (selection.all_nodes || (open && selection.selector.is_null())) return &everywhere;
            if (selection.selector.is_null()) return nullptr;
            auto &[of, reached] = selecting[berth::json(selection.selector)];
            of = &selection;
            return &reached;
        }
    };

    const berth::Host &host_;
    berth::Kind class_kind_;
    DeviceClasses classes_;
    ClusterDevices devices_;
    std::map<std::string, OfClass, std::less<>> by_class_;
    std::shared_ptr<const OwnColumns> last_;

    /// False: there is a fault.
    bool put(const devices::Class &of, const devices::Slice &slice, const devices::Device &device, Reached &out) const {
        for (const auto &text : of.selectors) {
            if (!text) continue;
            const auto selected = devices_.selectors().select(*text, slice, device);
            out.fault = out.fault || !selected.fault.empty();
            if (!selected.fault.empty()) return false;
            if (!selected.matches) return true;
        }
        out.devices.push_back(&device);
        return true;
    }

    OfClass read(const devices::Class &of, berth::Call call) {
        OfClass out;
        out.inventory = devices_.inventory();
        out.version = host_.version_of(class_kind_);
        for (const auto &slice : out.inventory->all()) {
            if (call.cancelled()) break;
            auto *reached = slice->per_device_nodes ? nullptr : out.at(slice->nodes, true);
            for (const auto &device : slice->devices) {
                if (slice->per_device_nodes) reached = out.at(device.nodes, false);
                if (reached && !put(of, *slice, device, *reached) && !slice->per_device_nodes) break;
            }
        }
        return out;
    }
    /// nullptr: there is no such class.
    const OfClass *of_class(const std::string &name, berth::Call call) {
        const auto version = host_.version_of(class_kind_);
        std::erase_if(by_class_, [&](const auto &known) {
            return known.second.version != version || known.second.inventory != devices_.inventory();
        });
        if (const auto known = by_class_.find(name); known != by_class_.end()) return &known->second;
        const auto object = classes_.get(name);
        if (!object) return nullptr;
        auto read_now = read(devices::Class::read(name, object.at("/spec")), call);
        return call.cancelled() ? nullptr : &by_class_.emplace(name, std::move(read_now)).first->second;
    }

    /// What the nodes at `slots` reach; of a call that is cancelled it may be less.
    std::vector<Total> totals(const OfClass &of, berth::Nodes nodes, berth::Slots slots, berth::Call call) {
        const auto &uses = devices_.uses();
        std::vector<Total> out(slots.size(), of.everywhere.total(uses));
        for (std::size_t i = 0; !of.on_node.empty() && i < slots.size(); ++i)
            if (const auto at = of.on_node.find(nodes[slots[i]].name()); at != of.on_node.end())
                out[i] += at->second.total(uses);
        for (const auto &[text, selecting] : of.selecting) {
            if (call.cancelled()) break;
            const auto total = selecting.second.total(uses);
            for (std::size_t i = 0; i < slots.size(); ++i) try {
                    const devices::NodeView node{nodes[slots[i]].name(), labels_of(host_, nodes, slots[i])};
                    if (devices::matches(*selecting.first, node)) out[i] += total;
                } catch (const devices::Fatal &) {
                    out[i].fault = true;
                }
        }
        return out;
    }

    /// The class whose devices count for what a pod requests of the resource; nullptr: none.
    const std::string *class_of(const ScoredResource &resource, std::int64_t request) const {
        const bool may_be = request != 0 && DeviceClasses::may_be_of_devices(resource.name);
        return may_be ? classes_.of_resource(resource.name) : nullptr;
    }

public:
    static constexpr std::array watches{"resource.k8s.io/v1/resourceclaims", "resource.k8s.io/v1/deviceclasses",
                                        "resource.k8s.io/v1/resourceslices"};

    explicit ScoredDevices(const berth::Host &host)
        : host_(host),
          class_kind_(host.kind("resource.k8s.io", "v1", "deviceclasses")),
          classes_(host),
          devices_(host, host.kind("resource.k8s.io", "v1", "resourceclaims"), false) {}

    /// nullptr: devices cannot stand for any of the resources.
    static std::unique_ptr<ScoredDevices> of(const std::vector<ScoredResource> &resources, const berth::Host &host) {
        const bool any = std::any_of(resources.begin(), resources.end(),
                                     [](const auto &r) { return DeviceClasses::may_be_of_devices(r.name); });
        return any ? std::make_unique<ScoredDevices>(host) : nullptr;
    }
    void declare(berth::Declare d) const { devices_.declare(d); }

    /// False: devices stand for something that the pod requests, so that its scores change with them.
    bool sign(const std::vector<ScoredResource> &resources, const std::vector<std::int64_t> &requests,
              berth::Signature &signature) const {
        bool may_be = false;
        for (std::size_t i = 0; i < resources.size(); ++i) {
            if (class_of(resources[i], requests[i])) return false;
            may_be = may_be || (requests[i] != 0 && DeviceClasses::may_be_of_devices(resources[i].name));
        }
        if (may_be) signature.add(host_.version_of(class_kind_));
        return true;
    }

    /// For each resource that the pod requests and devices stand for, what the nodes at `slots` have of it. It lives
    /// until the next call: states are kept until pods are bound, and there may be many.
    std::weak_ptr<const OwnColumns> columns(const std::vector<ScoredResource> &resources,
                                            const std::vector<std::int64_t> &requests, berth::Nodes nodes,
                                            berth::Slots slots, berth::Call call) {
        last_.reset();
        OwnColumns out(resources.size());
        bool any = false;
        for (std::size_t r = 0; r < resources.size(); ++r) {
            const auto *name = class_of(resources[r], requests[r]);
            const auto *of = name ? of_class(*name, call) : nullptr;
            if (!of) continue;
            any = true;
            const auto of_nodes = totals(*of, nodes, slots, call);
            const auto offered = nodes.column(resources[r].allocatable_column),
                       requested = nodes.column(resources[r].requested_column);
            std::size_t end = 0;
            for (const auto slot : slots) end = std::max<std::size_t>(end, slot + 1);
            out[r].allocatable.resize(end);
            out[r].used.resize(end);
            for (std::size_t i = 0; i < slots.size(); ++i) {
                const auto slot = slots[i];
                const bool own = offered.int64(slot) != 0 || of_nodes[i].fault || of_nodes[i].devices == 0;
                out[r].allocatable[slot] = own ? offered.int64(slot) : of_nodes[i].devices;
                out[r].used[slot] = own ? requested.int64(slot) : of_nodes[i].in_use;
            }
        }
        if (any) last_ = std::make_shared<const OwnColumns>(std::move(out));
        return last_;
    }
};

}  // namespace kubernetes
