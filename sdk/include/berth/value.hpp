// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A C++ view of berth_value: one node of a parsed tree, read in place.

#include <berth/text.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

inline std::string_view view(const berth_str &s) { return {s.ptr, static_cast<std::size_t>(s.len)}; }
inline berth_str to_str(std::string_view s) { return {s.data(), s.size()}; }

/// A pointer-sized view of one node of a tree. Every accessor is total: asking a value for what it is not gives an
/// empty answer, so that reading an optional field needs no checks. Lives as long as its tree.
class Value {
    const berth_value *v_ = nullptr;

public:
    Value() = default;
    explicit Value(const berth_value *v) : v_(v) {}

    const berth_value *raw() const { return v_; }
    explicit operator bool() const { return v_ != nullptr; }  ///< present (an explicit null is present)
    std::uint32_t kind() const { return v_ ? v_->kind : BERTH_VALUE_NULL; }
    /// Null or absent; a kind that a later host has counts as that.
    bool is_null() const { return kind() == BERTH_VALUE_NULL || kind() > BERTH_VALUE_OBJECT; }
    bool is_string() const { return kind() == BERTH_VALUE_STRING; }
    bool is_array() const { return kind() == BERTH_VALUE_ARRAY; }
    bool is_object() const { return kind() == BERTH_VALUE_OBJECT; }

    std::string_view string() const {
        return is_string() ? std::string_view{v_->ptr.string, static_cast<std::size_t>(v_->n.len)} : std::string_view{};
    }
    std::optional<std::int64_t> integer() const {
        if (kind() != BERTH_VALUE_INT) return std::nullopt;
        return v_->n.integer;
    }
    std::optional<double> number() const {
        if (kind() == BERTH_VALUE_INT) return static_cast<double>(v_->n.integer);
        if (kind() == BERTH_VALUE_DOUBLE) return v_->n.number;
        return std::nullopt;
    }
    std::optional<bool> boolean() const {
        if (kind() != BERTH_VALUE_BOOL) return std::nullopt;
        return v_->n.integer != 0;
    }
    bool is_true() const { return boolean().value_or(false); }

    std::size_t size() const { return is_array() || is_object() ? static_cast<std::size_t>(v_->n.len) : 0; }
    Value at(std::size_t i) const { return is_array() && i < size() ? Value{v_->ptr.items + i} : Value{}; }
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
    const berth_kv *members() const { return v_->ptr.members; }
};

}  // namespace berth
