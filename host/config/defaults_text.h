// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of the files of configs/defaults/, which the build compiles into the program.

#include <span>
#include <string_view>

namespace berth::config {

struct DefaultsText {
    std::string_view stem;  ///< the file's name without `.yaml`
    std::string_view text;
};

std::span<const DefaultsText> defaults_texts();

}  // namespace berth::config
