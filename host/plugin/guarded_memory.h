// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Guarded memory of one plugin call: it reveals writes beyond an array, and is overwritten after the call.

#include <berth/berth.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::plugin {

class GuardedMemory {
    struct Chunk {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0, used = 0;
    };
    struct Block {
        std::byte *at;
        std::size_t size, entries;
        const char *name;                 ///< as the header calls it: "code[]"
        std::vector<std::byte> original;  ///< of what may only be read
    };
    std::vector<Chunk> chunks_;
    std::vector<Block> blocks_;

public:
    /// Uninitialized bytes, aligned to 64, without guards.
    void *allocate(std::size_t size);
    /// The same between two guards. `entries` and `name` are for messages.
    void *allocate_guarded(std::size_t size, std::size_t entries, const char *name);

    /// A copy without guards; NULL for NULL.
    template <class T>
    T *copy(const T *from, std::uint64_t n) {
        if (!from) return nullptr;
        const std::size_t size = std::span<const T>(from, n).size_bytes();
        auto *out = static_cast<T *>(allocate(size));
        if (n) std::memcpy(out, from, size);
        return out;
    }
    berth_str copy(berth_str text) { return {copy(text.ptr, text.len), text.len}; }

    /// A copy between guards: one to be written to, or one that must not change.
    template <class T>
    T *guarded_out(const T *from, std::uint64_t n, const char *name) {
        const std::size_t size = std::span<const T>(from, n).size_bytes();
        auto *out = static_cast<T *>(allocate_guarded(size, n, name));
        if (n) std::memcpy(out, from, size);
        return out;
    }
    template <class T>
    const T *guarded_in(const T *from, std::uint64_t n, const char *name) {
        T *out = guarded_out(from, n, name);
        auto bytes = std::as_bytes(std::span<const T>(out, n));
        blocks_.back().original.assign(bytes.begin(), bytes.end());
        return out;
    }

    /// A forbidden write to a block, as in "wrote beyond the 2 entries of code[]".
    std::optional<std::string> damage() const;
    bool holds(const void *pointer) const;
    void poison();
};

/// Memory for a plugin that allocates in a call which is over: it lives as long as the instance, because a null pointer
/// would crash the plugin. Any thread.
class LateMemory {
    std::mutex mutex_;
    GuardedMemory memory_;

public:
    void *allocate(std::size_t size);  ///< aligned to 64; throws std::bad_alloc
};

/// A pod with all that it points to, except its object.
berth_pod *copy_pod(GuardedMemory &memory, const berth_pod &pod);

/// What views read as after their call: no rows, texts that say so, unusual numbers.
berth_pod poisoned_pod();
berth_pods poisoned_pods();
berth_nodes poisoned_nodes();
/// Whether a text, or an object, is that of a poisoned view.
bool is_poison(const void *pointer);

}  // namespace berth::plugin
