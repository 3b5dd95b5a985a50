// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The log of changes of nodes and placed pods, for plugins that keep counts (berth.host.delta/1). It holds the last
/// few thousand changes, each with the state before it.

#include "model/pod.h"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace berth::cluster {

/// Nothing is written before the first query. Loop only.
class ChangeLog {
public:
    static constexpr std::uint32_t no_row = 0xffffffffu;
    /// A change of a slot's node, or of a row. Changes are numbered as the tables number theirs.
    struct Entry {
        std::uint64_t id;
        std::uint32_t slot;
        std::uint32_t row;    ///< or no_row
        std::uint32_t flags;  ///< of the row
        model::PodPtr was;    ///< the pod that the row showed on the slot before; null if none
    };

    /// What is different since then, netted: what a row showed first, and the slots.
    struct Net {
        std::vector<const Entry *> rows;
        std::vector<std::uint32_t> slots;
    };

    /// The oldest changes are given up beyond this many, and beyond so many bytes of the pods that they keep alive.
    static constexpr std::size_t capacity = 8192, most_bytes = 16 << 20;

    void add(Entry entry);
    /// Whether the log goes back to the change of that number; if not, it begins with the next one at the latest.
    bool reaches(std::uint64_t since, std::uint64_t now);
    /// Good until the next change or the next call.
    const Net &net(std::uint64_t since);

private:
    void drop_oldest();

    std::deque<Entry> entries_;
    std::size_t bytes_ = 0;
    std::uint64_t begins_ = 0;  ///< all changes after this one are here
    bool on_ = false;
    Net net_;
};

}  // namespace berth::cluster
