// SPDX-License-Identifier: Apache-2.0

/// Pilots: every placed pod takes one of args.pilots. A pod that is not bound after all gives its pilot back.

#include <berth/plugin.hpp>

#include <set>
#include <string>

namespace {

class Pilots {
    std::size_t pilots_;
    std::set<std::string, std::less<>> taken_;  // uids of pods

public:
    static void default_args(berth::ArgsReader &args) { args.integer("pilots", 2, 0, 1000); }

    explicit Pilots(berth::Args args) : pilots_(args.integer<std::size_t>("pilots", 2)) {}

    // Berth calls this on the scheduling loop, one pod after the other, so the next pod already sees this count.
    berth::Verdict reserve(berth::Pod pod, std::string_view) {
        if (taken_.size() >= pilots_) return berth::unschedulable("no pilot is free");
        taken_.emplace(pod.uid());
        return berth::ok;
    }

    // Called for every plugin when anything fails after Reserve began, even if this plugin's reserve rejected the pod
    // or was not called. So it must do no harm when there is nothing to give back.
    void unreserve(berth::Pod pod, std::string_view) {
        auto mine = taken_.find(pod.uid());
        if (mine != taken_.end()) taken_.erase(mine);
    }

    void events(berth::Events on) const { on.add("AssignedPod", BERTH_EVENT_DELETE); }
};

}  // namespace

BERTH_PLUGIN(Pilots, "Pilots", "1.0.0")
