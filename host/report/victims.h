// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The victims of a preemption, in words.

#include "model/decision.h"

namespace berth::report {

/// "default/a, default/b and 3 more give way": ten of them by name. There is at least one.
std::string giving_way(const model::Victims &victims);

}  // namespace berth::report
