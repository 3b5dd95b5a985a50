// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What older versions filled into arguments that have a type.

#include "config/defaults.h"
#include "config/draft.h"

namespace berth::config {

/// What is filled in because something else is there.
void fill_by_condition(Draft &args, const TypedArgs &rules);

/// Everything that the version filled in. `args` is an object.
void fill(Draft &args, const TypedArgs &rules);

}  // namespace berth::config
