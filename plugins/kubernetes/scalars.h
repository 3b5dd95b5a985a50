// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Amounts of scalar resources, such as nvidia.com/gpu, in requests and offers.

#include <berth/plugin.hpp>
#include <berth/quantity.hpp>

#include <algorithm>
#include <span>

namespace kubernetes {

/// Of a resource beside cpu, memory and ephemeral-storage; nullptr if it is not listed, with whatever value.
inline const berth_scalar *find_scalar(const berth_resources &of, std::string_view name) {
    std::span all{of.scalars, of.scalars_len};
    auto at = std::ranges::lower_bound(all, name, {}, [](const berth_scalar &s) { return berth::view(s.name); });
    return at == all.end() || berth::view(at->name) != name ? nullptr : &*at;
}
inline std::int64_t scalar_of(const berth_resources &of, std::string_view name) {
    const auto *scalar = find_scalar(of, name);
    return scalar ? scalar->value : 0;
}

/// What the node of an event offers of it: no column need be there.
inline std::int64_t offered(const berth::Nodes &one_node, std::string_view name) {
    auto stated = one_node[0].at("/status/allocatable");
    if (stated.is_null()) stated = one_node[0].at("/status/capacity");
    auto amount = berth::Quantity::read(stated[name]);
    return amount ? amount->value() : 0;
}

}  // namespace kubernetes
