// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Changes to stored objects, as an API server applies them.

#include "model/result.h"
#include "model/value.h"

namespace berth::sim {

/// A copy of `base` with a JSON merge patch (RFC 7386) applied: objects are merged, null removes, all else replaces.
model::TreePtr merged(model::Value base, model::Value patch);

/// A copy of `base` with a strategic merge patch applied: as above, but lists that have a merge key in Kubernetes'
/// types are merged by it. Known are the lists that are written after an object was made: conditions, owners,
/// finalizers, gates, addresses. A directive that is not simulated is an error. (apimachinery v0.36.3,
/// util/strategicpatch.)
model::Result<model::TreePtr> strategically_merged(model::Value base, model::Value patch);

}  // namespace berth::sim
