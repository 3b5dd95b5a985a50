// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about decisions and pods, as JSON (docs/explain.md).

#include "model/dry_run.h"
#include "model/plugin_time.h"
#include "model/remedy.h"
#include "model/scheduling_state.h"
#include "report/decision_ring.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::report {

inline constexpr std::string_view explain_api = "berth/v1alpha1";

/// The instance that answers, and when.
struct Answerer {
    bool leads = true;  ///< else another instance schedules
    std::int64_t time_ns = 0;
    std::string kubernetes_version{};  ///< the release as which it decides; empty: unknown
};

/// What is known of one pod.
struct Explanation {
    Answerer by;
    model::PodRef pod;
    std::optional<model::SchedulingState> scheduling_state;  ///< nothing: the pod is gone
    DecisionRing::Entries decisions;
    std::optional<model::DryRun> now;      ///< evaluated again
    std::vector<model::Remedy> remedies;   ///< what would make it fit, the smallest first
    std::vector<model::PluginTime> times;  ///< of that, in the order of the first calls
    std::vector<std::string> warnings;
};

/// As in "2 more cpu on n17". Amounts that are cut are rounded up.
std::string remedy_text(const model::Remedy &remedy);

/// `kind: DecisionList`.
std::string list_json(const Answerer &by, const DecisionRing::Entries &decisions,
                      const std::vector<std::string> &warnings = {});
/// `kind: Explanation`; `nodes`: how many nodes to list: the best feasible ones, and the first of the others.
/// `detail`: of its decisions; for Nodes they must have been recorded with that.
std::string explanation_json(const Explanation &explanation, std::size_t nodes,
                             model::Detail detail = model::Detail::Summary);
/// `kind: DryRun`: pod, warnings and `now` of the explanation.
std::string dry_run_json(const Explanation &explanation, std::size_t nodes);
/// `kind: Comparison`: `real` and `shadow`, the results for a pod now; `nodes` of either are listed in both.
std::string comparison_json(const Answerer &by, const model::PodRef &pod, model::Decision real, model::Decision shadow,
                            std::size_t nodes);

}  // namespace berth::report
