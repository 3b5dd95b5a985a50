// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The search for the plugin that made two decisions about one pod differ.

#include "report/replay.h"

#include <optional>
#include <span>
#include <string>

namespace berth::offline {

/// The first differing result of a plugin, in the order of the calls. Both were recorded with Detail::Nodes; `filters`
/// are those of `now` in their order. Nothing if the tables are the same.
std::optional<report::Divergence> find_divergence(const model::Decision &then, const model::Decision &now,
                                                  std::span<const std::string> filters);

}  // namespace berth::offline
