// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The files of configs/defaults/ as they were when the program was built.

#include <string_view>

namespace berth::config {

extern const std::string_view defaults_text_v1;

}  // namespace berth::config
