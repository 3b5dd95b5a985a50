// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Two simulations of one cluster side by side, as JSON (docs/explain.md).

#include "report/outcome.h"

#include <cstddef>

namespace berth::report {

/// Adds `before`, `after`, `differing` and the first `most` of these as `differences`.
void add_comparison(model::Arena &arena, model::ObjectBuilder &to, const Outcome &before, const Outcome &after,
                    std::size_t most);

}  // namespace berth::report
