// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The allocated devices and their consumed capacities, by device id.

#include "inventory.h"

#include <algorithm>

namespace kubernetes::devices {

/// Amounts of a device's capacities, by their names.
using Consumed = std::vector<std::pair<std::string, Amount>>;

/// How claims with devices use one device.
struct Use {
    std::uint32_t exclusive = 0;           ///< claims that have it for themselves
    std::uint32_t shares = 0;              ///< claims' parts of it
    std::uint32_t shares_of_capacity = 0;  ///< those that say how much they consume
    std::vector<std::pair<std::string, berth::Quantity>> consumed = {};

    const berth::Quantity *consumed_of(std::string_view capacity) const {
        for (const auto &[name, amount] : consumed)
            if (name == capacity) return &amount;
        return nullptr;
    }
    /// `amounts` null: the share does not say how much it consumes.
    void add_share(const Consumed *amounts) {
        ++shares;
        if (!amounts) return;
        ++shares_of_capacity;
        for (const auto &[name, amount] : *amounts) {
            auto at = std::find_if(consumed.begin(), consumed.end(), [&](const auto &c) { return c.first == name; });
            if (at == consumed.end()) consumed.emplace_back(name, amount.quantity);
            else at->second += amount.quantity;
        }
    }
    /// Takes an add_share() back.
    void remove_share(const Consumed *amounts) {
        --shares;
        if (!amounts) return;
        --shares_of_capacity;
        for (const auto &[name, amount] : *amounts)
            for (auto &c : consumed)
                if (c.first == name) c.second -= amount.quantity;
    }
    bool free() const { return exclusive == 0 && shares == 0 && shares_of_capacity == 0; }
};

/// The devices in use, by their ids.
using Uses = std::unordered_map<std::string, Use, TextHash, std::equal_to<>>;

}  // namespace kubernetes::devices
