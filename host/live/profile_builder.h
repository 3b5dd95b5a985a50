// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The builder of profiles and extenders from a configuration. Berth calls it when it starts, when it reads the
/// configuration anew, and when a recording goes on in another file.

#include "api/serving.h"
#include "live/live.h"
#include "plugin/failures.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::live {

/// Loop only. Everything that it makes is for one core, and is recorded there.
class ProfileBuilder {
public:
    struct Settings {
        const api::ServingOptions &serving;
        std::uint64_t seed;
        plugin::Checks checks;
        plugin::OnFailure on_failure;
    };

    /// All outlive it.
    ProfileBuilder(Live &live, env::Log &log, plugin::PluginFailures &failures, const Settings &settings)
        : live_(live), log_(log), failures_(failures), settings_(settings) {}

    plugin::PluginFailures &failures() const { return failures_; }
    /// What the core's plugins may use.
    plugin::Services services(LiveCore &core) const;
    /// The error is what is wrong with the plugins or the configuration.
    model::Result<std::vector<plugin::Profile>> profiles(LiveCore &core, const config::Configuration &configuration,
                                                         plugin::Catalog &catalog) const;
    /// After Live::elect().
    model::Result<Scheduler::Extenders> extenders(LiveCore &core, const config::Configuration &configuration) const;
    /// Records how the profiles were made; answers the number of the build.
    std::uint64_t built(LiveCore &core, const config::Configuration &configuration,
                        std::span<const plugin::Profile> profiles) const;
    /// The rights that the scheduler's own credentials must have.
    NeededRights rights(const config::Configuration &configuration, std::span<const plugin::Profile> profiles) const;

private:
    Live &live_;
    env::Log &log_;
    plugin::PluginFailures &failures_;
    const Settings settings_;
};

}  // namespace berth::live
