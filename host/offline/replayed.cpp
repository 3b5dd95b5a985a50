// SPDX-License-Identifier: Apache-2.0
#include "offline/replayed.h"

#include "config/feature_gates.h"
#include "config/file.h"
#include "config/read.h"
#include "config/rules.h"
#include "decode/write.h"
#include "kube/http_extender.h"
#include "live/shadow_source.h"

#include <utility>

namespace berth::offline {
namespace {

model::Result<config::Configuration> source_of(const live::RecordedBuild &build, const Instead &instead) {
    const auto release = instead.release.value_or(build.release);
    if (!instead.config.empty()) return config::read_config(instead.config, release);
    if (!build.configuration) return config::built_in(release);
    return config::read(decode::to_json(build.configuration->value()), "the recorded configuration", release);
}

}  // namespace

model::Result<config::Configuration> configuration_of(const live::RecordedBuild &build, const Instead &instead) {
    auto out = source_of(build, instead);
    if (!out) return out;
    if (auto applied = config::apply_gates(build.feature_gates, *out); !applied) return applied.error();
    return out;
}

model::Result<live::RecordedBuild> first_build(const record::Journal &journal) {
    record::Bytes first(journal.entries);
    const bool begins = static_cast<record::Entry>(first.byte()) == record::Entry::Built;
    first.number();
    const std::string how(first.text());
    if (!begins || !first.good())
        return model::Error{journal.file + ": ends before scheduling began; there is nothing to replay" +
                            (journal.torn.empty() ? "" : "\n" + journal.torn)};
    auto build = live::read_build(how);
    if (!build) return model::Error{journal.file + ": " + build.error().text};
    return build;
}

Replayed::Replayed(const record::Journal &journal, const Instead &instead, Wishes wishes)
    : journal_(journal), instead_(instead), wishes_(std::move(wishes)), player_(journal) {}

model::Result<void> Replayed::run() {
    auto build = first_build(journal_);
    if (!build) return build.error();
    berth_ = build->berth;
    SchedulerSettings settings;
    settings.seed = build->facts.seed;
    const config::Rules rules(instead_.release.value_or(build->release));
    settings.queue = build->facts.queue;
    settings.queue.rules = rules;
    settings.cycles = build->facts.cycles;
    settings.decisions = build->facts.decisions;
    settings.ids = &player_.ids();
    DecisionSink &sink = *this;
    scheduler_.emplace(player_, &log_, sink, settings);
    scheduler_->on_retired([this] { player_.retired(); });
    record::Player::Core core;
    world_.pass_on_to(scheduler_->observer());
    core.observer = wishes_.world ? static_cast<env::Observer *>(&world_) : &scheduler_->observer();
    core.accounting = rules.accounting;
    core.build = [this](std::uint64_t number, const std::string &text) { return this->build(number, text); };
    core.use = [this](std::uint64_t number) { use(number); };
    core.drop = [this](std::uint64_t number) { built_.erase(number); };
    core.schedule_one = [this] { return scheduler_->schedule_one(); };
    core.forget = [this](const model::Kind &kind) { scheduler_->forget(kind); };
    core.recorded = [this](const model::Decision &decision) {
        ++recorded_;
        cycle_ = decision.cycle;
        if (player_.apart()) keep(then_, decision);
    };
    if (wishes_.go_on || wishes_.shadow)
        core.go_on = [this](std::int64_t now_ns) {
            beside_.advance_to(now_ns);
            return !wishes_.go_on || wishes_.go_on(now_ns, cycle_);
        };
    auto played = player_.play(std::move(core));
    take_differences();
    return played;
}

model::Result<std::vector<plugin::Profile>> Replayed::shadow_of(const live::RecordedBuild &build,
                                                                const config::Configuration &real,
                                                                plugin::Catalog &catalog,
                                                                const plugin::Services &services) {
    if (!wishes_.shadow) return std::vector<plugin::Profile>{};
    auto configuration = wishes_.shadow(build, real, catalog);
    if (!configuration) return configuration.error();
    auto own = live::shadow_services(services, log_);
    own.clock = &beside_;
    own.workers = &beside_workers_;
    return plugin::build_profiles(*configuration, catalog, own);
}

/// The counts and differences of the shadow that is in force, before another one is.
void Replayed::take_differences() {
    const auto *shadow = scheduler_ ? scheduler_->shadow() : nullptr;
    if (!shadow) return;
    shadow_counts_ = shadow->all_counts();
    auto newest = shadow->newest(wishes_.most_differences);
    shadow_differences_.insert(shadow_differences_.end(), newest.rbegin(), newest.rend());
}

model::Result<void> Replayed::build(std::uint64_t number, const std::string &how) {
    auto build = live::read_build(how);
    if (!build) return model::Error{journal_.file + ": " + build.error().text};
    auto configuration = configuration_of(*build, instead_);
    if (!configuration) return configuration.error();
    auto pins = recorded_pins(*build, instead_, journal_.file);
    if (!pins) return pins.error();
    auto plugins = instead_.plugins;
    if (instead_.as_then) plugins.pins.clear();
    auto catalog = plugin::open_catalog(plugins, *std::move(pins));
    if (!catalog) return catalog.error();
    plugin::Services services;
    services.clock = &player_;
    services.api = &player_;
    services.log = &log_;
    services.seed = build->facts.seed;
    services.checks = build->facts.checks;
    services.recorder = &events_;
    services.workers = &player_;
    scheduler_->offer(services);
    const auto &held = build->facts.quarantined;
    const auto not_held = plugin::without(*configuration, held);
    auto profiles = plugin::build_profiles(not_held, *catalog, services);
    if (!profiles) return profiles.error();
    plugin::hold(*profiles, *configuration, held, build->facts.on_failure);
    for (auto &line : ::berth::offline::other_libraries(*build, *profiles)) other_libraries_.insert(std::move(line));
    auto shadow = shadow_of(*build, not_held, *catalog, services);
    if (!shadow) return shadow.error();
    Built out{std::move(*profiles), {}, build->facts.queue, build->configuration, plugin::Kubernetes(*configuration),
              *std::move(shadow)};
    out.settings.rules = config::Rules(configuration->release);
    out.settings.groups = configuration->schedules_groups;
    for (const auto &extender : kube::in_order(configuration->extenders))
        out.extenders.push_back(player_.extender(kube::traits_of(extender)));
    filters_.clear();
    for (const auto *instance : out.profiles.front().filter) filters_.push_back(instance->name);
    // Those that were made and never used are none that anybody waits for.
    constexpr std::size_t most = 16;
    if (built_.size() == most) built_.erase(built_.begin());
    built_.emplace(number, std::move(out));
    return {};
}

void Replayed::use(std::uint64_t number) {
    auto built = built_.extract(number);
    if (built.empty()) return;
    auto &[profiles, extenders, settings, configuration, as, shadow] = built.mapped();
    configuration_ = configuration;
    decides_as_ = as;
    scheduler_->use(std::move(profiles), std::move(extenders), settings);
    if (!wishes_.shadow) return;
    take_differences();
    scheduler_->use_shadow(std::move(shadow), {.budget_percent = std::nullopt, .kept = wishes_.most_differences});
}

model::Detail Replayed::detail_of(const model::Pod &pod) const {
    return wishes_.tables && wishes_.tables(pod) ? model::Detail::Nodes : model::Detail::Summary;
}

void Replayed::keep(AttemptEnds &ends, const model::Decision &decision) {
    ends[{decision.pod.uid, decision.attempt}] = {decision.result, decision.node};
}

void Replayed::decision(const model::Decision &decision) {
    ++decisions_;
    player_.decision(decision);
    if (player_.apart()) keep(now_, decision);
    if (wishes_.decided) wishes_.decided(decision);
    if (wishes_.world) world_.decided(decision);
}

std::uint64_t Replayed::differing() const {
    std::uint64_t out = 0;
    auto then = then_;
    // The first one was passed on before it was known to differ.
    if (const auto &first = player_.difference(); first && first->recorded) {
        AttemptEnds one;
        keep(one, *first->recorded);
        then.merge(one);
    }
    for (const auto &[attempt, outcome] : then) {
        const auto at = now_.find(attempt);
        out += at == now_.end() || at->second != outcome ? 1 : 0;
    }
    for (const auto &[attempt, outcome] : now_) out += then.contains(attempt) ? 0 : 1;
    return out;
}

}  // namespace berth::offline
