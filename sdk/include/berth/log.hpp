// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Fields of a log line beside its message: `host.info(2, "Held a pod", {{"missing", 3}})`.

#include <berth/detail/log_line.hpp>
#include <berth/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace berth {

namespace detail {

template <class T, class... Of>
constexpr bool is_one_of = (std::is_same_v<T, Of> || ...);
/// Of one character; char is none of these as a number either.
template <class T>
constexpr bool is_character = is_one_of<T, char, wchar_t, char8_t, char16_t, char32_t>;

}  // namespace detail

/// A key and a text, a number, a bool or a Value; a const char * that is null is null. What it is made of lives until
/// the line is written.
class Field {
    berth_kv kv_{};

    void set(std::uint32_t kind) { kv_.value.kind = kind; }

public:
    template <class T>
    Field(std::string_view key, const T &value) {
        kv_.key = to_str(key);
        if constexpr (std::is_same_v<T, Value>) {
            if (value) kv_.value = *value.raw();
        } else if constexpr (std::is_same_v<T, bool>) {
            set(BERTH_VALUE_BOOL);
            kv_.value.n.integer = value ? 1 : 0;
        } else if constexpr (std::is_integral_v<T>) {
            static_assert(!detail::is_character<T>,
                          "a character is no value of a field: pass a text of it, or the number that it is");
            if (std::cmp_less_equal(value, std::numeric_limits<std::int64_t>::max())) {
                set(BERTH_VALUE_INT);
                kv_.value.n.integer = static_cast<std::int64_t>(value);
            } else {
                set(BERTH_VALUE_DOUBLE);
                kv_.value.n.number = static_cast<double>(value);
            }
        } else if constexpr (std::is_floating_point_v<T>) {
            set(BERTH_VALUE_DOUBLE);
            kv_.value.n.number = static_cast<double>(value);
        } else {
            static_assert(std::is_convertible_v<const T &, std::string_view> && !std::is_null_pointer_v<T>,
                          "a field is a text, a number, a bool or a berth::Value");
            if constexpr (std::is_pointer_v<T>)
                if (!value) return;
            const std::string_view text = value;
            set(BERTH_VALUE_STRING);
            kv_.value.n.len = text.size();
            kv_.value.ptr.string = text.data();
        }
    }
    const berth_kv &raw() const { return kv_; }
};
using Fields = std::initializer_list<Field>;

}  // namespace berth
