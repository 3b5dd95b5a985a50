// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin SchedulingGates: pods with spec.schedulingGates.

#include "own_update.h"

#include <berth/plugin.hpp>

namespace kubernetes {

/// PreEnqueue: a pod with spec.schedulingGates stays out of the queue until all of them are gone.
class SchedulingGates {
    Rules rules_;

public:
    static constexpr const char *description = "Keeps a pod out of the queue while it has scheduling gates";

    explicit SchedulingGates(const berth::Host &host) : rules_(host) {}

    berth::Verdict pre_enqueue(berth::Pod pod) const {
        auto gates = pod.at("/spec/schedulingGates");
        if (gates.size() == 0) return berth::ok;
        std::string text = "waiting for scheduling gates: [";
        for (std::size_t i = 0; i < gates.size(); ++i) {
            if (i) text += ' ';
            text += gates.at(i)["name"].string();
        }
        return berth::unresolvable(text + "]");
    }

    void events(berth::Events on) const { on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_GATES_ELIMINATED); }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        return own_update(event, pod, rules_) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
