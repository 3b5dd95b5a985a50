// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The shadow of a live cluster, made anew when its files change, and put aside when it keeps failing. It is called
/// once the objects that its plugins watch are known. Nothing that is wrong with it stops the scheduler.

#include "live/file_watch.h"
#include "live/live.h"
#include "live/shadow_source.h"
#include "plugin/failures.h"
#include "report/shadow.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::live {

/// Loop only.
class ShadowKeeper {
public:
    static constexpr std::int64_t patience_ns = 30'000'000'000;  ///< for the kinds that its plugins watch

    /// `live` outlives it, and `log`, which marks the lines (ShadowLog), and what `services` point to outlive `live`,
    /// which ends the instances.
    ShadowKeeper(Live &live, env::Log &log, ShadowOptions options, const plugin::PluginOptions &plugins,
                 const plugin::Services &services);
    /// Another core has taken the place of the one that it was made for; it is made anew for that one.
    void begin_anew();

    /// Makes it; before live.run(). The error is what is wrong with it.
    model::Result<void> begin(const config::Configuration &real);
    /// Disables it until Berth is started again, with the reason as a sentence. Instead of begin().
    void hold(const std::string &why);

    /// To be called every second. `others_wait`: somebody else waits for kinds, so that it must not now.
    void look(const config::Configuration &real, bool others_wait);
    /// Somebody asks for all files to be read anew.
    void read_anew();
    /// Whether it waits for kinds that its plugins watch, and which.
    bool waits() const { return round_.has_value(); }
    std::vector<plugin::Watched> watched() const;

    report::ShadowState state(std::size_t most) const;

private:
    model::Result<void> make(const config::Configuration &real);
    void put_aside(const std::string &why);
    void take();

    Live &live_;
    env::Log &log_;
    ShadowOptions options_;
    plugin::PluginOptions plugins_;
    plugin::Services services_;
    plugin::PluginFailures failures_;
    FileWatch files_;
    std::vector<plugin::Profile> made_;  ///< to be called next
    std::vector<std::string> warnings_;
    std::optional<std::uint64_t> round_;  ///< that is waited for
    std::uint64_t rounds_ = 0;
    std::string why_not_;  ///< why it is disabled; empty: it is enabled
    bool held_ = false, aside_ = false, wanted_ = false;
};

}  // namespace berth::live
