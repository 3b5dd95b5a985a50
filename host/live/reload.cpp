// SPDX-License-Identifier: Apache-2.0
#include "live/reload.h"

#include "config/dump.h"
#include "plugin/merged_config.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::live {

namespace {

bool counts_at_once(std::string_view field) {
    constexpr std::array at_once{"profiles", "extenders", "percentageOfNodesToScore", "podInitialBackoffSeconds",
                                 "podMaxBackoffSeconds"};
    return std::ranges::find(at_once, field) != at_once.end();
}

}  // namespace

std::vector<std::string> needs_restart(const config::MutableTree &begun, const config::MutableTree &now) {
    const auto before = begun.tree(), after = now.tree();
    std::vector<std::string> out;
    const auto now_printed = after->value(), begun_printed = before->value();
    for (std::size_t i = 0; i < now_printed.size(); ++i) {
        const auto name = now_printed.key(i);
        if (!counts_at_once(name) && !model::equal(now_printed.member(i), begun_printed[name])) out.emplace_back(name);
    }
    return out;
}

config::MutableTree in_force(const config::MutableTree &begun, config::MutableTree now) {
    std::erase_if(now.members(),
                  [](const config::MutableTree::Member &member) { return !counts_at_once(member.name); });
    for (const auto &member : begun.members())
        if (!counts_at_once(member.name)) now.put(member.name, member.value);
    now.sort();
    return now;
}

Reloader::Reloader(Live &live, env::Log &log, const ProfileBuilder &builder, ReloadSources sources, FileWatch files,
                   const config::Configuration &begun, plugin::Catalog catalog, config::MutableTree merged)
    : live_(live),
      log_(log),
      builder_(builder),
      sources_(std::move(sources)),
      files_(std::move(files)),
      catalog_(std::move(catalog)),
      begun_(std::move(merged)) {
    status_.begun(begun, begun_.tree(), live.clock().now_ns());
    live_.scheduler().on_retired([this] { trim(); });
    // It is in the middle of a call; the next look takes it up.
    builder_.failures().on_quarantine([this] { wanted_ = true; });
}

void Reloader::start() {
    live_.loop().on_hangup([this] {
        log_.write(env::Severity::Info, 0, "SIGHUP: the configuration and the plugins are read anew");
        files_.read();
        builder_.failures().pardon();
        if (sources_.shadow) sources_.shadow->read_anew();
        wanted_ = true;
        reload();
    });
    look();
}

void Reloader::look() {
    live_.clock().after(look_again_ns, [this] {
        if (files_.changed()) {
            log_.write(env::Severity::Info, 0, "Files have changed: the configuration and the plugins are read anew");
            builder_.failures().pardon();
            wanted_ = true;
        }
        reload();
        // One of them at a time waits for kinds.
        if (sources_.shadow) sources_.shadow->look(*status_.get().configuration, candidate_.has_value());
        look();
    });
}

/// Takes up what is wanted, unless something prevents that; then the next look does.
void Reloader::reload() {
    if (!wanted_ || candidate_ || !live_.has_synced() || (sources_.shadow && sources_.shadow->waits())) return;
    wanted_ = false;
    auto made = make();
    if (!made) return refuse(made.error().text);
    candidate_.emplace(std::move(*made));
    const auto round = ++rounds_;
    live_.clock().after(patience_ns, [this, round] {
        if (candidate_ && round == rounds_)
            refuse("what the new plugins watch was not known after " + std::to_string(patience_ns / 1'000'000'000) +
                   " s");
    });
    live_.watches().follow(plugin::watched_kinds(candidate_->made.profiles),
                           [this, round](const std::vector<Unwatchable> &refused) {
                               if (!candidate_ || round != rounds_) return;
                               if (refused.empty()) return take();
                               std::string why;
                               for (const auto &one : refused) why += (why.empty() ? "" : "\n") + one.text;
                               refuse(why);
                           });
}

model::Result<Reloader::Candidate> Reloader::make() {
    auto configuration = sources_.read();
    if (!configuration) return configuration.error();
    auto catalog = plugin::open_catalog(sources_.plugins);
    if (!catalog) return catalog.error();
    auto made = make(live_.core(), *configuration, *catalog);
    if (!made) return made.error();
    auto merged = plugin::merged_config(config::without_keys(*configuration), *catalog);
    if (!merged) return merged.error();
    Candidate out{std::move(*configuration), std::move(*catalog), std::move(merged->v1), std::move(*made), {}, 0};
    out.build = builder_.built(live_.core(), out.configuration, out.made.profiles);
    out.warnings = out.configuration.warnings;
    out.warnings.insert(out.warnings.end(), out.catalog.warnings().begin(), out.catalog.warnings().end());
    return out;
}

model::Result<Reloader::Made> Reloader::make(LiveCore &core, const config::Configuration &configuration,
                                             plugin::Catalog &catalog) {
    auto profiles = builder_.profiles(core, configuration, catalog);
    if (!profiles) return profiles.error();
    auto extenders = builder_.extenders(core, configuration);
    if (!extenders) return extenders.error();
    return Made{std::move(*profiles), std::move(*extenders)};
}

model::Result<void> Reloader::make_anew(LiveCore &core) {
    const auto configuration = status_.get().configuration;
    auto made = make(core, *configuration, catalog_);
    if (!made) return made.error();
    core.scheduler.on_retired([this] { trim(); });
    core.recording.recorder().used(builder_.built(core, *configuration, made->profiles));
    core.scheduler.use(std::move(made->profiles), std::move(made->extenders));
    return {};
}

void Reloader::begin_anew() {
    if (sources_.shadow) sources_.shadow->begin_anew();
}

void Reloader::take() {
    auto taken = *std::exchange(candidate_, std::nullopt);
    for (const auto &text : taken.warnings) log_.write(env::Severity::Warning, 0, text);
    for (const auto &field : needs_restart(begun_, taken.merged))
        log_.write(env::Severity::Warning, 0,
                   "The configuration's " + field +
                       " is another than the one Berth was started with; it takes effect "
                       "when Berth is started again");
    std::string names;
    for (const auto &profile : taken.made.profiles) names += (names.empty() ? "" : ",") + profile.scheduler_name;
    live_.look_for(builder_.rights(taken.configuration, taken.made.profiles));
    live_.core().recording.recorder().used(taken.build);
    live_.scheduler().use(std::move(taken.made.profiles), std::move(taken.made.extenders),
                          queue::Settings(taken.configuration));
    catalog_ = std::move(taken.catalog);
    status_.taken(std::move(taken.configuration), in_force(begun_, std::move(taken.merged)).tree(),
                  live_.clock().now_ns());
    log_.write(env::Severity::Info, 0, "The new configuration is in force",
               {{"generation", std::to_string(status_.get().generation)}, {"profiles", names}});
}

void Reloader::refuse(const std::string &why) {
    if (candidate_) live_.core().recording.recorder().dropped(candidate_->build);
    candidate_.reset();
    trim();
    status_.refused(why, live_.clock().now_ns());
    log_.write(env::Severity::Error, 0, "The configuration was not reloaded; the one before stays in force",
               {{"generation", std::to_string(status_.get().generation)}, {"err", why}});
}

/// Ends the watches of kinds that no plugin watches any more.
void Reloader::trim() {
    auto kinds = live_.scheduler().watched_kinds();
    if (candidate_)
        for (auto &watched : plugin::watched_kinds(candidate_->made.profiles)) kinds.push_back(std::move(watched));
    if (sources_.shadow)
        for (auto &watched : sources_.shadow->watched()) kinds.push_back(std::move(watched));
    live_.watches().keep(kinds);
}

}  // namespace berth::live
