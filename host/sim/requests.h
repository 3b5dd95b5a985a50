// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes to one object of the simulated API server: what they change, and when they are refused.

#include "sim/store.h"

#include <cstdint>
#include <string>

namespace berth::sim {

/// Creations, updates, patches and deletions of pods and of other stored objects; anything else is refused. A pod that
/// is deleted and runs is gone when its grace is over, as if its containers needed all of it.
env::ApiAnswer serve_object(Store &store, const model::Kind &kind, const env::ApiRequest &request);

inline env::ApiAnswer refuse(int status, std::string text) { return {status, std::move(text)}; }
/// As objects say it: "2026-01-01T00:00:00Z".
std::string time_text(std::int64_t ns);

}  // namespace berth::sim
