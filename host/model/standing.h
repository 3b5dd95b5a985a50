// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where a pod stands with the scheduler, and what would come of it now: for whoever asks.

#include "model/decision.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// Events of a kind that a plugin wants to hear of, as one that may help a pod it rejected.
struct Waking {
    std::string plugin;
    std::string resource;                   ///< "Node", "AssignedPod", …; "*": any
    std::vector<std::string_view> actions;  ///< as queue::action_names
    bool looks = false;                     ///< the plugin looks at each event whether it helps; else each one does
};

struct Standing {
    enum class State {
        Active,         ///< ready, and waits for its turn
        BackingOff,     ///< ready once its wait is over
        Unschedulable,  ///< waits for an event that may help
        Gated,          ///< PreEnqueue holds it back
        Scheduling,     ///< an attempt is under way
        Waiting,        ///< has a node, and waits in Permit
        Binding,        ///< has a node, and is being bound
        Placed,         ///< is on its node
        Deleted,        ///< is being deleted: it is not scheduled any more
        NotOurs,        ///< asks for a scheduler that none of the profiles is
    };
    State state = State::NotOurs;
    PodRef pod;
    std::string profile;  ///< the schedulerName that it asks for
    std::string node, nominated_node;
    std::string gated_by;
    std::uint32_t attempts = 0;
    std::int64_t since_ns = 0;  ///< when it entered the queue; 0: it is in none
    std::int64_t first_ns = 0;  ///< when it was tried for the first time; 0: never
    std::int64_t until_ns = 0;  ///< when it is tried again though nothing happens; 0: that is not known
    std::vector<std::string> rejected_by;
    std::vector<Waking> wakes;
};
std::string_view state_name(Standing::State state);

/// What would come of a pod.
struct Rehearsal {
    Decision decision;
    /// Plugins and extenders that a real attempt would have asked next, and why they were not: "PostFilter of X".
    std::vector<std::string> not_asked;
};

}  // namespace berth::model
