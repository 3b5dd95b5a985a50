// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Dry runs of Filter for preemption: a node with other pods on it (berth.host.runner/1). Through them a PostFilter
/// plugin calls the other plugins.

#include "cluster/node_simulation.h"
#include "cycle/filters.h"
#include "plugin/services.h"

#include <optional>

namespace berth::cycle {

/// One dry run at a time, within one PostFilter call. Reusable. Loop only.
class DryRuns final : public plugin::DryRunner {
    struct Open {
        cluster::NodeSimulation simulation;
        std::unique_ptr<plugin::State> state;

        Open(cluster::Cache &cache, std::uint32_t slot, std::unique_ptr<plugin::State> copy)
            : simulation(cache, slot), state(std::move(copy)) {}
    };

    const Search *search_ = nullptr;  ///< of the current call
    Participants active_;
    Filters filters_;
    plugin::CallContext call_;  ///< its own, so that a plugin that asks keeps its scratch memory
    std::optional<Open> open_;
    bool asking_ = false;  ///< the other plugins, which must not start dry runs themselves
    std::vector<std::string> texts_;
    std::vector<berth_str> views_;

public:
    /// A PostFilter call begins; `search` outlives it.
    void begin(const Search &search, Participants active);
    /// The call has ended. Closes a dry run that was left open, and returns the name of its node.
    std::optional<std::string> end();

    berth_trial *open_dry_run(const berth_call *call, const berth_state *state, const berth_pod *pod,
                              const berth_nodes *nodes, std::uint32_t slot) override;
    Answer remove_pod(berth_trial *dry_run, std::uint32_t row) override;
    Answer add_pod(berth_trial *dry_run, std::uint32_t row) override;
    Answer filter(berth_trial *dry_run) override;
    berth_state *state(const berth_trial *dry_run) override;
    void close_dry_run(berth_trial *dry_run) override;

private:
    bool is_open(const berth_trial *dry_run) const;
    Search now() const;
    /// What the other plugins say; `fn` asks them.
    template <class Fn>
    Answer ask(Fn &&fn);
};

}  // namespace berth::cycle
