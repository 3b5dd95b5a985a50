// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything of `berth run` but the network, in this process, beside a server that an attack plays.

#include "config/read.h"
#include "live/live.h"
#include "paths.h"
#include "plugin/failures.h"
#include "plugin/profile.h"
#include "plugin/sources.h"
#include "report/scheduler_metrics.h"
#include "server.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace churn {

/// Writes what is wrong, and counts it.
class Complaints : public env::Log {
public:
    int count = 0;
    bool enabled(env::Severity severity, int) const override { return severity != env::Severity::Info; }
    void write(env::Severity severity, int, std::string_view message, const Pairs &pairs,
               std::source_location) override {
        if (severity == env::Severity::Info) return;
        if (severity == env::Severity::Error) ++count;
        std::fprintf(stderr, "%.*s", static_cast<int>(message.size()), message.data());
        for (const auto &[key, value] : pairs)
            std::fprintf(stderr, " %s=%s", std::string(key).c_str(), std::string(value).c_str());
        std::fputc('\n', stderr);
    }
    void write_text(env::Severity severity, int, std::string_view, std::string_view text) override {
        if (severity != env::Severity::Info) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
    }
};

/// Runs until the loop is stopped: `begin` gets the loop, the server and what a scrape of the metrics does, before
/// anything runs. How many errors were logged; nothing, and it says why, if it could not run.
inline std::optional<int> run_beside(
    const std::function<void(env::Loop &, Server &, std::function<void()> scrape)> &begin) {
    auto refused = [](const auto &error) {
        std::fprintf(stderr, "%s\n", error.text.c_str());
        return std::nullopt;
    };
    env::Loop loop;
    Complaints log;
    report::DecisionLog decisions;
    live::LiveSink sink(decisions);
    report::SchedulerMetrics meter;
    SchedulerSettings settings;
    settings.seed = 1;
    settings.meter = &meter;
    auto server = std::make_shared<Server>(loop);
    live::Live live(loop, log, sink, settings, {server, server}, std::nullopt);
    auto configuration = config::read(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "leaderElection: {leaderElect: false}\nclientConnection: {qps: -1}\n",
        "attack.yaml");
    if (!configuration) return refused(configuration.error());
    live.connect(configuration->client_connection);
    plugin::PluginFailures failures(plugin::OnFailure::FailPod, loop, log);
    auto catalog = plugin::Catalog::open({{paths::plugins()}, {}, true});
    if (!catalog) return refused(catalog.error());
    auto services = live.services(live.core(), settings.seed, plugin::Checks::Basic);
    services.misbehaviour = &failures;
    auto profiles = failures.build(*configuration, *catalog, services);
    if (!profiles) return refused(profiles.error());
    live.scheduler().use(std::move(*profiles));
    begin(loop, *server, [&] {
        meter.update(live.scheduler().queue(), live.scheduler().cache(), live.scheduler().binding());
        meter.update(failures.counts());
        meter.update(live.events());
        if (meter.text().empty()) std::abort();
    });
    server.reset();
    if (auto ran = live.run(); !ran) return refused(ran.error());
    return log.count;
}

}  // namespace churn
