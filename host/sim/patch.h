// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Changes to stored objects.

#include "model/value.h"

namespace berth::sim {

/// A copy of `base` with a JSON merge patch (RFC 7386) applied: objects are merged, null removes, all else replaces.
model::TreePtr merged(model::Value base, model::Value patch);

}  // namespace berth::sim
