// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The replay of one recording on a scheduler of its own.

#include "live/recording.h"
#include "offline/recorded_plugins.h"
#include "offline/seen_world.h"
#include "record/player.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace berth::offline {

/// What the profiles are made of then, or instead.
model::Result<config::Configuration> configuration_of(const live::RecordedBuild &build, const Instead &instead);

/// The first build of a recording. The error says that there is none.
model::Result<live::RecordedBuild> first_build(const record::Journal &journal);

/// Once. Loop only.
class Replayed : DecisionSink {
public:
    struct Wishes {
        /// Whether to keep the table of nodes of a pod's decisions; empty: of none.
        std::function<bool(const model::Pod &)> tables;
        /// Called before each input; false ends the replay. Empty: to the end.
        std::function<bool(std::int64_t now_ns, std::uint64_t cycle)> go_on;
        /// Called for each decision.
        std::function<void(const model::Decision &)> decided;
        bool world = false;  ///< whether world() is wanted
        /// Called for each configuration that the recording has, with what it makes of a shadow; empty: there is none.
        std::function<model::Result<config::Configuration>(const live::RecordedBuild &build,
                                                           const config::Configuration &real, plugin::Catalog &catalog)>
            shadow;
        std::size_t most_differences = 0;  ///< of the shadow's that are kept, for each configuration
    };

    Replayed(const record::Journal &journal, const Instead &instead, Wishes wishes);

    /// The error says what is wrong with the recording, or what it needs and is not there.
    model::Result<void> run();

    const record::Player &player() const { return player_; }
    std::uint64_t decisions() const { return decisions_; }  ///< of the replay
    std::uint64_t recorded() const { return recorded_; }
    /// After the first difference: how many attempts ended otherwise than in the recording.
    std::uint64_t differing() const;
    const std::vector<std::string> &filters() const { return filters_; }  ///< in the order of the calls
    const std::string &berth() const { return berth_; }                   ///< the version that recorded
    /// The cluster; during Wishes::decided, as it was before that decision.
    const SeenWorld &world() const { return world_; }
    const plugin::Kubernetes &decides_as() const { return decides_as_; }
    const model::TreePtr &configuration() const { return configuration_; }  ///< the recorded one; null: the built-in
    std::int64_t now_ns() const { return player_.now_ns(); }
    const model::ShadowCounts &shadow_counts() const { return shadow_counts_; }
    const Shadow::Differences &shadow_differences() const { return shadow_differences_; }  ///< the oldest first
    /// Which libraries are not the recorded ones, a line for each plugin.
    const std::set<std::string> &other_libraries() const { return other_libraries_; }

private:
    model::Detail detail() const override { return model::Detail::Summary; }
    model::Detail detail_of(const model::Pod &pod) const override;
    void decision(const model::Decision &decision) override;
    void event(const model::DecisionEvent &) override {}

    model::Result<void> build(std::uint64_t number, const std::string &how);
    void use(std::uint64_t number);
    model::Result<std::vector<plugin::Profile>> shadow_of(const live::RecordedBuild &build,
                                                          const config::Configuration &real, plugin::Catalog &catalog,
                                                          const plugin::Services &services);
    void take_differences();

    struct Quiet : env::Log {
        bool enabled(env::Severity, int) const override { return false; }
        void write(env::Severity, int, std::string_view, const Pairs &, std::source_location) override {}
        void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    };
    struct Unheard : plugin::EventRecorder {
        void event(const model::Object &, const Event &) override {}
    };
    struct Built {
        std::vector<plugin::Profile> profiles;
        Scheduler::Extenders extenders;
        queue::Settings settings;
        model::TreePtr configuration;
        plugin::Kubernetes decides_as;
        std::vector<plugin::Profile> shadow;  ///< none: there is no shadow
    };
    using AttemptEnd = std::pair<model::AttemptResult, std::string>;
    using AttemptEnds = std::map<std::pair<std::string, std::uint32_t>, AttemptEnd>;  ///< by uid and attempt
    static void keep(AttemptEnds &ends, const model::Decision &decision);

    const record::Journal &journal_;
    const Instead &instead_;
    Wishes wishes_;
    Quiet log_;
    Unheard events_;
    record::Player player_;
    sim::VirtualClock beside_{0};  ///< the shadow's: what its plugins wait for is in no recording
    sim::VirtualWorkers beside_workers_{beside_};
    std::optional<Scheduler> scheduler_;
    SeenWorld world_;
    model::TreePtr configuration_;
    plugin::Kubernetes decides_as_;
    std::map<std::uint64_t, Built> built_;
    std::vector<std::string> filters_;
    std::string berth_;
    std::set<std::string> other_libraries_;
    std::uint64_t decisions_ = 0, recorded_ = 0, cycle_ = 0;
    AttemptEnds then_, now_;  ///< since the first difference
    model::ShadowCounts shadow_counts_;
    Shadow::Differences shadow_differences_;
};

}  // namespace berth::offline
