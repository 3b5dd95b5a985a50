// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The conversion of a configuration file of an older version (v1beta2, v1beta3, …) to v1.

#include "config/configuration.h"
#include "config/defaults.h"
#include "config/mutable_tree.h"
#include "model/result.h"

#include <string>
#include <vector>

namespace berth::config {

struct Upgraded {
    /// The file of v1 that schedules as the old one did: what the older version filled in by itself is written out,
    /// plugins that are gone are left out or replaced, and hooks that plugins need today are enabled. What the old file
    /// did not contain has no place.
    MutableTree root;
    Configuration era;                  ///< what the file's own version makes of it
    std::vector<std::string> warnings;  ///< each thing that has no effect or no equivalent, a complete message
};

/// Reads a file of an older version by the rules of that version and converts it. The error lists everything that is
/// wrong and everything that cannot be converted. Messages name the release that decides.
model::Result<Upgraded> upgrade(const decode::Document &document, const VersionDefaults &version, Release release);

}  // namespace berth::config
