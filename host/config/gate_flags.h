// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of feature-gate and version flags (component-base: featuregate, compatibility).

#include "config/feature_gates.h"

#include <compare>
#include <cstdint>
#include <map>

namespace berth::config {

struct MinorVersion {
    std::uint64_t major = 0, minor = 0;

    auto operator<=>(const MinorVersion &) const = default;
};
/// Of "1.36" or "1.36.3", which is right.
MinorVersion minor_version(std::string_view text);
std::string text(MinorVersion version);

/// What is emulated, and how old other components may be.
struct Versions {
    MinorVersion emulated, compatible, oldest;

    /// A release's own.
    static Versions of(MinorVersion release);
    void emulate(MinorVersion version);
    bool operator==(const Versions &) const = default;
};

/// Changes the versions to what the flags say. The error names the flag, and then has upstream's words.
model::Result<void> read_versions(const GateFlags &flags, Versions &versions);
/// Whether the versions are some that the release can take the place of.
model::Result<void> check_range(const GateFlags &flags, const Versions &versions, const std::string &release);
/// What the flags set, by name. The error names the flag, and then has upstream's words.
model::Result<std::map<std::string, bool>> read_gates(const GateFlags &flags);

/// As utilerrors.Aggregate: one text, or [a, b].
std::string aggregate(const std::vector<std::string> &errors);

}  // namespace berth::config
