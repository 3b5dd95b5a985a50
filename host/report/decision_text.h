// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One decision in full as text: each node, with the result of each plugin.

#include "model/decision.h"

#include <string>

namespace berth::report {

/// For people: why the pod is pending, or why it went where it went. Nodes by total, the chosen one marked; rejected
/// ones by plugin and reason. Long lists are cut unless `all`. The decision must have been recorded with Detail::Nodes.
std::string explain(const model::Decision &decision, bool all);

}  // namespace berth::report
