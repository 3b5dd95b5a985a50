// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The queue's settings: the backoff, and the longest time that an unschedulable pod waits without an event.

#include "config/configuration.h"
#include "config/rules.h"
#include "queue/backoff.h"

#include <cstdint>

namespace berth::queue {

struct Settings {
    Backoff backoff;
    std::int64_t longest_unschedulable_ns;  ///< then a pod is tried again without an event
    config::Rules rules;
    bool groups;  ///< pods of a PodGroup are scheduled together (the feature gate GenericWorkload)

    /// The defaults of a configuration.
    Settings() : Settings(config::Configuration{}) {}
    explicit Settings(const config::Configuration &configuration)
        : backoff{wait_ns(configuration.pod_initial_backoff_seconds), wait_ns(configuration.pod_max_backoff_seconds),
                  configuration.pops_from_backoff},
          longest_unschedulable_ns(configuration.longest_unschedulable.count()),
          rules(configuration.release),
          groups(configuration.schedules_groups) {}
};

}  // namespace berth::queue
