// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What to say of a name that nobody knows.

#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// "; did you mean …?", or the known names when they are few.
std::string advice(std::string_view name, const std::vector<std::string> &known);

}  // namespace berth::decode
