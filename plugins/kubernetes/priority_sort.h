// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

namespace kubernetes {

/// QueueSort: higher priority first, then the one that has been waiting longer.
class PrioritySort {
public:
    static constexpr const char *description = "Tries pods of higher priority first, then those that wait longer";

    bool less(berth::Pod a, berth::Pod b) const {
        if (a.priority() != b.priority()) return a.priority() > b.priority();
        return a.queued_time_ns() < b.queued_time_ns();
    }

    void sort_key(berth::Pod pod, std::span<std::uint8_t, BERTH_SORT_KEY_SIZE> key) const {
        // Offset binary, so that bytes compare as the numbers do; priority complemented, because higher comes first.
        auto priority = ~(static_cast<std::uint32_t>(pod.priority()) ^ 0x80000000u);
        auto time = static_cast<std::uint64_t>(pod.queued_time_ns()) ^ 0x8000000000000000u;
        for (unsigned i = 0; i < 4; ++i) key[i] = static_cast<std::uint8_t>(priority >> (24 - 8 * i));
        for (unsigned i = 0; i < 8; ++i) key[4 + i] = static_cast<std::uint8_t>(time >> (56 - 8 * i));
    }
};

}  // namespace kubernetes
