// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The conversion of older versions' fields to the shape of v1; what their plugins mean is left to upgrade.h.

#include "config/defaults.h"
#include "config/mutable_tree.h"
#include "decode/fields.h"

#include <string>
#include <vector>

namespace berth::config {

struct Shaped {
    MutableTree root;                   ///< as v1 would say it: profiles, today's names of fields and sets
    MutableTree old_fields;             ///< an object: the fields that v1 does not have, as the file has them
    const Provider *provider{};         ///< the one that the file names, if it changes anything
    std::vector<std::string> warnings;  ///< what has no effect, each a complete message
};

/// Records in `errors` the fields that the version does not have, and what cannot be said in v1 at all; their paths are
/// those of the file.
Shaped in_shape_of_v1(const decode::Document &document, const VersionDefaults &version, decode::FieldErrors &errors);

/// `path`, of a file in the shape of v1, as the file of that version has it.
std::string path_in_file(std::string path, const VersionDefaults &version);

}  // namespace berth::config
