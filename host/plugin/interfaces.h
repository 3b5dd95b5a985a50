// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of the plugin interfaces that this host calls (berth/point/). It has their ids, the least size of their
/// tables, and which functions a table must have.

#include "model/extension_point.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace berth::plugin {

enum class Interface : std::uint8_t {
    PreEnqueue,
    QueueSort,
    Events,
    PreFilter,
    PreFilterExt,
    Filter,
    PostFilter,
    PreScore,
    Score,
    Normalize,
    Reserve,
    Permit,
    PreBind,
    Bind,
    PostBind,
    Prepare,
    Sign,
    Remedy,
    PlacementFeasible,
};
inline constexpr std::size_t interface_count = static_cast<std::size_t>(Interface::PlacementFeasible) + 1;

/// A function that a table must have.
struct RequiredFunction {
    std::string_view name;
    std::size_t offset;
};

struct InterfaceFacts {
    Interface interface;
    std::string_view id;
    std::uint32_t least_size;  ///< of the table in the ABI's minor 0
    std::span<const RequiredFunction> functions;
};

const InterfaceFacts &facts(Interface interface);
/// Whether it is the id of a draft, such as "berth.remedy/draft1", which any host may do without.
bool is_draft(std::string_view id);
std::optional<Interface> interface_of_id(std::string_view id);

/// The interface that a plugin must have to be enabled at `point`; nothing for points that the ABI does not have.
std::optional<Interface> interface_of_point(model::ExtensionPoint point);

/// The tables of a plugin, NULL for what it does not implement.
class Tables {
    std::array<const void *, interface_count> tables_{};

public:
    const void *at(Interface interface) const { return tables_[static_cast<std::size_t>(interface)]; }
    void set(Interface interface, const void *table) { tables_[static_cast<std::size_t>(interface)] = table; }
    bool has(Interface interface) const { return at(interface) != nullptr; }
    template <class T>
    const T *as(Interface interface) const {
        return static_cast<const T *>(at(interface));
    }
};

}  // namespace berth::plugin
