// SPDX-License-Identifier: Apache-2.0
#pragma once

/// kube-scheduler's command-line flags that are not among Berth's own flags. With them a manifest written for
/// kube-scheduler starts Berth as it is. Some have an effect, with upstream's precedence; the rest is accepted, and the
/// log says of each that it has none.

#include "live/run.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours to choose
class App;
}

namespace berth::cli {

class KubeSchedulerFlags {
    std::string master_;
    std::optional<double> qps_;
    std::optional<std::int32_t> burst_;
    std::optional<std::string> content_type_;
    std::string profiling_, contention_profiling_;  ///< as written; empty: not given
    std::optional<std::chrono::nanoseconds> longest_unschedulable_;
    std::map<std::string, std::vector<std::string>> values_;  ///< of the flags that change nothing
    std::map<std::string, std::string> switches_;             ///< the same

public:
    /// Adds those that the app does not have yet: call it last. This outlives the app.
    void add(CLI::App &app);
    /// Puts what was given into the configuration. Into that of a file only what no file says: upstream ignores the
    /// rest.
    void apply(config::Configuration &configuration, bool from_file) const;
    /// What was given and changes nothing.
    std::vector<live::IdleFlag> idle(bool from_file) const;
    /// The API server's address, which overrides every other; empty: none was given.
    const std::string &master() const { return master_; }
};

}  // namespace berth::cli
