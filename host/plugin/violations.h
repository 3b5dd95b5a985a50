// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The process's count of plugins' violations of the ABI, found by the strict checks or the
/// host.

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
