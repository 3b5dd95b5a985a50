// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The report of missing objects and skipped input in cluster files, as text and JSON.

#include "model/build.h"
#include "model/input_report.h"

#include <string>

namespace berth::report {

/// A table of what is missing, with the command that brings it; "" if nothing is.
std::string missing_text(const model::InputReport &input);

/// Adds the member `input` to a result, if something is missing or was skipped.
void add_input(model::Arena &arena, model::ObjectBuilder &result, const model::InputReport &input);

}  // namespace berth::report
