// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsed JSON and YAML as one immutable tree.
///
/// The host's trees are made of the ABI's own `berth_value`, so that a plugin reads the very bytes that the host
/// decoded and nothing is converted on the way. A `Tree` owns every byte its values point to.

#include <berth/text.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

inline std::string_view view(const berth_str &s) { return {s.ptr, static_cast<std::size_t>(s.len)}; }
inline berth_str to_str(std::string_view s) { return {s.data(), s.size()}; }

/// A pointer-sized view of one node of a tree. Every accessor is total: asking a value for what it is not gives an
/// empty answer, so that reading an optional field needs no checks. Lives as long as its Tree.
class Value {
    const berth_value *v_ = nullptr;

public:
    Value() = default;
    explicit Value(const berth_value *v) : v_(v) {}

    const berth_value *raw() const { return v_; }
    explicit operator bool() const { return v_ != nullptr; }  ///< present (an explicit null is present)
    std::uint32_t kind() const { return v_ ? v_->kind : BERTH_VALUE_NULL; }
    bool is_null() const { return kind() == BERTH_VALUE_NULL; }  ///< null or absent
    bool is_string() const { return kind() == BERTH_VALUE_STRING; }
    bool is_array() const { return kind() == BERTH_VALUE_ARRAY; }
    bool is_object() const { return kind() == BERTH_VALUE_OBJECT; }

    std::string_view string() const {
        return is_string() ? std::string_view{static_cast<const char *>(v_->ptr), static_cast<std::size_t>(v_->n)}
                           : std::string_view{};
    }
    std::optional<std::int64_t> integer() const {
        if (kind() != BERTH_VALUE_INT) return std::nullopt;
        return v_->n;
    }
    std::optional<double> number() const {
        if (kind() == BERTH_VALUE_INT) return static_cast<double>(v_->n);
        if (kind() == BERTH_VALUE_DOUBLE) return std::bit_cast<double>(v_->n);
        return std::nullopt;
    }
    std::optional<bool> boolean() const {
        if (kind() != BERTH_VALUE_BOOL) return std::nullopt;
        return v_->n != 0;
    }
    bool is_true() const { return boolean().value_or(false); }

    std::size_t size() const { return is_array() || is_object() ? static_cast<std::size_t>(v_->n) : 0; }
    Value at(std::size_t i) const {
        return is_array() && i < size() ? Value{static_cast<const berth_value *>(v_->ptr) + i} : Value{};
    }
    std::string_view key(std::size_t i) const {
        return is_object() && i < size() ? view(members()[i].key) : std::string_view{};
    }
    Value member(std::size_t i) const { return is_object() && i < size() ? Value{&members()[i].value} : Value{}; }
    /// The member of that name, or an absent value.
    Value operator[](std::string_view name) const {
        if (is_object())
            for (std::size_t i = 0; i < size(); ++i)
                if (view(members()[i].key) == name) return Value{&members()[i].value};
        return Value{};
    }

private:
    const berth_kv *members() const { return static_cast<const berth_kv *>(v_->ptr); }
};

/// Memory of one tree: a bump allocator whose bytes live until it is destroyed. Not copyable; used by one thread.
class Arena {
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::byte *at_ = nullptr;
    std::size_t left_ = 0, used_ = 0, next_ = 1024;

public:
    Arena() = default;
    Arena(Arena &&) = default;
    Arena &operator=(Arena &&) = default;

    void *allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t));
    std::string_view copy(std::string_view s);
    template <class T>
    T *array(std::size_t n) {
        static_assert(std::is_trivially_destructible_v<T>);
        return n ? static_cast<T *>(allocate(n * sizeof(T), alignof(T))) : nullptr;
    }
    std::size_t bytes() const { return used_; }
};

/// An immutable tree with the memory it lives in.
struct Tree {
    Arena arena;
    berth_value root{};
    Value value() const { return Value{&root}; }
};
using TreePtr = std::shared_ptr<const Tree>;

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
