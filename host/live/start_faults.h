// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The faults that prevent Berth from starting with a cluster, collected and reported together.

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

/// Loop only. It waits for a number of results; if one of them is fatal, it reports the text of all faults once all
/// results are there, or after twelve seconds.
class StartFaults {
public:
    using Report = std::function<void(std::string)>;

    /// Both outlive the clock's last timer.
    StartFaults(env::Clock &clock, env::Log &log, Report report)
        : clock_(clock), log_(log), report_(std::move(report)) {}

    void expect(std::size_t sources) { open_ = sources; }
    /// One answer: this is well.
    void well() { answered(); }
    /// One answer: these kinds cannot be watched.
    void unwatchable(const std::vector<Unwatchable> &kinds);
    /// One result: the missing rights. Without the right to watch one of the kinds that `followed` knows Berth cannot
    /// start; everything else is logged.
    void missing(const NeededRights &needed, std::vector<kube::Right> rights,
                 const std::function<bool(const kube::Right &)> &followed);

private:
    using Place = std::pair<std::string, std::string>;  ///< group and resource
    void answered();
    void fatal();
    void report();

    env::Clock &clock_;
    env::Log &log_;
    Report report_;
    std::size_t open_ = 0;
    bool fatal_ = false;
    std::map<Place, std::string> unwatchable_;
    NeededRights needed_;
    std::vector<kube::Right> missing_;
};

/// Names each right in the log, and what to do about it.
void log_missing(env::Log &log, const NeededRights &needed, const std::vector<kube::Right> &missing);

}  // namespace berth::live
