// SPDX-License-Identifier: Apache-2.0
#include "live/endpoints.h"

#include "decode/write.h"
#include "live/present_world.h"

#include <string>
#include <utility>

namespace berth::live {
namespace {

api::AskShadow ask_shadow(const std::optional<ShadowKeeper> &shadow) {
    if (!shadow) return {};
    return [&shadow](std::size_t most) { return shadow->state(most); };
}

}  // namespace

Endpoints::Endpoints(const Sources &sources)
    : sources_(sources),
      reader_(sources.live.loop(), 1),
      memory_({sources.live.loop(), reader_, sources.log,
               [this] { return sources_.live.with_own(owned_by(sources_.live.scheduler(), sources_.sink.last())); }}),
      explain_({sources.live.clock(),
                sources.live.in_force(),
                sources.sink.last(),
                sources.live.clock(),
                [this] { return sources_.live.has_synced(); },
                [this] { return sources_.live.leads(); },
                {sources.meter, &sources.failures},
                ask_shadow(sources.shadow),
                &sources.live.left_out(),
                [this] { return memory_.last(); },
                sources.release.text()}),
      what_if_(present_world(sources.live, sources.reloads, explain_.questions(), sources.plugins, sources.seed)) {
    add_checks();
    sources.live.between_cycles([this] { explain_.questions().before_cycle(); });
}

/// The health checks of a scheduler, named as upstream's.
void Endpoints::add_checks() {
    using report::Health;
    const Live &live = sources_.live;
    if (live.leadership())
        health_.add("leaderElection", Health::Healthz | Health::Readyz, [&] { return live.leadership()->fault(); });
    health_.add("shutdown", Health::Readyz,
                [&] { return live.is_stopping() ? "process is shutting down" : std::string(); });
    health_.add("sched-handler-sync", Health::Readyz,
                [&] { return live.has_synced() ? std::string() : "handlers are not fully synchronized"; });
    health_.add_note("config-reload", Health::Readyz, [this] { return sources_.reloads.get().text(); });
    health_.add_note("memory", Health::Readyz, [this] { return report::memory_warning(memory_.last()); });
    health_.add_note("unreadable-objects", Health::Readyz, [&]() -> std::string {
        const auto n = live.left_out().size();
        return n == 0 ? "" : std::to_string(n) + (n == 1 ? " object" : " objects") + "; berth explain names them";
    });
}

/// Brings the metrics up to date that are not counted as things happen.
void Endpoints::update_metrics() {
    auto &meter = sources_.meter;
    auto &live = sources_.live;
    auto &scheduler = live.scheduler();
    const auto reloads = sources_.reloads.get();
    meter.update(report::Reloads{reloads.taken, reloads.refused, reloads.error.empty()});
    meter.update(sources_.failures.counts());
    meter.update(scheduler.queue(), scheduler.cache(), scheduler.binding());
    meter.update(live.events());
    meter.update_unreadable(live.left_out().counts());
    meter.update(memory_.last());
    if (const auto *shadow = scheduler.shadow()) meter.update(shadow->all_counts(), shadow->paused());
    if (const auto *leadership = live.leadership()) {
        const auto &election = leadership->election();
        meter.update(report::Lease{election.renewed_ns().has_value(), election.slow_paths()});
    }
}

model::Result<void> Endpoints::serve(const api::ServingOptions &options, const kube::Credentials &credentials) {
    if (options.secure_port == 0) return {};
    auto configz = [this] {
        return "{\"componentconfig\":" + decode::to_json(sources_.reloads.get().merged->value()) + "}";
    };
    auto opened = api::Serving::open(
        options, credentials,
        {sources_.live.clock(), sources_.log, health_, std::move(configz), [this] { update_metrics(); },
         [this] { return sources_.meter.text() + sources_.live.plugin_metrics().text(); }, &explain_, &what_if_});
    if (!opened) return opened.error();
    serving_.emplace(std::move(*opened));
    return {};
}

}  // namespace berth::live
