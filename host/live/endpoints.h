// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The endpoints of `berth run`: /livez, /readyz, /metrics, `/configz` and the API of berth explain.

#include "api/explain_api.h"
#include "api/serving.h"
#include "api/what_if.h"
#include "live/live.h"
#include "live/memory_watch.h"
#include "live/reload_state.h"
#include "live/shadow_keeper.h"
#include "report/health.h"
#include "report/scheduler_metrics.h"

#include <optional>

namespace berth::live {

/// Loop only, but for what the server's threads read.
class Endpoints {
public:
    /// What the answers are taken from. All outlive it.
    struct Sources {
        Live &live;
        env::Log &log;
        const LiveSink &sink;
        report::SchedulerMetrics &meter;
        const ReloadStatus &reloads;
        const plugin::PluginFailures &failures;
        const std::optional<ShadowKeeper> &shadow;
        const plugin::PluginOptions &plugins;
        std::uint64_t seed;
        config::Release release;
    };
    explicit Endpoints(const Sources &sources);

    /// Answers by HTTPS from now on, unless the port is 0. Once.
    model::Result<void> serve(const api::ServingOptions &options, const kube::Credentials &credentials);
    /// Looks at the memory from now on.
    void start() { memory_.start(); }

private:
    void add_checks();
    void update_metrics();

    const Sources sources_;
    report::Health health_;
    env::Threads reader_;  ///< of the system's memory figures
    MemoryWatch memory_;
    api::ExplainApi explain_;
    api::WhatIf what_if_;
    std::optional<api::Serving> serving_;
};

}  // namespace berth::live
