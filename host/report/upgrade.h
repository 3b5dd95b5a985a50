// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The report of what an upgrade would change, as tables and as an object (docs/upgrade.md).

#include "model/shadow.h"
#include "model/value.h"
#include "report/simulation_summary.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::report {

/// What decides: today, or after the upgrade.
struct UpgradeSide {
    std::string kubernetes_version, configuration;  ///< the file of it; empty: the built-in one
    std::string feature_gates;                      ///< that are not as usual: "Some=true"
};

/// Something that the upgrade changes.
struct UpgradeChange {
    std::string what;    ///< "Release", "Gate", "Weight", …
    std::string plugin;  ///< whose decisions it may change; empty: of none alone
    std::string gate;
    std::string before, after;

    /// That are as today if it alone is taken back; of "Together", those that no change alone explains.
    std::uint64_t decisions = 0;
    bool tried = true;  ///< else there is no configuration without it alone
};

struct UpgradeDifference {
    std::shared_ptr<const model::Difference> decision;  ///< `real` is today's, `shadow` after the upgrade
    std::string recording;                              ///< of which it is; empty: of a simulation
    std::vector<std::size_t> causes;                    ///< of `changes`; none: it takes several of them
};

/// What becomes of the whole cluster if it is simulated both ways.
struct UpgradeOutcome {
    SimulationSummary before, after;
};

struct Upgrade {
    UpgradeSide from, to;
    std::vector<std::string> inputs;
    model::ShadowCounts counts;
    std::vector<UpgradeChange> changes;
    std::vector<UpgradeDifference> differences;  ///< in the order of the decisions
    std::optional<UpgradeOutcome> outcome;       ///< of a simulation

    /// Whether anything would be decided otherwise.
    bool differs() const;
};

/// Long tables are cut unless `all`.
std::string to_text(const Upgrade &upgrade, bool all);

/// `{apiVersion: berth/v1alpha1, kind: UpgradePreview, …}`.
model::TreePtr to_tree(const Upgrade &upgrade);

}  // namespace berth::report
