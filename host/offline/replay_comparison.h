// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The comparison of a replay with its recording, and the runs that find the differing plugin.

#include "model/result.h"
#include "model/value.h"
#include "offline/replay_options.h"
#include "report/replay.h"

#include <functional>
#include <string>
#include <vector>

namespace berth::offline {

struct ReplayComparison {
    report::Replay result;
    model::TreePtr scenario;  ///< of the requested pod's last decision, if that is wanted
};

/// Plays the recording to its end, or `until`. If something differs because of the options, plays it twice more to find
/// the plugin that made the difference. The error says what is wrong with the recording, or what it needs and is not
/// there. `warn` gets what is to be known besides, as it is found.
model::Result<ReplayComparison> compare_replay(const std::string &file, const ReplayOptions &options,
                                               const Until &until,
                                               const std::function<void(const std::vector<std::string> &)> &warn);

/// The recordings that `input` names: those in a directory, the oldest first, or itself.
model::Result<std::vector<std::string>> recordings_of(const std::string &input);

/// Whether the recording ends before its first entry: its process ended at once.
bool holds_nothing(const std::string &file);

}  // namespace berth::offline
