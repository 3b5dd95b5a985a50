// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the strict checks have found in this process.

#include <cstdint>
#include <string>

namespace berth::plugin {

struct Violations {
    std::uint64_t count = 0;
    std::string first;  ///< the sentence that names plugin, point and pod
};

/// How often plugins broke the ABI, as far as --plugin-checks=strict sees it. Complete when the instances have ended,
/// as some things are only found then. Any thread.
Violations violations();

}  // namespace berth::plugin
