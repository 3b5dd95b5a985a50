// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The release of Kubernetes whose scheduling decisions Berth makes.

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace berth::config {

/// A minor release. A value; without a word it is the one that Berth decides as by default.
class Release {
    int minor_ = 36;

    constexpr explicit Release(int minor) : minor_(minor) {}

public:
    constexpr Release() = default;

    constexpr int minor() const { return minor_; }
    std::string text() const { return "1." + std::to_string(minor_); }  ///< "1.36"
    auto operator<=>(const Release &) const = default;

    /// Those that Berth can decide as, the oldest first.
    static std::span<const Release> all();
    /// "1.36 or 1.37"
    static std::string names();
    /// Of "1.36", "v1.36" or "1.36.3"; nothing for one that Berth cannot decide as.
    static std::optional<Release> of(std::string_view text);
};

}  // namespace berth::config
