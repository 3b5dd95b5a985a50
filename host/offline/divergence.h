// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which plugin made the difference between two decisions about one pod in one world.

#include "model/decision.h"

#include <optional>
#include <span>
#include <string>

namespace berth::offline {

struct Divergence {
    std::string plugin, point;
    std::string text;  ///< what it said then and what it says now, for people
};

/// The first differing result of a plugin, in the order of the calls. Both were recorded with Detail::Nodes; `filters`
/// are those of `now` in their order. Nothing if the tables are the same.
std::optional<Divergence> find_divergence(const model::Decision &then, const model::Decision &now,
                                          std::span<const std::string> filters);

}  // namespace berth::offline
