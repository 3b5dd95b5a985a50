// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The feature gates of kube-scheduler, their values from flags, and their effect in Berth.

#include "config/configuration.h"
#include "model/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

/// Gates that a file sets.
struct FileGates {
    std::map<std::string, bool> values;  ///< by name
    std::string place;                   ///< "file.yaml:6:15: featureGates"
};

/// What follows --feature-gates, --emulated-version and --min-compatibility-version, an entry for each time that the
/// flag was given.
struct GateFlags {
    std::vector<std::string> gates, emulated, compatible;
    FileGates file{};  ///< a gate that --feature-gates names has the flag's value

    bool given() const { return !gates.empty() || !emulated.empty() || !compatible.empty() || !file.values.empty(); }
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
    std::string why;     ///< of one that is ignored or fixed
    std::string set_by;  ///< "--feature-gates", or the place in a file; "" if it has the default of its version
};

/// All gates of the release with the values that the flags give them. A value.
class FeatureGates {
    Release release_;
    std::vector<FeatureGate> all_;

public:
    /// Reads the flags as kube-scheduler does. The error names the flag or the place in the file, and then has
    /// upstream's words.
    static model::Result<FeatureGates> read(const GateFlags &flags, Release release = {});

    const std::vector<FeatureGate> &all() const { return all_; }  ///< by name
    bool on(std::string_view name) const;
    /// Whether Berth can honour them. The error says which ones it cannot.
    model::Result<void> check() const;
    /// Makes the configuration decide so. The error says what in the configuration a gate forbids. Doing so twice is
    /// doing it once.
    model::Result<void> apply(Configuration &configuration) const;
    /// Those that were given, have another value than usual, and change nothing.
    std::vector<FeatureGate> without_effect() const;
    /// A message for each of these.
    std::vector<std::string> warnings() const;
};

/// Whether the configuration decides as with that gate on: for a gate without effect, its default. Nothing: its release
/// has none of that name. Any thread.
std::optional<bool> gate_in(Release release, const std::string &changed, std::string_view name);

/// Makes it decide as one of which `changed` are the `feature_gates`.
model::Result<void> apply_gates(const std::string &changed, Configuration &configuration);
/// The gates that the flags give, which Berth can honour; nothing without flags.
model::Result<std::optional<FeatureGates>> honoured_gates(const GateFlags &flags, Release release);
/// Makes it decide as the gates say, if there are any. Its warnings then name gates that were given and change nothing.
model::Result<void> apply_gates(const std::optional<FeatureGates> &gates, Configuration &configuration);

}  // namespace berth::config
