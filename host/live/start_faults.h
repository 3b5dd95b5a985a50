// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What keeps Berth from beginning at a cluster, gathered so that all of it is told at once.

#include "env/clock.h"
#include "env/log.h"
#include "live/needed_rights.h"
#include "live/watches.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::live {

/// Loop only. It waits for a number of answers; when one of them is a fault that nothing can be done without, the text
/// of all faults is told as soon as the others are there, or twelve seconds later.
class StartFaults {
public:
    using Tell = std::function<void(std::string)>;

    /// Both outlive the clock's last timer.
    StartFaults(env::Clock &clock, env::Log &log, Tell tell) : clock_(clock), log_(log), tell_(std::move(tell)) {}

    void expect(std::size_t answers) { open_ = answers; }
    /// One answer: this is well.
    void well() { answered(); }
    /// One answer: these kinds cannot be watched.
    void unwatchable(const std::vector<Unwatchable> &kinds);
    /// One answer: what is missing. Without the right to watch one of the kinds that `followed` knows nothing can be
    /// done; everything else is told in the log.
    void missing(const NeededRights &needed, std::vector<kube::Right> rights,
                 const std::function<bool(const kube::Right &)> &followed);

private:
    using Place = std::pair<std::string, std::string>;  ///< group and resource
    void answered();
    void fatal();
    void tell();

    env::Clock &clock_;
    env::Log &log_;
    Tell tell_;
    std::size_t open_ = 0;
    bool fatal_ = false;
    std::map<Place, std::string> unwatchable_;
    NeededRights needed_;
    std::vector<kube::Right> missing_;
};

/// Names each right in the log, and what to do about it.
void log_missing(env::Log &log, const NeededRights &needed, const std::vector<kube::Right> &missing);

}  // namespace berth::live
