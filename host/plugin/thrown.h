// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A guard that catches C++ exceptions from plugins, and describes them. The ABI says that none crosses it.

#include <optional>
#include <string>

namespace berth::plugin {

/// Inside a catch block: what is being handled, as `std::runtime_error: the text`, or the type alone, or "a foreign
/// exception" for what no C++ program threw.
std::string describe_thrown();

/// Runs `fn`; the description of what it threw, if it did.
template <class Fn>
std::optional<std::string> thrown_by(Fn &&fn) {
    try {
        fn();
        return std::nullopt;
    } catch (...) {
        return describe_thrown();
    }
}

}  // namespace berth::plugin
