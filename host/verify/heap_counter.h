// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The count of heap allocations during calls into plugins.

#include <cstdint>
#include <vector>

namespace berth::verify {

/// Of one thread: what was allocated while it was in a call into a plugin (plugin/current_call.h), by the plugin, by
/// the libraries that it uses and by the host's services that it called.
struct HeapUse {
    std::uint64_t allocations = 0, bytes = 0;  ///< as requested; freed memory counts, too
};

/// As long as it exists, it counts all calls of malloc, calloc, realloc, reallocarray, aligned_alloc, memalign and
/// posix_memalign. For that, it replaces their addresses in the linkage tables of every library of the process,
/// whatever language or C++ library it uses. It does not see libraries with an allocator of their own, or those loaded
/// later. One at a time.
class HeapCounter {
    struct Place {
        std::uintptr_t *at, before;
    };
    std::vector<Place> replaced_;

public:
    HeapCounter();
    ~HeapCounter();
    HeapCounter(const HeapCounter &) = delete;
    HeapCounter &operator=(const HeapCounter &) = delete;
    /// Of this thread, by all that there have been.
    static HeapUse here();
};

}  // namespace berth::verify
