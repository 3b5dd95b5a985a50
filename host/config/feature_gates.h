// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The feature gates of kube-scheduler: which there are, how its flags set them, and what Berth does with each.

#include "config/configuration.h"
#include "model/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

/// What follows --feature-gates, --emulated-version and --min-compatibility-version, an entry for each time that the
/// flag was given.
struct GateFlags {
    std::vector<std::string> gates, emulated, compatible;

    bool given() const { return !gates.empty() || !emulated.empty() || !compatible.empty(); }
};

enum class GateTreatment : std::uint8_t {
    Honoured,  ///< on and off as kube-scheduler
    Ignored,   ///< on or off, nothing changes
    Fixed,     ///< refused unless it is as it is by default
};

struct FeatureGate {
    std::string name;
    bool on = false;
    bool by_default = false;  ///< in the version that is emulated
    std::string stage;        ///< there: ALPHA, BETA, GA, DEPRECATED; PRE-ALPHA before it was known
    bool locked = false;      ///< there
    bool given = false;       ///< by its name
    bool usual = false;       ///< the default of the release itself
    GateTreatment treatment = GateTreatment::Ignored;
    std::string why;  ///< of one that is ignored or fixed
};

/// All gates of the release with the values that the flags give them. A value.
class FeatureGates {
    Release release_;
    std::vector<FeatureGate> all_;
    bool by_version_ = false;  ///< some gates have their value because of the version that is emulated

public:
    /// Reads the flags as kube-scheduler does. The error names the flag, and then has upstream's words.
    static model::Result<FeatureGates> read(const GateFlags &flags, Release release = {});

    const std::vector<FeatureGate> &all() const { return all_; }  ///< by name
    bool on(std::string_view name) const;
    /// Makes the configuration decide so. The error says which gates cannot be honoured, or what in the configuration
    /// a gate forbids. Doing so twice is doing it once.
    model::Result<void> apply(Configuration &configuration) const;
    /// Those that were given, have another value than usual, and change nothing.
    std::vector<FeatureGate> without_effect() const;
};

/// Whether the configuration decides as with that gate on: for a gate without effect, its default. Nothing: its release
/// has none of that name. Any thread.
std::optional<bool> gate_in(Release release, const std::string &changed, std::string_view name);

/// Makes it decide as one of which `changed` are the `feature_gates`.
model::Result<void> apply_gates(const std::string &changed, Configuration &configuration);
/// Makes it decide as the flags say. Its warnings then name gates that were given and change nothing.
model::Result<void> apply_gates(const GateFlags &flags, Configuration &configuration);

}  // namespace berth::config
