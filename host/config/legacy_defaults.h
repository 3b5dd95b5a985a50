// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The defaults that older versions filled into typed plugin arguments.

#include "config/defaults.h"
#include "config/mutable_tree.h"

namespace berth::config {

/// What is filled in because something else is there.
void fill_by_condition(MutableTree &args, const TypedArgs &rules);

/// Everything that the version filled in. `args` is an object.
void fill(MutableTree &args, const TypedArgs &rules);

}  // namespace berth::config
