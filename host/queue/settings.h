// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How long pods wait after a failed attempt, and how long for an event before they are tried without one.

#include "config/configuration.h"
#include "queue/backoff.h"

#include <cstdint>

namespace berth::queue {

struct Settings {
    Backoff backoff;
    std::int64_t longest_unschedulable_ns = 300 * second_ns;  ///< then a pod is tried again without an event
};

/// Those of a configuration.
Settings settings_of(const config::Configuration &configuration);

}  // namespace berth::queue
