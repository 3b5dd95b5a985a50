// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Semantic versions of CEL, with the rules and texts of github.com/blang/semver/v4.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubernetes::cel {

struct Semver {
    struct PreRelease {
        std::string text;  ///< empty if it is a number
        std::uint64_t number = 0;
    };

    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::uint64_t patch = 0;
    std::vector<PreRelease> pre_release;
    std::vector<std::string> build;
    std::size_t size = 0;  ///< of the text that it was read from

    /// The error's text; empty if `into` has the version.
    static std::string parse(std::string_view text, Semver &into);
    /// Takes a leading v, leading zeros and one or two numbers, too.
    static std::string parse_normalized(std::string_view text, Semver &into);

    int compare(const Semver &other) const;  ///< -1, 0, 1; the build does not count
    std::string printed() const;
};

/// How Go quotes a character that has an escape of its own; empty for any other.
std::string_view escape_of(char32_t character);
/// Go's %q.
std::string quoted(std::string_view text);

}  // namespace kubernetes::cel
