// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The counts of plugins' failures, and the limits of quarantine: how many failures within which time.

#include "env/clock.h"
#include "env/log.h"
#include "plugin/catalog.h"
#include "plugin/quarantine.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace berth::plugin {

/// Loop only, but for counts().
class PluginFailures : public Misbehaviour {
public:
    /// So many within such a time, and a plugin goes into quarantine; not with OnFailure::FailPod, where each costs the
    /// pod's attempt and that is all.
    static constexpr std::size_t too_many = 10;
    static constexpr std::int64_t window_ns = 60'000'000'000;
    using Counts = std::map<std::pair<std::string, std::string>, std::uint64_t>;

    PluginFailures(OnFailure policy, env::Clock &clock, env::Log &log) : policy_(policy), clock_(clock), log_(log) {}

    /// A plugin that earlier runs crashed in: in quarantine until Berth is started again.
    void crashed(const std::string &plugin, const std::string &why) { crashed_.push_back({plugin, why}); }
    /// Called when a plugin enters quarantine: the profiles must be built anew.
    void on_quarantine(std::function<void()> callback) { on_quarantine_ = std::move(callback); }
    /// Ends the quarantine of plugins that only failed: their files have changed, or an admin asks for it.
    void pardon();

    /// build_profiles without the plugins that are in quarantine, and with the messages for their pods.
    model::Result<std::vector<Profile>> build(const config::Configuration &configuration, Catalog &catalog,
                                              const Services &services) const;

    void misbehaved(const std::string &plugin, std::string_view point, std::string_view what) override;
    /// How often, by plugin and point. Any thread.
    Counts counts() const;
    /// Those that are not called any more.
    std::vector<Quarantined> quarantined() const;

private:
    OnFailure policy_;
    env::Clock &clock_;
    env::Log &log_;
    std::function<void()> on_quarantine_;
    std::vector<Quarantined> crashed_, failing_;
    std::map<std::string, std::deque<std::int64_t>> recent_;  ///< when, by plugin
    mutable std::mutex mutex_;
    Counts counts_;
};

}  // namespace berth::plugin
