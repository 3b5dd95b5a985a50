// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of LabelSelectors of stored objects. They are met rarely, so nothing is prepared.

#include "model/members.h"

namespace berth::sim {

/// A LabelSelector. An absent one selects nothing, an empty one everything. One that Kubernetes refuses selects nothing
/// (apimachinery/pkg/apis/meta/v1, LabelSelectorAsSelector).
bool selects(model::Value selector, const model::Members &labels);

}  // namespace berth::sim
