// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The environment of libraries that are built with a sanitizer, whose runtime is loaded before all else.

#include "model/result.h"
#include "plugin/library.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace berth::verify {

enum class Sanitizer : std::uint8_t { Address, Thread };

/// As compilers call it: "address".
std::string_view name(Sanitizer sanitizer);

/// The environment in which a process of this program can load `file`, which is built with the sanitizer and not with
/// its runtime inside. The file says which runtime it needs, so it is checked as before it is loaded. The error says
/// which user could have written the file, what the library lacks, or which runtime cannot be found.
model::Result<std::map<std::string, std::string>> sanitized_environment(Sanitizer sanitizer, const std::string &file,
                                                                        const plugin::LoadOptions &options);

/// What a sanitizer reported on standard error: the error and the first places in the plugin's sources.
std::optional<std::string> sanitizer_report(std::string_view complaints);

}  // namespace berth::verify
