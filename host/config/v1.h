// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of `kubescheduler.config.k8s.io/v1`, and of older versions in its shape.

#include "config/configuration.h"
#include "config/defaults.h"
#include "decode/fields.h"

namespace berth::config {

/// Reads what `root` holds (`apiVersion` and `kind` have been dealt with), fills in what is left out as upstream's
/// defaults.go does, and merges the version's default profile into every profile as that version does it. Fields of a
/// wrong type are recorded in `errors` and then count as left out, so that validation can go on.
Configuration read_v1(decode::Fields &root, const VersionDefaults &defaults, decode::FieldErrors &errors);

}  // namespace berth::config
