// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The backoff of a pod after failed attempts (upstream: backoff_queue.go, kube-scheduler v1.36.3).

#include "queue/queued_pod.h"

#include <algorithm>
#include <cmath>

namespace berth::queue {

inline constexpr std::int64_t second_ns = 1'000'000'000;

/// A configuration's seconds. A wait of more than a year is one of a year, so that no sum of times overflows.
constexpr std::int64_t wait_ns(std::int64_t seconds) {
    return std::min<std::int64_t>(seconds, 365 * 24 * 3600) * second_ns;
}

struct Backoff {
    std::int64_t initial_ns;
    std::int64_t max_ns;  ///< 0: no backoff
    /// The feature gate SchedulerPopFromBackoffQ: pods are taken early when nothing is ready, so that they have passed
    /// the gates, and whole seconds are waited for.
    bool early = true;

    std::int64_t window_of(std::int64_t ns) const { return early ? ns - ns % second_ns : ns; }

    /// initial × 2^(count − 1), at most max; of a group at most max × √pods.
    std::int64_t duration(std::uint32_t count, std::size_t pods = 1) const {
        if (count == 0) return 0;
        std::uint32_t shift = std::min(count - 1, 62u);
        const std::int64_t most =
            pods > 1 ? static_cast<std::int64_t>(static_cast<double>(max_ns) * std::sqrt(static_cast<double>(pods)))
                     : max_ns;
        return initial_ns > (most >> shift) ? most : initial_ns << shift;
    }

    /// When its wait ends, a whole second if pods are taken early; 0: it does not wait.
    std::int64_t end(QueuedPod &pod) const {
        std::uint32_t count = pod.error_count ? pod.error_count : pod.unschedulable_count;
        if (max_ns == 0 || count == 0) return 0;
        if (pod.backoff_end_ns == 0)
            pod.backoff_end_ns = window_of(pod.view.queued_time_ns + duration(count, pod.size()));
        return pod.backoff_end_ns;
    }

    /// The second, or the moment, of the end counts as waiting still.
    bool waiting(QueuedPod &pod, std::int64_t now_ns) const { return end(pod) >= window_of(now_ns); }
    /// The first moment after a wait that ends then.
    std::int64_t after(std::int64_t end_ns) const { return end_ns + (early ? second_ns : 1); }
};

}  // namespace berth::queue
