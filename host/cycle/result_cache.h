// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A cache of plugins' results by slot, for pods with equal signatures.

#include "cycle/search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cycle {

/// Results by key, of the keys that were used last. `T` has clear(), which makes it as new. Loop only.
template <class T>
class ResultCache {
    struct Entry {
        std::string key;
        std::uint64_t used = 0;
        T results;
    };
    static constexpr std::size_t capacity = 8;
    std::vector<std::unique_ptr<Entry>> entries_;
    std::uint64_t now_ = 0;

public:
    /// Valid until the next call.
    T &of(std::string_view key) {
        auto at = std::ranges::find(entries_, key, [](const auto &entry) -> std::string_view { return entry->key; });
        if (at == entries_.end()) {
            if (entries_.size() < capacity) entries_.push_back(std::make_unique<Entry>());
            at = std::ranges::min_element(entries_, {}, [](const auto &entry) { return entry->used; });
            (*at)->key = key;
            (*at)->results.clear();
        }
        (*at)->used = ++now_;
        return (*at)->results;
    }
};

/// The slots with a cached result that is valid: the slot has not changed since.
class ValidSlots {
    struct Version {
        std::uint64_t generation = 0, epoch = 0;  ///< of the slot; of this object
    };
    std::vector<Version> by_slot_;
    std::uint64_t epoch_ = 1;

public:
    /// No slot is valid any more. Costs nothing, for pods that all differ.
    void clear() { ++epoch_; }
    void resize(std::uint32_t slots) { by_slot_.resize(std::max<std::size_t>(slots, by_slot_.size())); }
    bool valid(const berth_nodes &nodes, std::uint32_t slot) const {
        return by_slot_[slot].generation == nodes.slot_generation[slot] && by_slot_[slot].epoch == epoch_;
    }
    void set(const berth_nodes &nodes, std::uint32_t slot) { by_slot_[slot] = {nodes.slot_generation[slot], epoch_}; }
    /// Whether the cached result is used. With strict checks one in sixteen is a miss, so that it is compared with a
    /// new one.
    bool hit(const Search &search, std::uint32_t slot) const {
        const bool rechecked =
            search.profile.checks == plugin::Checks::Strict && (slot + search.call.attempt_salt()) % 16 == 0;
        return valid(search.nodes, slot) && !rechecked;
    }
};

}  // namespace berth::cycle
