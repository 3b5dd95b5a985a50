// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The results of a plugin in C++: a verdict and its reasons.

#include <berth/status.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

/// A reason or an error's text. A string literal is kept by address and costs nothing; anything else is copied, a
/// `char` array that is filled at run time and a `const char *` among them.
class Reason {
    std::string_view literal_;
    std::string copy_;

public:
    template <std::size_t N>
    Reason(const char (&literal)[N]) : literal_(literal, N - 1) {}
    template <std::size_t N>
    Reason(char (&buffer)[N]) : copy_(buffer) {}
    template <class P>
        requires std::same_as<P, const char *> || std::same_as<P, char *>
    Reason(const P &text) : copy_(text ? text : "") {}
    Reason(std::string text) : copy_(std::move(text)) {}
    Reason(std::string_view text) : copy_(text) {}
    std::string_view text() const { return literal_.data() ? literal_ : std::string_view(copy_); }
    bool is_literal() const { return literal_.data() != nullptr; }
};

/// An answer: yes, or a code with reasons. Made by the functions below; `return berth::ok;`.
class [[nodiscard]] Verdict {
    std::int32_t code_ = BERTH_STATUS_SUCCESS;
    std::vector<std::string> more_;
    Reason first_{""};

public:
    Verdict() = default;
    Verdict(std::int32_t code, Reason reason) : code_(code), first_(std::move(reason)) {}
    Verdict(std::int32_t code, std::vector<std::string> reasons) : code_(code), more_(std::move(reasons)) {}
    explicit Verdict(std::int32_t code) : code_(code) {}

    std::int32_t code() const { return code_; }
    const Reason &first() const { return first_; }
    const std::vector<std::string> &list() const { return more_; }  ///< used when not empty, else first()
};

inline const Verdict ok{};
/// No, and evicting pods from the node might help.
inline Verdict unschedulable(Reason reason) { return {BERTH_STATUS_UNSCHEDULABLE, std::move(reason)}; }
inline Verdict unschedulable(std::vector<std::string> reasons) {
    return {BERTH_STATUS_UNSCHEDULABLE, std::move(reasons)};
}
/// No, and evicting pods would not help.
inline Verdict unresolvable(Reason reason) { return {BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, std::move(reason)}; }
inline Verdict unresolvable(std::vector<std::string> reasons) {
    return {BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, std::move(reasons)};
}
/// No, until somebody else has acted.
inline Verdict pending(Reason reason) { return {BERTH_STATUS_PENDING, std::move(reason)}; }
/// Something broke: the attempt fails and is tried again later.
inline Verdict error(Reason text) { return {BERTH_STATUS_ERROR, std::move(text)}; }
/// This plugin has nothing to say for this pod.
inline Verdict skip() { return Verdict{BERTH_STATUS_SKIP}; }
/// PreBind: how a call ends that was cancelled; the host has the reason.
inline Verdict cancelled() { return Verdict{BERTH_STATUS_CANCELLED}; }
/// PreBind and Bind: the answer comes through Done.
inline Verdict in_progress() { return Verdict{BERTH_STATUS_IN_PROGRESS}; }

/// What Permit answers: a verdict, or "wait".
struct Permit {
    Verdict verdict;
    std::chrono::milliseconds timeout{0};
    Permit(Verdict v) : verdict(std::move(v)) {}
    static Permit wait(std::chrono::milliseconds at_most) {
        Permit p{Verdict{BERTH_STATUS_WAIT}};
        p.timeout = at_most;
        return p;
    }
};

/// What PreBind's preflight answers: a verdict, and whether pre_bind may run beside that of neighbouring plugins.
struct Preflight {
    Verdict verdict;
    bool parallel = false;
    Preflight(Verdict v, bool beside_others = false) : verdict(std::move(v)), parallel(beside_others) {}
};

enum class Hint : std::uint8_t { Skip = 0, Queue = 1, Error = 2 };

/// What a plugin that only needs a standard formula declares instead of a normalize method.
enum class Normalize : std::uint32_t { Default = 1, Reverse = 2 };

}  // namespace berth
