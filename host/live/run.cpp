// SPDX-License-Identifier: Apache-2.0
#include "live/run.h"

#include "api/explain_api.h"
#include "config/dump.h"
#include "config/file.h"
#include "config/rules.h"
#include "decode/write.h"
#include "kube/cpprest_transport.h"
#include "kube/http_extender.h"
#include "live/crash_record.h"
#include "live/credentials.h"
#include "live/live.h"
#include "live/memory_watch.h"
#include "live/present_world.h"
#include "live/reload.h"
#include "live/rotation.h"
#include "live/watchdog.h"
#include "plugin/merged_config.h"
#include "report/log.h"
#include "report/scheduler_metrics.h"

#include <berth/version.h>

#include <iostream>
#include <random>

namespace berth::live {
namespace {

std::uint64_t some_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

/// As kube-scheduler shows it with -v 2, between the lines that it used for that until 1.21, which people look for.
void show(report::KlogLog &log, const config::MutableTree &merged) {
    constexpr int shown = 2;
    if (!log.enabled(env::Severity::Info, shown)) return;
    log.write_lines(shown, "-------------------------Configuration File Contents Start Here---------------------- \n" +
                               decode::to_yaml(merged.tree()->value()) +
                               "\n------------------------------------Configuration File Contents End "
                               "Here---------------------------------\n");
}

/// The health checks of a scheduler, named as upstream's.
void add_checks(report::Health &health, const Live &live, const ReloadStatus &reloads, const MemoryWatch &memory) {
    using report::Health;
    if (live.leadership())
        health.add("leaderElection", Health::Healthz | Health::Readyz, [&] { return live.leadership()->fault(); });
    health.add("shutdown", Health::Readyz,
               [&] { return live.is_stopping() ? "process is shutting down" : std::string(); });
    health.add("sched-handler-sync", Health::Readyz,
               [&] { return live.has_synced() ? std::string() : "handlers are not fully synchronized"; });
    health.add_note("config-reload", Health::Readyz, [&] { return reloads.get().text(); });
    health.add_note("memory", Health::Readyz, [&] { return report::memory_warning(memory.last()); });
    health.add_note("unreadable-objects", Health::Readyz, [&]() -> std::string {
        const auto n = live.left_out().size();
        return n == 0 ? "" : std::to_string(n) + (n == 1 ? " object" : " objects") + "; berth explain names them";
    });
}

/// The sources of the metrics.
struct Sources {
    Live &live;
    env::Log &log;
    report::Health &health;
    report::SchedulerMetrics &meter;
    const ReloadStatus &reloads;
    const plugin::PluginFailures &failures;
    const MemoryWatch &memory;
    api::ExplainApi &api;
    api::WhatIf &what_if;
};

/// Brings the metrics up to date that are not counted as things happen.
void update(const Sources &sources) {
    auto &meter = sources.meter;
    auto &scheduler = sources.live.scheduler();
    const auto reloads = sources.reloads.get();
    meter.update(report::Reloads{reloads.taken, reloads.refused, reloads.error.empty()});
    meter.update(sources.failures.counts());
    meter.update(scheduler.queue(), scheduler.cache(), scheduler.binding());
    meter.update(sources.live.events());
    meter.update_unreadable(sources.live.left_out().counts());
    meter.update(sources.memory.last());
    if (const auto *shadow = scheduler.shadow()) meter.update(shadow->all_counts(), shadow->paused());
    if (const auto *leadership = sources.live.leadership()) {
        const auto &election = leadership->election();
        meter.update(report::Lease{election.renewed_ns().has_value(), election.slow_paths()});
    }
}

/// Answers by HTTPS from now on, unless the port is 0.
model::Result<std::optional<api::Serving>> serve(const api::ServingOptions &options,
                                                 const kube::Credentials &credentials, const Sources &sources) {
    if (options.secure_port == 0) return std::optional<api::Serving>();
    auto opened = api::Serving::open(
        options, credentials,
        {sources.live.clock(), sources.log, sources.health,
         [sources] { return "{\"componentconfig\":" + decode::to_json(sources.reloads.get().merged->value()) + "}"; },
         [sources] { update(sources); }, [sources] { return sources.meter.text(); }, &sources.api, &sources.what_if});
    if (!opened) return opened.error();
    return std::optional(std::move(*opened));
}

/// Has the next crash recorded, and puts the plugin that the last ones happened in into quarantine.
model::Result<CrashRecord> open_crash_record(const RunOptions &options, env::Log &log,
                                             plugin::PluginFailures &failures) {
    const auto usual = options.crash_record.empty();
    auto out = CrashRecord::open(usual ? CrashRecord::usual_file() : options.crash_record);
    if (!out && usual) {
        // Only an explicitly requested file must work.
        log.write(env::Severity::Warning, 0, "Crashes are not recorded", {{"err", out.error().text}});
        out = CrashRecord::open("-");
    }
    if (!out) return out;
    for (const auto &crash : out->earlier())
        log.write(env::Severity::Warning, 0, "An earlier run crashed",
                  {{"signal", crash.signal}, {"plugin", crash.plugin}, {"point", crash.point}, {"pod", crash.pod}});
    if (const auto plugin = out->culprit(); !plugin.empty()) {
        const auto &last = out->earlier().back();
        const auto why = "plugin \"" + plugin + "\" is in quarantine: the last " +
                         std::to_string(CrashRecord::too_many) + " runs crashed in it, the last time at " + last.point +
                         " for pod " + last.pod + " (" + last.signal + "); remove " + out->file() + " to try it again";
        log.write(env::Severity::Error, 0, why);
        failures.crashed(plugin, why);
    }
    return out;
}

api::AskShadow ask_shadow(const std::optional<ShadowKeeper> &shadow) {
    if (!shadow) return {};
    return [&shadow](std::size_t most) { return shadow->state(most); };
}

/// The rights that the scheduler's own credentials must have.
NeededRights own_rights(const api::ServingOptions &serving, const config::Configuration &configuration,
                        std::span<const plugin::Profile> profiles) {
    auto out = needed_rights(configuration, profiles);
    std::erase_if(out, [&](const auto &one) {
        const auto &[right, who] = one;
        if (who != std::set<Needer>{{false, std::string(serving_part)}}) return false;
        const bool asks_who = right.resource != "subjectaccessreviews";
        return serving.secure_port == 0 || (right.resource == "configmaps" && serving.skip_lookup) ||
               !(asks_who ? serving.authentication_kubeconfig : serving.authorization_kubeconfig).empty();
    });
    return out;
}

}  // namespace

model::Result<config::Configuration> read_configuration(const RunOptions &options) {
    auto out = config::read_config(options.config, options.release);
    if (!out || !options.override_configuration) return out;
    if (auto done = options.override_configuration(*out); !done) return done.error();
    return out;
}

model::Result<Ended> run(const RunOptions &options) {
    kube::prepare_process();
    FileWatch files(options.config, options.plugins);
    auto read = [&] { return read_configuration(options); };
    auto configuration = read();
    if (!configuration) return configuration.error();
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return catalog.error();
    auto idle = options.idle;
    auto credentials = find_credentials(options, *configuration, idle);
    if (!credentials) return credentials.error();
    env::Loop loop;
    auto transports = make_transports(loop, options.transport, *credentials);
    if (!transports) return transports.error();
    report::DecisionLog decisions;
    if (auto opened = decisions.open(options.decisions, options.detail); !opened) return opened.error();

    report::KlogLog klog(options.verbosity);
    env::Log &log = klog;
    ShadowLog shadow_log(log);
    LiveSink sink(decisions);
    SchedulerSettings settings;
    settings.seed = options.seed ? *options.seed : some_seed();
    settings.queue = queue::Settings(*configuration);
    report::SchedulerMetrics meter(settings.queue.rules);
    settings.meter = &meter;
    report::CountedApi api(meter);
    auto journal = Recording::open(options.record);
    if (!journal) return journal.error();
    Live live(loop, log, sink, settings, std::move(*transports), std::move(*journal));
    live.connect(configuration->client_connection);
    live.nominate_expected_node(configuration->nominates_expected_node);
    plugin::PluginFailures failures(options.on_plugin_failure, live.clock(), log);
    auto crashes = open_crash_record(options, log, failures);
    if (!crashes) return crashes.error();
    api.forward_to(live.api());
    live.write_through(api);
    auto services_of = [&](LiveCore &core) {
        auto out = live.services(core, settings.seed, options.plugins.checks);
        out.misbehaviour = &failures;
        return out;
    };
    const auto services = services_of(live.core());
    auto building = live.core().recording.building();
    auto profiles = failures.build(*configuration, *catalog, services);
    building.reset();
    auto warn = [&](const std::vector<std::string> &texts) {
        for (const auto &text : texts) log.write(env::Severity::Warning, 0, text);
    };
    warn(configuration->warnings);
    warn(catalog->warnings());
    if (credentials->insecure)
        log.write(env::Severity::Warning, 0,
                  "The API server is not verified, so an impostor would be shown these credentials; remove "
                  "insecure-skip-tls-verify and name its certificate-authority",
                  {{"server", credentials->server}, {"from", credentials->where}});
    if (!profiles) return profiles.error();
    if (const auto &election = configuration->leader_election; election.leader_elect) {
        auto leadership = Leadership::make(live.clock(), log, *credentials, election, profiles->front().scheduler_name,
                                           settings.seed);
        if (!leadership) return leadership.error();
        live.elect(std::move(*leadership), configuration->delay_cache_until_active);
    }
    auto make_extenders = [&](const config::Configuration &c, LiveCore &core) -> model::Result<Scheduler::Extenders> {
        for (const auto &extender : c.extenders)
            if (kube::is_unverified(extender) && extender.url_prefix.starts_with("https://"))
                log.write(env::Severity::Warning, 0,
                          "An extender is not verified, so an impostor could answer for it; name tlsConfig.caFile",
                          {{"url", extender.url_prefix}, {"from", extender.where}});
        auto made = kube::make_http_extenders(c.extenders, live.clock());
        if (!made) return made.error();
        return core.recording.extenders(live.guarded(std::move(*made)));
    };
    std::optional<ShadowKeeper> shadow;
    if (!options.shadow.config.empty()) {
        shadow.emplace(live, shadow_log, options.shadow, options.plugins, live.unrecorded(services));
        if (const auto why = crashes->shadow_culprit(); !why.empty()) shadow->hold(why);
        else if (auto begun = shadow->begin(*configuration); !begun) return begun.error();
    }
    auto extenders = make_extenders(*configuration, live.core());
    if (!extenders) return extenders.error();
    auto rights = [&](const config::Configuration &c, std::span<const plugin::Profile> of) {
        return own_rights(options.serving, c, of);
    };
    live.need(rights(*configuration, *profiles));
    std::string names;
    for (const auto &p : *profiles) names += (names.empty() ? "" : ",") + p.scheduler_name;
    auto built = [&](LiveCore &core, const config::Configuration &c, std::span<const plugin::Profile> of) {
        return core.recording.built(
            c, of,
            {settings.seed, options.plugins.checks, queue::Settings(c), options.on_plugin_failure,
             failures.quarantined(), core.begun_with.cycles, core.begun_with.decisions});
    };
    live.core().recording.recorder().used(built(live.core(), *configuration, *profiles));
    live.scheduler().use(std::move(*profiles), std::move(*extenders));

    auto merged = plugin::merged_config(config::without_keys(*configuration), *catalog);
    if (!merged) return merged.error();
    show(klog, merged->own);
    log.write(env::Severity::Info, 0, "Starting Berth",
              {{"version", BERTH_VERSION},
               {"server", credentials->server},
               {"from", credentials->where + (credentials->context.empty() ? "" : ", context " + credentials->context)},
               {"profiles", names},
               {"seed", std::to_string(settings.seed)}});
    for (const auto &one : idle)
        log.write(env::Severity::Info, 0, "Flag has no effect",
                  {{"flag", one.flag}, {"value", one.value}, {"reason", one.why}});
    Reloader reloader(
        live, log,
        {options.plugins, read, make_extenders, services_of, failures, rights, built, shadow ? &*shadow : nullptr},
        std::move(files), *configuration, std::move(*catalog), std::move(merged->v1));
    Rotation rotation(live, log, reloader, options.record);
    report::Health health;
    env::Threads reader(loop, 1);
    MemoryWatch memory({loop, reader, log, [&] { return live.with_own(owned_by(live.scheduler(), sink.last())); }});
    add_checks(health, live, reloader.status(), memory);
    api::ExplainApi explain_api({live.clock(),
                                 live.in_force(),
                                 sink.last(),
                                 live.clock(),
                                 [&] { return live.has_synced(); },
                                 [&] { return live.leads(); },
                                 {meter, &failures},
                                 ask_shadow(shadow),
                                 &live.left_out(),
                                 [&] { return memory.last(); }});
    api::WhatIf what_if(
        present_world(live, reloader.status(), explain_api.questions(), options.plugins, settings.seed));
    auto serving = serve(options.serving, *credentials,
                         {live, log, health, meter, reloader.status(), failures, memory, explain_api, what_if});
    if (!serving) return serving.error();
    reloader.start();
    memory.start();
    const Watchdog watchdog(log);
    if (auto ran = live.run(); !ran) return ran.error();
    crashes->clear();
    if (auto written = decisions.finish(); !written) return written.error();
    return live.lost_leadership() ? Ended::LostLeadership : Ended::Requested;
}

}  // namespace berth::live
