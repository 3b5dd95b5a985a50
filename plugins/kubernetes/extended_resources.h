// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's extended resources with a DeviceClass, and their source on each node: device plugin or devices.

#include "device_classes.h"

#include <optional>

namespace kubernetes {

/// The extended resources that a pod requests, if a DeviceClass stands for one of them: which of them a node has from a
/// device plugin, and which ones have to be devices there.
class ExtendedResources {
public:
    struct Resource {
        std::string name, device_class;
    };
    /// Places in resources(), ascending.
    using Places = std::vector<std::size_t>;

private:
    struct Offered {
        std::uint32_t allocatable;            ///< column
        std::optional<std::size_t> resource;  ///< its place, if a class stands for it
    };
    std::vector<Resource> resources_;
    std::vector<Offered> offered_;  ///< by some node
    // What no node offers:
    Places devices_;        ///< devices have to be there for these
    bool nowhere_ = false;  ///< nothing can stand for one

public:
    /// In PreFilter.
    static ExtendedResources of(const berth::Host &host, const DeviceClasses &classes, berth::Pod pod,
                                berth::Nodes nodes) {
        ExtendedResources out;
        const std::span wanted{pod.requests().scalars, pod.requests().scalars_len};
        auto counts = [](const berth_scalar &s) {
            return s.value != 0 && DeviceClasses::may_be_of_devices(berth::view(s.name));
        };
        if (std::none_of(wanted.begin(), wanted.end(),
                         [&](const auto &s) { return counts(s) && classes.is_of_devices(berth::view(s.name)); }))
            return out;
        for (const auto &s : wanted) {  // by name
            if (!counts(s)) continue;
            const auto name = berth::view(s.name);
            std::optional<std::size_t> place;
            if (const auto *device_class = classes.of_resource(name)) {
                place = out.resources_.size();
                out.resources_.push_back({std::string(name), *device_class});
            }
            auto id = host.column(BERTH_COLUMN_NODE_ALLOCATABLE, name);
            if (!nodes.column(id).absent()) out.offered_.push_back({id, place});
            else if (place) out.devices_.push_back(*place);
            else out.nowhere_ = true;
        }
        return out;
    }

    /// Whether there is one.
    bool any() const { return !resources_.empty(); }
    /// Those that a class stands for, by name.
    const std::vector<Resource> &resources() const { return resources_; }

    std::vector<berth::Column> columns(berth::Nodes nodes) const {
        std::vector<berth::Column> out;
        for (const auto &o : offered_) out.push_back(nodes.column(o.allocatable));
        return out;
    }
    /// The places of those that have to be devices on a node; nothing if the pod does not fit there, since neither a
    /// class nor the node knows one. `columns` is of columns().
    std::optional<Places> of_devices(const std::vector<berth::Column> &columns, std::uint32_t slot) const {
        if (nowhere_) return std::nullopt;
        auto out = devices_;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const bool known = columns[i].has(slot);
            if (offered_[i].resource && (!known || columns[i].int64(slot) == 0)) out.push_back(*offered_[i].resource);
            else if (!known) return std::nullopt;
        }
        std::sort(out.begin(), out.end());
        return out;
    }
};

}  // namespace kubernetes
