// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Two simulations of one cluster side by side, as JSON (docs/explain.md).

#include "report/simulation_summary.h"

#include <cstddef>

namespace berth::report {

/// Adds `before`, `after`, `differing` and the first `most` of these as `differences`.
void add_comparison(model::Arena &arena, model::ObjectBuilder &to, const SimulationSummary &before,
                    const SimulationSummary &after, std::size_t most);

}  // namespace berth::report
