// SPDX-License-Identifier: Apache-2.0
#include "live/shadow_keeper.h"

#include <utility>

namespace berth::live {

ShadowKeeper::ShadowKeeper(Live &live, env::Log &log, ShadowOptions options, const plugin::PluginOptions &plugins,
                           const plugin::Services &services)
    : live_(live),
      log_(log),
      options_(std::move(options)),
      plugins_(shadow_plugins(options_, plugins)),
      services_(shadow_services(services, log_)),
      failures_(plugin::OnFailure::SkipPlugin, live.clock(), log_),
      files_(options_.config, plugins_) {
    services_.misbehaviour = &failures_;
    // It is in the middle of a call, so the instances stay.
    failures_.on_quarantine([this] {
        live_.scheduler().pause_shadow();
        put_aside(failures_.quarantined().back().why);
    });
}

model::Result<void> ShadowKeeper::begin(const config::Configuration &real) {
    auto made = make(real);
    if (made) why_not_ = "what its plugins watch is not known yet";
    return made;
}

void ShadowKeeper::hold(const std::string &why) {
    held_ = true;
    put_aside(why);
}

void ShadowKeeper::begin_anew() {
    live_.scheduler().offer(services_);
    round_.reset();
    made_.clear();
    if (aside_) return;
    wanted_ = true;
    why_not_ = "the recording goes on in another file, and it is made anew";
}

void ShadowKeeper::put_aside(const std::string &why) {
    aside_ = true;
    why_not_ = why;
    log_.write(env::Severity::Error, 0, "The shadow is not asked", {{"err", why}});
}

model::Result<void> ShadowKeeper::make(const config::Configuration &real) {
    auto configuration = read_shadow(options_, real);
    if (!configuration) return configuration.error();
    auto catalog = plugin::open_catalog(plugins_);
    if (!catalog) return model::Error{"--shadow: " + catalog.error().text};
    auto profiles = plugin::build_profiles(*configuration, *catalog, services_);
    if (!profiles) return model::Error{"--shadow: " + profiles.error().text};
    made_ = std::move(*profiles);
    aside_ = false;
    warnings_ = shadow_warnings(*configuration, real);
    return {};
}

void ShadowKeeper::read_anew() {
    files_.read();
    wanted_ = !held_;
}

void ShadowKeeper::look(const config::Configuration &real, bool others_wait) {
    if (held_ || waits()) return;
    if (files_.changed()) wanted_ = true;
    if (wanted_) {
        wanted_ = false;
        failures_.pardon();
        if (auto made = make(real); !made && !live_.scheduler().shadow()) {
            return put_aside(made.error().text);
        } else if (!made) {
            log_.write(env::Severity::Error, 0, "The shadow was not read anew; it stays as it was",
                       {{"err", made.error().text}});
            return;
        }
    }
    if (made_.empty() || others_wait || !live_.has_synced()) return;
    const auto round = ++rounds_;
    round_ = round;
    live_.clock().after(patience_ns, [this, round] {
        if (round_ != round) return;
        round_.reset();
        made_.clear();
        put_aside("what its plugins watch was not known after " + std::to_string(patience_ns / 1'000'000'000) + " s");
    });
    auto kinds = plugin::watched_kinds(made_);
    // The next configuration in force may need more than the shadow of a kind that now the shadow alone watches.
    for (auto &one : kinds)
        if (!live_.watches().follows(one.kind)) one.part = {};
    live_.watches().follow(kinds, [this, round](const std::vector<Unwatchable> &refused) {
        if (round_ != round) return;
        round_.reset();
        if (refused.empty()) return take();
        made_.clear();
        std::string why;
        for (const auto &one : refused) why += (why.empty() ? "" : "\n") + one.text;
        put_aside(why);
    });
}

void ShadowKeeper::take() {
    for (const auto &text : warnings_) log_.write(env::Severity::Warning, 0, text);
    live_.scheduler().use_shadow(std::exchange(made_, {}), {.budget_percent = options_.budget_percent});
    why_not_.clear();
    log_.write(env::Severity::Info, 0, "The shadow is asked from now on", {{"configuration", options_.config}},
               std::source_location::current());
}

std::vector<plugin::Watched> ShadowKeeper::watched() const { return plugin::watched_kinds(made_); }

report::ShadowState ShadowKeeper::state(std::size_t most) const {
    report::ShadowState out;
    out.report.configuration = options_.config;
    out.report.kubernetes_version = other_release(options_);
    out.why_not = why_not_;
    out.budget_percent = options_.budget_percent;
    out.failures = failures_.counts();
    const auto *shadow = live_.scheduler().shadow();
    if (!shadow) return out;
    out.report.counts = shadow->counts();
    out.report.differences = shadow->newest(most);
    return out;
}

}  // namespace berth::live
