// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What varies in a log line, beside its message: `host.info(2, "Held a pod", {{"missing", 3}})`.

#include <berth/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace berth {

/// A key and a text, a number, a bool or a Value. What it is made of lives until the line is written.
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
            const std::string_view text = value;
            set(BERTH_VALUE_STRING);
            kv_.value.n.len = text.size();
            kv_.value.ptr.string = text.data();
        }
    }
    const berth_kv &raw() const { return kv_; }
};
using Fields = std::initializer_list<Field>;

namespace detail {

/// The line as one text, for a host that takes no fields.
inline std::string line_of(std::string_view message, std::span<const berth_kv> fields) {
    std::string out(message);
    for (const auto &field : fields) {
        const Value value(&field.value);
        out.append(" ").append(view(field.key)).append("=");
        if (value.is_string()) out.append("\"").append(value.string()).append("\"");
        else if (auto on = value.boolean()) out.append(*on ? "true" : "false");
        else if (auto whole = value.integer()) out.append(std::to_string(*whole));
        else if (auto number = value.number()) out.append(std::to_string(*number));
        else out.append(value.is_array() ? "[…]" : value.is_object() ? "{…}" : "null");
    }
    return out;
}

}  // namespace detail
}  // namespace berth
