// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod in the scheduling queue, with its attempts, times and rejecting plugins (upstream: QueuedPodInfo).

#include "model/status.h"
#include "plugin/profile.h"

#include <boost/container/small_vector.hpp>

#include <memory>

namespace berth::queue {

using Instances = std::vector<const plugin::Instance *>;
struct QueuedGroup;
class PodList;

/// Where a pod waits.
enum class Place : std::uint8_t {
    InFlight,       ///< with the scheduler: not in any queue
    Active,         ///< ready
    Backoff,        ///< rejected before, waits a while; taken early when nothing is ready (Backoff::early)
    ErrorBackoff,   ///< an attempt broke; never taken early
    Unschedulable,  ///< waits for an event that may help; gated pods too
    Group,          ///< of a pod group that is not known, or in its cycle
};

struct QueuedPod {
    model::PodPtr pod;
    berth_pod view{};  ///< the pod's, with attempts and times filled in
    const plugin::Profile *profile = nullptr;
    std::uint32_t unschedulable_count = 0;  ///< attempts that plugins rejected; decides the backoff
    std::uint32_t error_count = 0;          ///< attempts that broke, since the last rejection; comes first
    std::int64_t backoff_end_ns = 0;        ///< 0: not worked out
    std::int64_t flushed_ns = 0;            ///< when it was last tried without an event, if it may be gated
    Instances unschedulable, pending;       ///< whose word keeps it waiting
    const plugin::Instance *gated_by = nullptr;
    std::uint64_t order = 0;  ///< grows with every arrival: settles what QueueSort leaves open
    Place place = Place::InFlight;
    std::size_t index = 0;                                      ///< in its queue
    PodList *list = nullptr;                                    ///< of an unschedulable pod: that which has it
    std::size_t list_index = 0;                                 ///< in that list
    boost::container::small_vector<std::uint8_t, 32> sort_key;  ///< empty without berth_plugin_queue_sort.sort_key
    /// Set: this stands for a pod group. `pod` is then its first member, and `view` that pod's with the group's
    /// priority, times and attempts.
    std::shared_ptr<QueuedGroup> group;

    /// Takes over a newer version of the pod; attempts and times stay.
    void renew(model::PodPtr newer) {
        berth_pod before = view;
        pod = std::move(newer);
        view = pod->view;
        view.attempts = before.attempts;
        view.queued_time_ns = before.queued_time_ns;
        view.initial_attempt_ns = before.initial_attempt_ns;
    }
    /// How many pods this is.
    std::size_t size() const { return group ? group_size() : 1; }
    /// By which the queue knows it: "namespace/name", or that of a group with "podgroup/" before it.
    std::string key() const { return group ? group_key() : pod->key(); }
    bool has_no_rejectors() const { return unschedulable.empty() && pending.empty(); }
    /// Counts an attempt that failed, by whether plugins rejected the pod in it.
    void count_failure() {
        if (has_no_rejectors()) {
            ++error_count;
        } else {
            ++unschedulable_count;
            error_count = 0;
        }
    }

private:
    std::size_t group_size() const;
    std::string group_key() const;
};

}  // namespace berth::queue
