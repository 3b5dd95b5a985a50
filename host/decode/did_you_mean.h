// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Suggestions for an unknown name.

#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// "; did you mean …?", or the known names when they are few.
std::string did_you_mean(std::string_view name, const std::vector<std::string> &known);

}  // namespace berth::decode
