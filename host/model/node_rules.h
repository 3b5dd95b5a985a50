// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes' rules of where a pod may be, for objects as they stand. They are met rarely, so nothing is prepared.

#include "model/members.h"

#include <berth/view/column.h>
#include <berth/view/pod.h>

#include <string_view>

namespace berth::model {

/// A requirement `{key, operator, values}` with an operator of label selectors or of node selectors.
bool label_matches(Value requirement, const Members &labels);

/// A NodeSelectorTerm `{matchExpressions, matchFields}`; an empty one matches nothing.
bool term_matches(Value term, const Members &labels, std::string_view node_name);

/// Does the toleration match the taint? (api/core/v1/toleration.go; Lt and Gt never do: their gate is off.)
bool tolerates(const berth_toleration &toleration, const berth_taint &taint);

}  // namespace berth::model
