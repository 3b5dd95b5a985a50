// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What another configuration would make of a simulated cluster: `berth simulate` with it, of the same input, beside
/// the one that is shown; under /apis/berth/v1alpha1 (docs/explain.md).

#include "cli/simulate.h"
#include "config/configuration.h"
#include "env/clock.h"
#include "kube/served.h"
#include "report/simulation.h"

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace berth::cli {

/// On the server's thread.
class WhatIf {
public:
    /// The simulation that is shown; all outlive it.
    struct Base {
        const SimulateOptions &options;
        const config::Configuration &configuration;
        const report::Simulation &result;
    };
    static constexpr std::size_t most_differences = 2000;

    explicit WhatIf(Base base) : base_(base) {}
    ~WhatIf();  ///< ends what runs; after the server has stopped
    WhatIf(const WhatIf &) = delete;
    WhatIf &operator=(const WhatIf &) = delete;

    /// Before the server starts; `post` runs a function on its thread.
    void add_to(kube::Routes &routes, std::function<void(std::function<void()>)> post);

private:
    void ask(const kube::ServedRequest &request, const kube::Answering &done);
    void begin(std::string changes, std::string file);
    std::string simulated(const std::string &changes, const std::string &file) const;

    Base base_;
    std::function<void(std::function<void()>)> post_;
    std::thread thread_;
    std::atomic<bool> stop_ = false;
    bool running_ = false;
    std::string answer_;  ///< the last; what is asked for while it runs says only what that is
};

}  // namespace berth::cli
