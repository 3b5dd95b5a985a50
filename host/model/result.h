// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A value, or an error with a complete message (Result, Error). "This node does not fit" is not an error and never one
/// of these; a wrong file, a refused library or a failed request is.

#include <string>
#include <utility>
#include <variant>

namespace berth::model {

/// Why something from outside could not be used. `text` is a complete message for a person: what was read, where, what
/// was expected and how to put it right.
struct Error {
    std::string text;
};

template <class T>
class [[nodiscard]] Result {
    std::variant<T, Error> v_;

public:
    Result(T value) : v_(std::move(value)) {}
    Result(Error error) : v_(std::move(error)) {}

    bool ok() const { return v_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T &operator*() & { return std::get<0>(v_); }
    const T &operator*() const & { return std::get<0>(v_); }
    T &&operator*() && { return std::get<0>(std::move(v_)); }
    T *operator->() { return &std::get<0>(v_); }
    const T *operator->() const { return &std::get<0>(v_); }
    const Error &error() const { return std::get<1>(v_); }
};

template <>
class [[nodiscard]] Result<void> {
    std::string text_;
    bool ok_ = true;

public:
    Result() = default;
    Result(Error error) : text_(std::move(error.text)), ok_(false) {}
    bool ok() const { return ok_; }
    explicit operator bool() const { return ok_; }
    Error error() const { return {text_}; }
};

}  // namespace berth::model
