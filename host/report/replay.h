// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The result of a replay, as tables and as an object.

#include "model/build.h"
#include "model/decision.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::report {

/// What one plugin said then and now of one pod.
struct Divergence {
    std::string plugin, point;
    std::string text;  ///< both, for people
};

/// Where the replay was first not what was recorded.
struct FirstDifference {
    std::optional<model::Decision> recorded, replayed;  ///< nothing: there was none
    std::string what;                                   ///< if it was no decision, for people
    std::optional<Divergence> divergence;               ///< what made the difference, if that is known
};

/// The decision that differs, as it is now if there is one; null: it was no decision.
const model::Decision *about(const FirstDifference &difference);

/// Of one recording.
struct Replay {
    std::string file, berth;  ///< the version that recorded
    std::string torn;         ///< what was left out at its end, and why; empty: nothing
    std::int64_t began_ns = 0, ended_ns = 0;
    std::uint64_t recorded = 0, differing = 0;  ///< decisions
    std::optional<FirstDifference> difference;
    std::vector<model::Decision> shown;  ///< of the requested pod
};

/// A line for the recording, and the first difference.
std::string to_text(const Replay &replay);

/// A line for each decision about the requested pod. Long messages are cut unless `all`.
std::string decisions_text(const Replay &replay, bool all);

/// `shown`: in which detail the decisions about the requested pod are included; nothing: they are not. XX
/// outlives the value.
berth_value replay_value(model::Arena &arena, const Replay &replay, std::optional<model::Detail> shown);

}  // namespace berth::report
