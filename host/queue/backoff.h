// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How long a pod waits after a failed attempt (kube-scheduler v1.36.3, backend/queue/backoff_queue.go).

#include "queue/queued_pod.h"

#include <algorithm>

namespace berth::queue {

inline constexpr std::int64_t second_ns = 1'000'000'000;

/// A configuration's seconds. A wait of more than a year is one of a year, so that no sum of times overflows.
constexpr std::int64_t wait_ns(std::int64_t seconds) {
    return std::min<std::int64_t>(seconds, 365 * 24 * 3600) * second_ns;
}

struct Backoff {
    std::int64_t initial_ns;
    std::int64_t max_ns;  ///< 0: no backoff

    static std::int64_t whole_second(std::int64_t ns) { return ns - ns % second_ns; }

    /// initial × 2^(count − 1), at most max.
    std::int64_t duration(std::uint32_t count) const {
        if (count == 0) return 0;
        std::uint32_t shift = std::min(count - 1, 62u);
        return initial_ns > (max_ns >> shift) ? max_ns : initial_ns << shift;
    }

    /// The whole second in which its wait ends; 0: it does not wait.
    std::int64_t end(QueuedPod &pod) const {
        std::uint32_t count = pod.error_count ? pod.error_count : pod.unschedulable_count;
        if (max_ns == 0 || count == 0) return 0;
        if (pod.backoff_end_ns == 0) pod.backoff_end_ns = whole_second(pod.view.queued_time_ns + duration(count));
        return pod.backoff_end_ns;
    }

    /// The second of the end counts as waiting still.
    bool waiting(QueuedPod &pod, std::int64_t now_ns) const { return end(pod) >= whole_second(now_ns); }
};

}  // namespace berth::queue
