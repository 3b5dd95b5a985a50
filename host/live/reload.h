// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reload of configuration and plugins, at SIGHUP or when their files change. New profiles are made beside the old
/// ones and take their place between two cycles; what is wrong leaves the old ones in force.

#include "config/mutable_tree.h"
#include "live/file_watch.h"
#include "live/live.h"
#include "live/profile_builder.h"
#include "live/reload_state.h"
#include "live/shadow_keeper.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::live {

/// What is read anew.
struct ReloadSources {
    plugin::PluginOptions plugins;
    /// The configuration with what the command line says of it.
    std::function<model::Result<config::Configuration>()> read;
    ShadowKeeper *shadow = nullptr;  ///< null: there is none
};

/// Loop only, but for the status.
class Reloader {
public:
    static constexpr std::int64_t look_again_ns = 1'000'000'000;
    static constexpr std::int64_t patience_ns = 30'000'000'000;  ///< for the kinds that only the new profiles watch

    /// `files` knows those that `begun` was read from, `catalog` the libraries in force. `live`, `log` and `builder`
    /// outlive it.
    Reloader(Live &live, env::Log &log, const ProfileBuilder &builder, ReloadSources sources, FileWatch files,
             const config::Configuration &begun, plugin::Catalog catalog, config::MutableTree merged);

    /// Before live.run().
    void start();
    const ReloadStatus &status() const { return status_; }

    /// Whether something that was made for the core in force waits to be taken up.
    bool busy() const { return candidate_ || (sources_.shadow && sources_.shadow->waits()); }
    /// Gives another core the configuration in force: new instances of the same libraries. No file is read.
    model::Result<void> make_anew(LiveCore &core);
    /// That core has taken the place of the one before.
    void begin_anew();

private:
    struct Made {
        std::vector<plugin::Profile> profiles;
        Scheduler::Extenders extenders;
    };
    /// What is to take the place of what is in force.
    struct Candidate {
        config::Configuration configuration;
        plugin::Catalog catalog;
        config::MutableTree merged;
        Made made;
        std::vector<std::string> warnings;
        std::uint64_t build;
    };

    void look();
    void reload();
    model::Result<Candidate> make();
    model::Result<Made> make(LiveCore &core, const config::Configuration &configuration, plugin::Catalog &catalog);
    void take();
    void refuse(const std::string &why);
    void trim();

    Live &live_;
    env::Log &log_;
    const ProfileBuilder &builder_;
    ReloadSources sources_;
    FileWatch files_;
    plugin::Catalog catalog_;
    config::MutableTree begun_;  ///< merged
    ReloadStatus status_;
    std::optional<Candidate> candidate_;  ///< waits for the kinds that it watches
    std::uint64_t rounds_ = 0;
    bool wanted_ = false;
};

/// What `now` says otherwise than `begun` and Berth heeds only when it starts: "leaderElection", … Both are merged, as
/// of v1.
std::vector<std::string> needs_restart(const config::MutableTree &begun, const config::MutableTree &now);

/// What is in force when `now` takes the place of `begun`: such fields stay as they were.
config::MutableTree in_force(const config::MutableTree &begun, config::MutableTree now);

}  // namespace berth::live
