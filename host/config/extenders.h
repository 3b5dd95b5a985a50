// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader and writer of `extenders` in a configuration file.

#include "config/defaults.h"
#include "config/extender.h"
#include "config/mutable_tree.h"
#include "decode/fields.h"

#include <vector>

namespace berth::config {

std::vector<Extender> read_extenders(decode::Fields &root);

/// As kube-scheduler prints them: what is false, zero or empty is left out.
MutableTree dump_extenders(const std::vector<Extender> &extenders, const VersionDefaults &version);

}  // namespace berth::config
