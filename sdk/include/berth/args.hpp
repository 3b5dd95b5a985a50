// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a plugin's arguments, and their defaulting and validation.

#include <berth/json.hpp>
#include <berth/kubernetes.hpp>
#include <berth/quantity.hpp>
#include <berth/sinks.hpp>
#include <berth/time.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace berth {

namespace detail {

inline constexpr const char *a_quantity = "a quantity such as 500m or 2Gi",
                            *a_duration = "a duration such as 90s or 1h30m";

/// The shortest text that reads back as this finite number; a whole one has no exponent as long as it is exact.
inline std::string argument_text(double n) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (n == std::floor(n) && n > -exact && n < exact) return std::to_string(static_cast<std::int64_t>(n));
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), n).ptr};
}

}  // namespace detail

/// The arguments in a plugin's constructor. A field of the wrong type throws, and the text reaches the user.
class Args {
    Value v_;
    std::string within_;  ///< "outer.", of an object within the arguments

    [[noreturn]] void wrong(std::string_view name, std::string_view expected, Value got) const {
        throw std::invalid_argument(within_ + std::string(name) + ": expected " + std::string(expected) + ", got " +
                                    (got.is_string() ? json_quote(got.string()) : std::string(kind_name(got))));
    }
    Args(Value v, std::string within) : v_(v), within_(std::move(within)) {}

public:
    explicit Args(Value v) : v_(v) {}
    Value value() const { return v_; }
    Value operator[](std::string_view name) const { return v_[name]; }

    /// An integer that fits T, or `absent`.
    template <class T = std::uint32_t>
    T integer(std::string_view name, T absent) const {
        Value v = v_[name];
        if (v.is_null()) return absent;
        auto n = v.integer();
        if (!n) wrong(name, "a whole number", v);
        if (*n < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
            (sizeof(T) < 8 && *n > static_cast<std::int64_t>(std::numeric_limits<T>::max())))
            throw std::invalid_argument(within_ + std::string(name) + ": " + std::to_string(*n) + " is out of range");
        return static_cast<T>(*n);
    }
    std::uint32_t integer(std::string_view name, int absent) const {
        return integer<std::uint32_t>(name, static_cast<std::uint32_t>(absent));
    }
    std::string string(std::string_view name, std::string_view absent) const {
        Value v = v_[name];
        if (v.is_null()) return std::string(absent);
        if (!v.is_string()) wrong(name, "a string", v);
        return std::string(v.string());
    }
    /// A list of strings; empty if it is absent.
    std::vector<std::string> strings(std::string_view name) const {
        Value v = v_[name];
        if (!v.is_null() && !v.is_array()) wrong(name, "a list of strings", v);
        std::vector<std::string> out;
        for (std::size_t i = 0; i < v.size(); ++i) {
            if (!v.at(i).is_string()) wrong(std::string(name) + '[' + std::to_string(i) + ']', "a string", v.at(i));
            out.emplace_back(v.at(i).string());
        }
        return out;
    }
    bool boolean(std::string_view name, bool absent) const {
        Value v = v_[name];
        if (v.is_null()) return absent;
        if (v.kind() != BERTH_VALUE_BOOL) wrong(name, "true or false", v);
        return v.is_true();
    }
    /// A number, which may have a fraction.
    double number(std::string_view name, double absent) const {
        Value v = v_[name];
        if (v.is_null()) return absent;
        auto n = v.number();
        if (!n) wrong(name, "a number", v);
        return *n;
    }
    /// A resource quantity; `absent` is one.
    Quantity quantity(std::string_view name, std::string_view absent) const {
        Value v = v_[name];
        auto q = v.is_null() ? Quantity::parse(absent) : Quantity::read(v);
        if (!q) wrong(name, detail::a_quantity, v);
        return *q;
    }
    /// A duration as Go and Kubernetes write it; `absent` is one.
    std::chrono::nanoseconds duration(std::string_view name, std::string_view absent) const {
        Value v = v_[name];
        auto d = v.is_null() || v.is_string() ? parse_duration(v.is_null() ? absent : v.string()) : std::nullopt;
        if (!d) wrong(name, detail::a_duration, v);
        return *d;
    }
    /// An object within the arguments; one without fields if it is absent.
    Args object(std::string_view name) const {
        Value v = v_[name];
        if (!v.is_null() && !v.is_object()) wrong(name, "an object", v);
        return {v, within_ + std::string(name) + '.'};
    }
    /// A list of objects; empty if it is absent.
    std::vector<Args> objects(std::string_view name) const {
        Value v = v_[name];
        if (!v.is_null() && !v.is_array()) wrong(name, "a list of objects", v);
        std::vector<Args> out;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto one = std::string(name) + '[' + std::to_string(i) + ']';
            if (!v.at(i).is_object()) wrong(one, "an object", v.at(i));
            out.push_back({v.at(i), within_ + one + '.'});
        }
        return out;
    }
};

/// Defaulting and validation, in `static void default_args(berth::ArgsReader &args)`: each call reads a field, reports
/// a wrong one with its path, and writes the defaulted value. Fields that were not read are errors.
class ArgsReader {
    Value in_;
    ErrorSink errors_;
    const berth_create_info *info_;
    std::string within_;  ///< "outer.", of an object within the arguments
    std::vector<std::string> known_{"apiVersion", "kind"};
    std::size_t of_any_ = known_.size();  ///< fields that every plugin's arguments may have
    std::string out_ = "{";

    ArgsReader(Value in, const ArgsReader &outer, std::string_view name)
        : in_(in),
          errors_(outer.errors_),
          info_(outer.info_),
          within_(outer.within_ + std::string(name) + '.'),
          known_(),
          of_any_(0) {}

    void wrong(std::string_view name, std::string_view expected, Value got) const {
        error(name, "expected " + std::string(expected) + ", got " +
                        (got.is_string() ? json_quote(got.string()) : std::string(kind_name(got))));
    }
    /// The name as a path has it.
    static std::string path_of(std::string_view name) {
        if (name.find_first_of(".[\"") == name.npos) return std::string(name);
        return '[' + json_quote(name) + ']';
    }
    /// Has `fn` read an object; its JSON.
    template <class Fn>
    std::string inner(Value v, std::string_view name, Fn &&fn) const {
        static_assert(!std::is_invocable_v<Fn, ArgsReader>,
                      "take the reader by reference: [](berth::ArgsReader &reader)");
        if (!v.is_null() && !v.is_object()) wrong(name, "an object", v);
        ArgsReader reader(v.is_object() ? v : Value{}, *this, name);
        fn(reader);
        return reader.finish();
    }

    void emit(std::string_view name, const std::string &text) {
        if (out_.size() > 1) out_ += ',';
        out_ += json_quote(name) + ':' + text;
    }

public:
    ArgsReader(Value in, ErrorSink errors, const berth_create_info *info = nullptr)
        : in_(in), errors_(errors), info_(info) {}

    void error(std::string_view path, std::string_view text) const { errors_.add(within_ + std::string(path), text); }
    Kubernetes kubernetes() const { return Kubernetes(errors_.host()); }
    /// The resources that extenders of the configuration look after and that plugins leave to them.
    std::span<const berth_str> extender_resources() const {
        if (!info_ || !BERTH_HAS(info_, extender_resources_len)) return {};
        return {info_->extender_resources, static_cast<std::size_t>(info_->extender_resources_len)};
    }
    /// A field as it stands; the caller validates it and writes it with set().
    Value field(std::string_view name) {
        if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
        return in_[name];
    }
    void set(std::string_view name, const std::string &json_text) { emit(name, json_text); }

    std::int64_t integer(std::string_view name, std::int64_t absent, std::int64_t min, std::int64_t max) {
        Value v = field(name);
        std::int64_t n = absent;
        if (!v.is_null()) {
            if (auto i = v.integer()) {
                n = *i;
                if (n < min || n > max)
                    error(name, "must be from " + std::to_string(min) + " to " + std::to_string(max) + ", got " +
                                    std::to_string(n));
            } else {
                error(name, "expected a whole number, got " + std::string(kind_name(v)));
            }
        }
        emit(name, std::to_string(n));
        return n;
    }
    std::string string(std::string_view name, std::string_view absent) {
        Value v = field(name);
        std::string s(absent);
        if (v.is_string()) s = v.string();
        else if (!v.is_null()) error(name, "expected a string, got " + std::string(kind_name(v)));
        emit(name, json_quote(s));
        return s;
    }
    /// A list of strings; empty if it is absent.
    std::vector<std::string> strings(std::string_view name) {
        Value v = field(name);
        std::vector<std::string> out;
        if (!v.is_null() && !v.is_array()) error(name, "expected a list of strings, got " + std::string(kind_name(v)));
        std::string list;
        for (std::size_t i = 0; v.is_array() && i < v.size(); ++i) {
            if (!v.at(i).is_string())
                error(std::string(name) + '[' + std::to_string(i) + ']',
                      "expected a string, got " + std::string(kind_name(v.at(i))));
            out.emplace_back(v.at(i).string());
            list += (list.empty() ? "" : ",") + json_quote(out.back());
        }
        emit(name, '[' + list + ']');
        return out;
    }
    /// One of a few words.
    std::string one_of(std::string_view name, std::string_view absent, const std::vector<std::string_view> &words) {
        std::string s = string(name, absent);
        std::string list;
        for (auto w : words) {
            if (w == s) return s;
            list += (list.empty() ? "" : ", ") + std::string(w);
        }
        error(name, "must be one of " + list + "; got " + json_quote(s));
        return std::string(absent);
    }
    bool boolean(std::string_view name, bool absent) {
        Value v = field(name);
        bool b = v.boolean().value_or(absent);
        if (!v.is_null() && !v.boolean()) error(name, "expected true or false, got " + std::string(kind_name(v)));
        emit(name, b ? "true" : "false");
        return b;
    }
    /// A number, which may have a fraction. An `absent` that is not finite is written as null.
    double number(std::string_view name, double absent, double min, double max) {
        Value v = field(name);
        const double n = v.number().value_or(absent);
        if (!v.is_null() && !v.number()) wrong(name, "a number", v);
        else if (!(n >= min && n <= max))
            error(name, "must be from " + detail::argument_text(min) + " to " + detail::argument_text(max) + ", got " +
                            detail::argument_text(n));
        if (v.integer()) emit(name, json(v));
        else emit(name, std::isfinite(n) ? detail::argument_text(n) : "null");
        return n;
    }
    /// A resource quantity; `absent` is one.
    Quantity quantity(std::string_view name, std::string_view absent) {
        Value v = field(name);
        auto q = v.is_null() ? Quantity::parse(absent) : Quantity::read(v);
        if (!q) wrong(name, detail::a_quantity, v);
        emit(name, q && !v.is_null() ? json(v) : json_quote(absent));
        return q.value_or(Quantity{});
    }
    /// A duration as Go and Kubernetes write it, from `min` on; `absent` is one.
    std::chrono::nanoseconds duration(std::string_view name, std::string_view absent,
                                      std::chrono::nanoseconds min = std::chrono::nanoseconds{0}) {
        Value v = field(name);
        const auto text = v.is_string() ? v.string() : absent;
        auto d = v.is_null() || v.is_string() ? parse_duration(text) : std::nullopt;
        if (!d) wrong(name, detail::a_duration, v);
        else if (*d < min)
            error(name, "must be " +
                            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(min).count()) +
                            "ms or more, got " + std::string(text));
        emit(name, json_quote(d ? text : absent));
        return d.value_or(min);
    }
    /// An object within the arguments: `fn(ArgsReader &)` reads its fields. Unknown ones are errors there, too.
    template <class Fn>
    void object(std::string_view name, Fn &&fn) {
        emit(name, inner(field(name), path_of(name), fn));
    }
    /// A list of objects, each of which `fn` reads; empty if it is absent.
    template <class Fn>
    void objects(std::string_view name, Fn &&fn) {
        Value v = field(name);
        if (!v.is_null() && !v.is_array()) wrong(name, "a list of objects", v);
        std::string list;
        for (std::size_t i = 0; v.is_array() && i < v.size(); ++i) {
            if (i > 0) list += ',';
            list += inner(v.at(i), path_of(name) + '[' + std::to_string(i) + ']', fn);
        }
        emit(name, '[' + list + ']');
    }
    /// Reports unknown fields and returns the defaulted arguments.
    std::string finish() {
        for (std::size_t i = 0; i < in_.size(); ++i) {
            bool known = false;
            std::string list;
            for (std::size_t k = 0; k < known_.size(); ++k) {
                known = known || known_[k] == in_.key(i);
                if (k >= of_any_) list += (list.empty() ? "" : ", ") + known_[k];
            }
            if (!known)
                error(in_.key(i), list.empty()      ? "unknown field; there are no arguments"
                                  : within_.empty() ? "unknown field; the arguments are " + list
                                                    : "unknown field; the fields are " + list);
        }
        return out_ + "}";
    }
};

}  // namespace berth
