// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Suggestions of a known name for a misspelt one ("did you mean").

#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// The known name that is most like it; nullptr if none is.
const std::string *closest_name(std::string_view name, const std::vector<std::string> &known);

/// "; did you mean …?", or the known names when they are few.
std::string did_you_mean(std::string_view name, const std::vector<std::string> &known);

}  // namespace berth::decode
