// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between releases of Kubernetes in preemption.

#include <berth/host.hpp>

namespace berth::preemption {

/// What 1.37 decides otherwise than 1.36 in a preemption. Of the release that the instance decides as; made with it.
struct Rules {
    bool preemption_says_what;            ///< a preemption that succeeds has a message
    bool first_broken_budget_ends_walk;   ///< budgets behind it keep what they allow
    bool unstarted_victims_rank_by_list;  ///< of pods that have not started, the later one of a node gives way first
    bool in_memory_victim_activates;      ///< nothing else wakes the preemptor of a victim that was never bound

    explicit Rules(const Host &host) : Rules(host.kubernetes().since(37)) {}

private:
    explicit Rules(bool since_1_37)
        : preemption_says_what(since_1_37),
          first_broken_budget_ends_walk(since_1_37),
          unstarted_victims_rank_by_list(since_1_37),
          in_memory_victim_activates(since_1_37) {}
};

}  // namespace berth::preemption
