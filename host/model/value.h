// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parsed JSON or YAML of a document as one immutable tree.
///
/// The host's trees are made of the ABI's own `berth_value`, so that a plugin reads the very bytes that the host
/// decoded and nothing is converted on the way. A `Tree` owns every byte its values point to, alone or with others.

#include <berth/value.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::model {

using berth::to_str;
using berth::Value;
using berth::view;

/// Memory of one tree: a bump allocator whose bytes live until it is destroyed or reset. Not copyable; used by one
/// thread.
class Arena {
    struct Block;
    Block *first_ = nullptr, *in_use_ = nullptr;  ///< the blocks up to this one have been given out, in part or whole
    std::byte *at_ = nullptr;
    /// With its head a block of it is just below 1 KiB: for more, malloc first tidies up what is small.
    static constexpr std::size_t first_block = 976;
    std::size_t left_ = 0, next_ = first_block;

public:
    Arena() = default;
    explicit Arena(std::size_t first) : next_(first) {}  ///< with a first block of that many bytes
    ~Arena();
    Arena(Arena &&other) noexcept { *this = std::move(other); }
    Arena &operator=(Arena &&other) noexcept;

    void *allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t));
    std::string_view copy(std::string_view s);
    template <class T>
    T *array(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T>);
        return n ? static_cast<T *>(allocate(n * sizeof(T), alignof(T))) : nullptr;
    }
    /// Bytes that it has, used or not.
    std::size_t size() const;
    /// Forgets everything that was allocated and keeps the memory for what comes next.
    void reset();
};

/// An immutable tree with the memory it lives in.
struct Tree {
    static constexpr std::size_t shared_most = 2;

    Arena arena;
    berth_value root{};
    /// Those in which some of its values lie, because others have them alike.
    std::array<std::shared_ptr<const Tree>, shared_most> shared;
    Value value() const { return Value{&root}; }
};
using TreePtr = std::shared_ptr<const Tree>;
/// That are its own, not those of `shared`.
inline std::size_t own_bytes(const Tree &tree) { return sizeof(Tree) + tree.arena.size(); }

berth_value make_null();
berth_value make_bool(bool b);
berth_value make_int(std::int64_t n);
berth_value make_double(double d);
berth_value make_string(Arena &arena, std::string_view s);
berth_value make_array(Arena &arena, const std::vector<berth_value> &items);
berth_value make_object(Arena &arena, const std::vector<berth_kv> &members);
/// A deep copy of `v` whose bytes live in `arena`.
berth_value copy(Arena &arena, Value v);

/// The value that an RFC 6901 JSON pointer names below `root`, or an absent value. "" is the root itself.
Value at_pointer(Value root, std::string_view pointer);

/// Same kind and same content; object members compare as a set.
bool equal(Value a, Value b);

}  // namespace berth::model
