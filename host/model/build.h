// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The builders of trees for output, member by member in their written order.

#include "model/value.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace berth::model {

/// The items of an array in the making. Strings and values of other trees are copied. The arena outlives it and its
/// value; used by one thread.
class ArrayBuilder {
    Arena *arena_;
    std::vector<berth_value> items_;

public:
    explicit ArrayBuilder(Arena &arena) : arena_(&arena) {}

    ArrayBuilder &add(berth_value v) { return items_.push_back(v), *this; }
    ArrayBuilder &add(std::string_view s) { return add(make_string(*arena_, s)); }
    ArrayBuilder &add(const char *s) { return add(std::string_view{s}); }
    ArrayBuilder &add(bool b) { return add(make_bool(b)); }
    ArrayBuilder &add(double d) { return add(make_double(d)); }
    template <std::integral I>
    ArrayBuilder &add(I n) {
        return add(make_int(static_cast<std::int64_t>(n)));
    }
    ArrayBuilder &add(Value v) { return add(copy(*arena_, v)); }
    bool empty() const { return items_.empty(); }
    berth_value value() const { return make_array(*arena_, items_); }
};

/// The members of an object in the making. Keys and strings are copied; nothing checks that a key is new.
class ObjectBuilder {
    Arena *arena_;
    std::vector<berth_kv> members_;

public:
    explicit ObjectBuilder(Arena &arena) : arena_(&arena) {}

    ObjectBuilder &add(std::string_view key, berth_value v) {
        members_.push_back({to_str(arena_->copy(key)), v});
        return *this;
    }
    ObjectBuilder &add(std::string_view key, std::string_view s) { return add(key, make_string(*arena_, s)); }
    ObjectBuilder &add(std::string_view key, const char *s) { return add(key, std::string_view{s}); }
    ObjectBuilder &add(std::string_view key, bool b) { return add(key, make_bool(b)); }
    ObjectBuilder &add(std::string_view key, double d) { return add(key, make_double(d)); }
    template <std::integral I>
    ObjectBuilder &add(std::string_view key, I n) {
        return add(key, make_int(static_cast<std::int64_t>(n)));
    }
    ObjectBuilder &add(std::string_view key, Value v) { return add(key, copy(*arena_, v)); }
    ObjectBuilder &add(std::string_view key, const ObjectBuilder &o) { return add(key, o.value()); }
    ObjectBuilder &add(std::string_view key, const ArrayBuilder &a) { return add(key, a.value()); }
    bool empty() const { return members_.empty(); }
    berth_value value() const { return make_object(*arena_, members_); }
};

}  // namespace berth::model
