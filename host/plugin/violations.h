// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What plugins did against the ABI in this process, as far as the host has noticed: by the strict checks, or by
/// itself.

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::plugin {

struct Violations {
    std::uint64_t count = 0;
    std::string first;  ///< the sentence that names plugin, point and pod; a very long one is cut
};

/// Complete when the instances have ended, as some things are only found then. Any thread.
Violations violations();
/// Adds one. Any thread.
void count_violation(std::string_view sentence);

}  // namespace berth::plugin
