// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A hash table from keys to codes, whose keys are stored elsewhere (node names, uids, dictionary entries). Eight bytes
/// per place, and no key that could dangle when an object is replaced.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::cluster {

/// Open addressing with linear probing; erasing moves later entries back, so that no tombstones pile up.
class CodeIndex {
    struct Entry {
        std::uint32_t hash = 0, code = none;
    };
    std::vector<Entry> entries_;  // a power of two, or none
    std::size_t count_ = 0;

    std::size_t mask() const { return entries_.size() - 1; }
    void place(Entry entry) {
        auto i = entry.hash & mask();
        while (entries_[i].code != none) i = (i + 1) & mask();
        entries_[i] = entry;
    }
    void grow() {
        std::vector<Entry> old(entries_.empty() ? 16 : entries_.size() * 2);
        old.swap(entries_);
        for (const auto &entry : old)
            if (entry.code != none) place(entry);
    }

public:
    static constexpr std::uint32_t none = 0xffffffffu;

    /// The code with that hash for which `is(code)` holds, or none.
    template <class Is>
    std::uint32_t find(std::uint32_t hash, Is is) const {
        if (entries_.empty()) return none;
        for (auto i = hash & mask(); entries_[i].code != none; i = (i + 1) & mask())
            if (entries_[i].hash == hash && is(entries_[i].code)) return entries_[i].code;
        return none;
    }

    /// `code` must not be in the table yet.
    void insert(std::uint32_t hash, std::uint32_t code) {
        if ((count_ + 1) * 4 > entries_.size() * 3) grow();
        place({hash, code});
        ++count_;
    }

    /// Does nothing if `code` is not there under that hash.
    void erase(std::uint32_t hash, std::uint32_t code) {
        if (entries_.empty()) return;
        auto hole = hash & mask();
        while (entries_[hole].code != code) {
            if (entries_[hole].code == none) return;
            hole = (hole + 1) & mask();
        }
        for (auto i = (hole + 1) & mask(); entries_[i].code != none; i = (i + 1) & mask()) {
            // An entry may fill the hole unless its own first place lies after the hole.
            auto home = entries_[i].hash & mask();
            if (((i - home) & mask()) < ((i - hole) & mask())) continue;
            entries_[hole] = entries_[i];
            hole = i;
        }
        entries_[hole].code = none;
        --count_;
    }

    std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

    /// Keeps its memory.
    void clear() {
        entries_.assign(entries_.size(), {});
        count_ = 0;
    }
};

}  // namespace berth::cluster
