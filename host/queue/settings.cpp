// SPDX-License-Identifier: Apache-2.0
#include "queue/settings.h"

namespace berth::queue {

Settings settings_of(const config::Configuration &configuration) {
    Settings out;
    out.backoff.initial_ns = wait_ns(configuration.pod_initial_backoff_seconds);
    out.backoff.max_ns = wait_ns(configuration.pod_max_backoff_seconds);
    out.longest_unschedulable_ns = configuration.longest_unschedulable.count();
    return out;
}

}  // namespace berth::queue
