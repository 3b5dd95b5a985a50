// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a shadow would have decided, beside what was decided: as values and for people (docs/shadow.md).

#include "model/build.h"
#include "model/shadow.h"
#include "model/value.h"
#include "report/explanation_text.h"

#include <memory>
#include <string>
#include <vector>

namespace berth::report {

struct ShadowReport {
    std::string configuration;  ///< its file
    model::ShadowCounts counts;
    std::vector<std::shared_ptr<const model::Difference>> differences;  ///< the newest first
};

/// `{configuration, attempts: {compared, differing, same, …}, realSeconds, shadowSeconds, differences}`.
model::ObjectBuilder shadow_value(model::Arena &arena, const ShadowReport &report);
/// That value as tables; long ones are cut unless `all`.
std::string shadow_text(model::Value shadow, bool all);
std::string shadow_text(const ShadowReport &report, bool all);

/// Two decisions about a pod (docs/decision-record.md), both with their nodes: where each has it, and which plugins'
/// scores and verdicts differ.
std::string side_by_side(model::Value real, model::Value shadow, const ViewOptions &options);

}  // namespace berth::report
