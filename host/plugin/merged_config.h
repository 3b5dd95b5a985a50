// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A configuration with the args that its plugins filled in.

#include "config/dump.h"
#include "config/mutable_tree.h"
#include "plugin/inspection.h"

#include <vector>

namespace berth::plugin {

using Inspections = std::vector<ProfileInspection>;  ///< in the order of the profiles

/// The error names every plugin whose args are wrong.
model::Result<Inspections> inspect_args(const config::Configuration &configuration, Catalog &catalog);

/// Args that plugins of Berth's own filled in; without a type of its version they are shown when there is something in
/// them, or when the file has them. Both outlive the result.
config::ArgsOf args_in_force(const config::Configuration &configuration, const Inspections &inspections);

/// As `berth config view` prints it: in the version of its file.
config::MutableTree in_its_own_version(const config::Configuration &configuration, const Inspections &inspections);

struct MergedConfig {
    config::MutableTree v1;   ///< as of v1
    config::MutableTree own;  ///< in its file's version
};
model::Result<MergedConfig> merged_config(const config::Configuration &configuration, Catalog &catalog);

}  // namespace berth::plugin
