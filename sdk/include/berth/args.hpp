// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a plugin's arguments, and their defaulting and validation.

#include <berth/json.hpp>
#include <berth/kubernetes.hpp>
#include <berth/sinks.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace berth {

/// The arguments in a plugin's constructor. A field of the wrong type throws, and the text reaches the user.
class Args {
    Value v_;

    [[noreturn]] static void wrong(std::string_view name, std::string_view expected, Value got) {
        throw std::invalid_argument(std::string(name) + ": expected " + std::string(expected) + ", got " +
                                    std::string(kind_name(got)));
    }

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
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(*n) + " is out of range");
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
};

/// Defaulting and validation, in `static void default_args(berth::ArgsReader &args)`: each call reads a field, reports
/// a wrong one with its path, and writes the defaulted value. Fields that were not read are errors.
class ArgsReader {
    Value in_;
    ErrorSink errors_;
    const berth_create_info *info_;
    std::vector<std::string> known_{"apiVersion", "kind"};
    std::string out_ = "{";

    void emit(std::string_view name, const std::string &text) {
        if (out_.size() > 1) out_ += ',';
        out_ += json_quote(name) + ':' + text;
    }

public:
    ArgsReader(Value in, ErrorSink errors, const berth_create_info *info = nullptr)
        : in_(in), errors_(errors), info_(info) {}

    void error(std::string_view path, std::string_view text) const { errors_.add(path, text); }
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
    /// Reports unknown fields and returns the defaulted arguments.
    std::string finish() {
        for (std::size_t i = 0; i < in_.size(); ++i) {
            bool known = false;
            std::string list;
            for (std::size_t k = 0; k < known_.size(); ++k) {
                known = known || known_[k] == in_.key(i);
                if (k >= 2) list += (list.empty() ? "" : ", ") + known_[k];
            }
            if (!known)
                error(in_.key(i), list.empty() ? "unknown field; there are no arguments"
                                               : "unknown field; the arguments are " + list);
        }
        return out_ + "}";
    }
};

}  // namespace berth
