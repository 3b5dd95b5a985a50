// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON merge patches and strategic merge patches of stored objects.

#include "model/result.h"
#include "model/value.h"

namespace berth::sim {

/// A copy of `base` with a JSON merge patch (RFC 7386) applied: objects are merged, null removes, all else replaces.
model::TreePtr merged(model::Value base, model::Value patch);

/// `base` with a strategic merge patch applied: as above, but lists that have a merge key in Kubernetes'
/// types are merged by it. Known are the lists that are written after an object was made: conditions, owners,
/// finalizers, gates, addresses. A directive that is not simulated is an error. (apimachinery v0.36.3,
/// util/strategicpatch.) What is new lies in `arena`, and what has not changed where it was: in `base` and `patch`.
model::Result<berth_value> strategically_merged(model::Arena &arena, model::Value base, model::Value patch);

}  // namespace berth::sim
