// SPDX-License-Identifier: Apache-2.0
#include "live/run.h"

#include "config/dump.h"
#include "config/file.h"
#include "config/rules.h"
#include "decode/write.h"
#include "kube/cpprest_transport.h"
#include "live/crash_record.h"
#include "live/credentials.h"
#include "live/endpoints.h"
#include "live/profile_builder.h"
#include "live/reload.h"
#include "live/rotation.h"
#include "live/watchdog.h"
#include "plugin/merged_config.h"
#include "report/counted_api.h"
#include "report/log.h"

#include <berth/version.h>

#include <random>
#include <utility>

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

/// What is read before anything runs.
struct Inputs {
    FileWatch files;  ///< before they are read: what changes meanwhile is noticed
    config::Configuration configuration;
    plugin::Catalog catalog;
    kube::Credentials credentials;
    std::vector<IdleFlag> idle;
};

model::Result<Inputs> read_inputs(const RunOptions &options) {
    FileWatch files(options.config, options.plugins);
    auto configuration = read_configuration(options);
    if (!configuration) return configuration.error();
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return catalog.error();
    auto idle = options.idle;
    auto credentials = find_credentials(options, *configuration, idle);
    if (!credentials) return credentials.error();
    return Inputs{std::move(files), std::move(*configuration), std::move(*catalog), std::move(*credentials),
                  std::move(idle)};
}

/// A run, from its inputs to its end. Members stand in the order in which they are made: each may use those above it.
class Runtime {
public:
    Runtime(const RunOptions &options, Inputs inputs, env::Loop &loop, report::DecisionLog &decisions,
            Transports transports, std::optional<record::JournalWriter> journal)
        : options_(options),
          inputs_(std::move(inputs)),
          klog_(options.verbosity),
          sink_(decisions),
          meter_(config::Rules(inputs_.configuration.release)),
          settings_{.seed = options.seed ? *options.seed : some_seed(),
                    .queue = queue::Settings(inputs_.configuration),
                    .meter = &meter_},
          live_(loop, log_, sink_, settings_, std::move(transports), std::move(journal)),
          failures_(options.on_plugin_failure, live_.clock(), log_) {
        live_.connect(inputs_.configuration.client_connection);
        live_.nominate_expected_node(inputs_.configuration.nominates_expected_node);
        api_.forward_to(live_.api());
        live_.write_through(api_);
    }

    /// Each step may fail; the error is why the run cannot begin.
    model::Result<void> prepare() {
        for (auto step : {&Runtime::record_crashes, &Runtime::build_profiles, &Runtime::stand_for_election,
                          &Runtime::begin_shadow, &Runtime::use_profiles, &Runtime::merge_configuration,
                          &Runtime::announce, &Runtime::watch_files, &Runtime::serve})
            if (auto done = (this->*step)(); !done) return done.error();
        return {};
    }

    /// Until it is stopped or does not lead any more.
    model::Result<Ended> run() {
        reloader_->start();
        endpoints_->start();
        const Watchdog watchdog(log_);
        if (auto ran = live_.run(); !ran) return ran.error();
        crashes_->clear();
        return live_.lost_leadership() ? Ended::LostLeadership : Ended::Requested;
    }

private:
    void warn(const std::vector<std::string> &texts) {
        for (const auto &text : texts) log_.write(env::Severity::Warning, 0, text);
    }

    model::Result<void> record_crashes() {
        auto crashes = open_crash_record(options_, log_, failures_);
        if (!crashes) return crashes.error();
        crashes_.emplace(std::move(*crashes));
        return {};
    }

    model::Result<void> build_profiles() {
        auto profiles = builder_.profiles(live_.core(), inputs_.configuration, inputs_.catalog);
        warn(inputs_.configuration.warnings);
        warn(inputs_.catalog.warnings());
        if (const auto &credentials = inputs_.credentials; credentials.insecure)
            log_.write(env::Severity::Warning, 0,
                       "The API server is not verified, so an impostor would be shown these credentials; remove "
                       "insecure-skip-tls-verify and name its certificate-authority",
                       {{"server", credentials.server}, {"from", credentials.where}});
        if (!profiles) return profiles.error();
        profiles_ = std::move(*profiles);
        return {};
    }

    model::Result<void> stand_for_election() {
        const auto &election = inputs_.configuration.leader_election;
        if (!election.leader_elect) return {};
        auto leadership = Leadership::make(live_.clock(), log_, inputs_.credentials, election,
                                           profiles_.front().scheduler_name, settings_.seed);
        if (!leadership) return leadership.error();
        live_.elect(std::move(*leadership), inputs_.configuration.delay_cache_until_active);
        return {};
    }

    model::Result<void> begin_shadow() {
        if (options_.shadow.config.empty()) return {};
        shadow_.emplace(live_, shadow_log_, options_.shadow, options_.plugins,
                        live_.unrecorded(builder_.services(live_.core())));
        const auto why = crashes_->shadow_culprit();
        if (why.empty()) return shadow_->begin(inputs_.configuration);
        shadow_->hold(why);
        return {};
    }

    model::Result<void> use_profiles() {
        auto &core = live_.core();
        const auto &configuration = inputs_.configuration;
        auto extenders = builder_.extenders(core, configuration);
        if (!extenders) return extenders.error();
        live_.need(builder_.rights(configuration, profiles_));
        for (const auto &p : profiles_) names_ += (names_.empty() ? "" : ",") + p.scheduler_name;
        core.recording.recorder().used(builder_.built(core, configuration, profiles_));
        core.scheduler.use(std::move(profiles_), std::move(*extenders));
        return {};
    }

    /// The configuration with all defaults, as it is in force.
    model::Result<void> merge_configuration() {
        auto merged = plugin::merged_config(config::without_keys(inputs_.configuration), inputs_.catalog);
        if (!merged) return merged.error();
        show(klog_, merged->own);
        merged_ = std::move(merged->v1);
        return {};
    }

    model::Result<void> announce() {
        const auto &credentials = inputs_.credentials;
        log_.write(
            env::Severity::Info, 0, "Starting Berth",
            {{"version", BERTH_VERSION},
             {"kubernetesVersion", options_.release.text()},
             {"server", credentials.server},
             {"from", credentials.where + (credentials.context.empty() ? "" : ", context " + credentials.context)},
             {"profiles", names_},
             {"seed", std::to_string(settings_.seed)}});
        for (const auto &one : inputs_.idle)
            log_.write(env::Severity::Info, 0, "Flag has no effect",
                       {{"flag", one.flag}, {"value", one.value}, {"reason", one.why}});
        return {};
    }

    /// From now on, what the files say takes the place of what was read.
    model::Result<void> watch_files() {
        reloader_.emplace(live_, log_, builder_,
                          ReloadSources{options_.plugins, [this] { return read_configuration(options_); },
                                        shadow_ ? &*shadow_ : nullptr},
                          std::move(inputs_.files), inputs_.configuration, std::move(inputs_.catalog),
                          std::move(merged_));
        rotation_.emplace(live_, log_, *reloader_, options_.record);
        return {};
    }

    model::Result<void> serve() {
        endpoints_.emplace(Endpoints::Sources{live_, log_, sink_, meter_, reloader_->status(), failures_, shadow_,
                                              options_.plugins, settings_.seed, options_.release});
        return endpoints_->serve(options_.serving, inputs_.credentials);
    }

    const RunOptions &options_;
    Inputs inputs_;
    report::KlogLog klog_;
    env::Log &log_ = klog_;
    ShadowLog shadow_log_{log_};
    LiveSink sink_;
    report::SchedulerMetrics meter_;
    const SchedulerSettings settings_;
    report::CountedApi api_{[this] { meter_.pod_evicted(); }};
    Live live_;
    plugin::PluginFailures failures_;
    std::optional<CrashRecord> crashes_;
    ProfileBuilder builder_{live_,
                            log_,
                            failures_,
                            {options_.serving, settings_.seed, options_.plugins.checks, options_.on_plugin_failure}};
    std::vector<plugin::Profile> profiles_;  ///< until the scheduler uses them
    std::string names_;                      ///< of the profiles
    config::MutableTree merged_;             ///< the configuration in force, for the reloader
    std::optional<ShadowKeeper> shadow_;
    std::optional<Reloader> reloader_;
    std::optional<Rotation> rotation_;
    std::optional<Endpoints> endpoints_;
};

}  // namespace

model::Result<config::Configuration> read_configuration(const RunOptions &options) {
    auto out = config::read_config(options.config, options.release);
    if (!out || !options.override_configuration) return out;
    if (auto done = options.override_configuration(*out); !done) return done.error();
    return out;
}

model::Result<Ended> run(const RunOptions &options) {
    kube::prepare_process();
    auto inputs = read_inputs(options);
    if (!inputs) return inputs.error();
    env::Loop loop;
    auto transports = make_transports(loop, options.transport, inputs->credentials);
    if (!transports) return transports.error();
    report::DecisionLog decisions;
    if (auto opened = decisions.open(options.decisions, options.detail); !opened) return opened.error();
    auto journal = Recording::open(options.record);
    if (!journal) return journal.error();

    Runtime runtime(options, std::move(*inputs), loop, decisions, std::move(*transports), std::move(*journal));
    if (auto prepared = runtime.prepare(); !prepared) return prepared.error();
    auto ended = runtime.run();
    if (!ended) return ended;
    if (auto written = decisions.finish(); !written) return written.error();
    return ended;
}

}  // namespace berth::live
