// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's scheduling state, as the explain API and the dashboard show it.

#include "model/decision.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// Events that a plugin registered for: they may make a pod schedulable that the plugin rejected.
struct Waking {
    std::string plugin;
    std::string resource;                   ///< "Node", "AssignedPod", …; "*": any
    std::vector<std::string_view> actions;  ///< as queue::action_names
    bool looks = false;                     ///< the plugin has a queueing hint; else every such event requeues the pod
};

struct SchedulingState {
    enum class State {
        Active,         ///< in the active queue
        BackingOff,     ///< in a backoff queue
        Unschedulable,  ///< waits for an event that may help
        Gated,          ///< a PreEnqueue plugin keeps it out of the active queue
        Scheduling,     ///< a scheduling attempt is running
        Waiting,        ///< assumed on a node, waits in Permit
        Binding,        ///< assumed on a node, in its binding cycle
        Placed,         ///< on its node
        Deleted,        ///< terminating: the scheduler skips it
        NotOurs,        ///< no profile has the pod's schedulerName
    };
    State state = State::NotOurs;
    PodRef pod;
    std::string profile;  ///< the pod's schedulerName
    std::string node, nominated_node;
    Victims victims;  ///< on the nominated node
    std::string gated_by;
    std::uint32_t attempts = 0;
    std::int64_t since_ns = 0;  ///< when it entered its queue; 0: it is in no queue
    std::int64_t first_ns = 0;  ///< when its first attempt began; 0: it had none
    std::int64_t until_ns = 0;  ///< when Berth tries it again without an event; 0: unknown
    std::vector<std::string> rejected_by;
    std::vector<Waking> wakes;
};
std::string_view state_name(SchedulingState::State state);

}  // namespace berth::model
