// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How much of the heap plugins ask for while they are called.

#include <cstdint>
#include <vector>

namespace berth::verify {

/// Of one thread: what was allocated while it was in a call into a plugin (plugin/current_call.h), by the plugin, by
/// the libraries that it uses and by the host's services that it called.
struct HeapUse {
    std::uint64_t allocations = 0, bytes = 0;  ///< as requested; freed memory counts, too
};

/// As long as it lives, malloc, calloc, realloc, reallocarray, aligned_alloc, memalign and posix_memalign are counted,
/// whoever calls them: in each library of the process, whatever language it was made in and with whatever C++ library
/// inside, the places where the dynamic linker has put their addresses hold others. What has an allocator of its own,
/// or was loaded later, is not seen. One at a time.
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
