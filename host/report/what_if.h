// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The comparison of two simulations in the what-if API, as JSON (docs/explain.md).

#include "report/simulation_summary.h"

#include <cstddef>

namespace berth::report {

/// Adds `before`, `after`, `differing` and the first `most` of these as `differences`.
void add_comparison(model::Arena &arena, model::ObjectBuilder &to, const SimulationSummary &before,
                    const SimulationSummary &after, std::size_t most);

}  // namespace berth::report
