// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which plugin made the difference between two decisions about one pod in one world.

#include "model/decision.h"

#include <optional>
#include <span>
#include <string>

namespace berth::offline {

struct Blame {
    std::string plugin, point;
    std::string text;  ///< what it said then and what it says now, for people
};

/// The first thing that a plugin said otherwise, in the order in which they are asked. Both were recorded with
/// Detail::Nodes; `filters` are those of `now` in their order. Nothing if the tables are the same.
std::optional<Blame> blame(const model::Decision &then, const model::Decision &now,
                           std::span<const std::string> filters);

}  // namespace berth::offline
