// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The report of a shadow's differing decisions, as values and as text (docs/shadow.md).

#include "model/build.h"
#include "model/shadow.h"
#include "model/value.h"
#include "report/explanation.h"
#include "report/explanation_text.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::report {

struct ShadowReport {
    std::string configuration;       ///< its file
    std::string kubernetes_version;  ///< as which it decides, if that is another one; else empty
    model::ShadowCounts counts;
    std::vector<std::shared_ptr<const model::Difference>> differences;  ///< the newest first
};

/// The state of a live cluster's shadow.
struct ShadowState {
    ShadowReport report;
    std::string why_not;  ///< why it is disabled; empty: it is enabled
    std::optional<std::uint32_t> budget_percent;
    std::map<std::pair<std::string, std::string>, std::uint64_t> failures;  ///< of its plugins, by plugin and point
};

/// One side of a difference for people: the node, or why there is none, cut unless `all`.
std::string side_text(const model::Difference::Side &side, bool all);
/// `{pod, profile, attempt, time, agreement}` and both sides under these names.
model::ObjectBuilder difference_value(model::Arena &arena, const model::Difference &difference,
                                      const std::pair<const char *, const char *> &names = {"real", "shadow"});

/// `{configuration, attempts: {compared, differing, same, …}, realSeconds, shadowSeconds, differences}`.
model::ObjectBuilder shadow_value(model::Arena &arena, const ShadowReport &report);
/// That value as tables; long ones are cut unless `all`.
std::string shadow_text(model::Value shadow, bool all);
std::string shadow_text(const ShadowReport &report, bool all);

/// `kind: Shadow`, with the members of shadow_value().
std::string shadow_json(const Answerer &by, const ShadowState &state);

/// A `kind: Shadow` for people.
std::string shadow_view(model::Value answer);
/// A `kind: Comparison` (report/explanation.h) for people, and whether both sides decide alike.
std::string comparison_view(model::Value answer, const ViewOptions &options);
bool is_alike(model::Value answer);

/// Two decisions about a pod (docs/decision-record.md), both with their nodes: where each has it, and which plugins'
/// scores and verdicts differ.
std::string side_by_side(model::Value real, model::Value shadow, const ViewOptions &options);

}  // namespace berth::report
