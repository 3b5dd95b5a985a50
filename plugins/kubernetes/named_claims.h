// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which ResourceClaims pods name in their spec.

#include "storage_objects.h"

#include <bitset>
#include <functional>
#include <string>
#include <string_view>

namespace kubernetes {

/// The ResourceClaims that pods named in their spec, in a table of fixed size: it says of some other claims, too, that
/// a pod names them, of more the more names were added. Most pods name none, as their claims are made from templates.
class NamedClaims {
    std::bitset<1 << 16> table_;

public:
    static std::size_t place(std::string_view name_space, std::string_view claim) {
        return std::hash<std::string>{}(full_name(name_space, claim)) % (1 << 16);
    }
    void add(berth::Pod pod) {
        const auto list = pod.at("/spec/resourceClaims");
        for (std::size_t i = 0; i < list.size(); ++i)
            if (const auto name = list.at(i)["resourceClaimName"]; !name.is_null())
                table_.set(place(pod.name_space(), name.string()));
    }
    /// Whether some pod that was added may name the claim of that place().
    bool may_have(std::size_t place) const { return table_.test(place); }
};

}  // namespace kubernetes
