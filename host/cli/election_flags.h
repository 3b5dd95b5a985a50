// SPDX-License-Identifier: Apache-2.0
#pragma once

/// kube-scheduler's flags of leader election. What is on the command line overrides the configuration, also that of a
/// file.

#include "config/configuration.h"
#include "model/result.h"

#include <map>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

class ElectionFlags {
    std::string elect_;                         ///< as written; empty: not given
    std::map<std::string, std::string> texts_;  ///< those that were given, by flag

public:
    /// This outlives the app.
    void add(CLI::App &app);
    /// Overrides, and judges the result: the error says what is wrong with it.
    model::Result<void> apply(config::LeaderElection &election) const;
};

}  // namespace berth::cli
