// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The state that the scheduler's parts share: cache, queue, cycle, profiles and unscheduled pods.

#include "bind/placement.h"
#include "bind/waiting_pods.h"
#include "cluster/cache.h"
#include "cluster/nominations.h"
#include "cluster/objects.h"
#include "cycle/cycle.h"
#include "plugin/call_environment.h"
#include "record/ids.h"
#include "scheduler/attempt_state.h"
#include "scheduler/deferred_events.h"
#include "scheduler/node_tables.h"
#include "scheduler/notifier.h"
#include "scheduler/profile_generations.h"
#include "scheduler/shadow.h"
#include "scheduler/unscheduled_pods.h"

#include <optional>
#include <utility>

namespace berth::scheduler {

/// Loop only.
struct Core {
    env::Clock &clock;
    env::Log *log;  ///< may be null
    Notifier notifier;
    const std::uint64_t seed;
    std::uint64_t cycles;  ///< scheduling attempts so far
    record::Ids *ids;      ///< as of SchedulerSettings
    plugin::CallEnvironment calls;
    cluster::Cache cache{};
    cluster::Objects objects{};
    cluster::Nominations nominations{};
    bind::WaitingPods waiting{clock};
    cycle::Cycle cycle{seed, clock};
    /// After what the instances use, before what uses them.
    ProfileGenerations profiles{};
    NodeTables node_tables{cache};
    std::optional<queue::Queue> queue{};  ///< there is one from the first generation of profiles on
    std::optional<Shadow> shadow{};       ///< there is one from its first generation on
    UnscheduledPods pending{};
    AttemptState attempt_state{};  ///< of the scheduling cycle
    DeferredEvents deferred{};     ///< while its attempt is suspended

    bool logs(int verbosity) const { return log && log->enabled(env::Severity::Info, verbosity); }
    /// Keeps the event until the suspended attempt has ended. False: no attempt is suspended, and nothing was kept.
    template <class Fn>
    bool defer(Fn &&event) {
        if (!attempt_state.suspended()) return false;
        deferred.add(std::forward<Fn>(event));
        return true;
    }
    /// Whether one of the profiles in force has the pod's schedulerName.
    bool responsible(const model::Pod &pod) const { return profiles.current()->serves(pod); }
    /// A random number's salt for this attempt of the pod.
    static std::uint64_t attempt_salt(const model::Pod &pod, std::uint32_t attempt) {
        return env::mix(env::text_hash(pod.key())) ^ attempt;
    }
    /// An attempt to find a node for the pod begins: `call` gets its number and its random numbers. It ends by
    /// cache.end_attempt().
    void begin_attempt(const queue::QueuedPod &pod, plugin::CallContext &call);
    /// The pod on the node of that slot, with the state and the call of its attempt.
    bind::Placement placement(const queue::QueuedPod &pod, const berth_nodes &nodes, std::uint32_t slot,
                              std::unique_ptr<plugin::State> state, std::unique_ptr<plugin::CallContext> call) const;
    /// A decision about the pod, without a result, that begins now.
    model::Decision decision_of(const model::Pod &pod, const plugin::Profile &profile, std::uint32_t attempt) const;
    /// The same in the current cycle.
    model::Decision decision_of(const queue::QueuedPod &pod) const;
};

}  // namespace berth::scheduler
