// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of a valid remedy (berth.remedy/draft1). The host ignores an invalid remedy; the strict layer reports it.

#include <berth/draft/remedy.h>

#include <cstdint>
#include <optional>
#include <string>

namespace berth::plugin {

/// What the plugin did wrong, as "added a remedy with a change that has no name"; nothing for a valid remedy.
std::optional<std::string> fault_of_remedy(const berth_change *changes, std::uint64_t n);

}  // namespace berth::plugin
