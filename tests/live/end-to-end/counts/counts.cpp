// SPDX-License-Identifier: Apache-2.0

/// Counts: how many pods of each team are bound, where only two teams are kept apart, and how often a pod is tried.

#include <berth/plugin.hpp>

namespace {

class Counts {
    const berth::Host &host_;
    berth::Labelled<berth::Counter> pods_ = host_.counter("counts_pods_total", "Pods that were bound.", {"team"}, 2);
    berth::Counter attempts_ = host_.counter("counts_attempts_total", "Attempts to schedule a pod.");

public:
    explicit Counts(const berth::Host &host) : host_(host) {}

    berth::Verdict pre_filter(berth::Pod) const {
        attempts_.add();
        return berth::ok;
    }
    void post_bind(berth::Pod pod, std::string_view) const {
        std::string_view team;
        for (const auto &label : pod.labels())
            if (berth::view(label.key) == "team") team = berth::view(label.value);
        pods_.with({team}).add();
        host_.info(0, "Counted a pod", {{"team", team}});
    }
};

}  // namespace

BERTH_PLUGIN(Counts, "Counts", "1.0.0")
