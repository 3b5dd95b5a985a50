// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The shadow: other profiles that evaluate the same attempts, and the comparison of results.

#include "cycle/cycle.h"
#include "model/shadow.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace berth {

struct ShadowSettings {
    /// How much time it may take, in percent of what real attempts take: while it has taken more, it is not called.
    /// nullopt: any.
    std::optional<std::uint32_t> budget_percent;
    std::size_t kept = 100;  ///< how many differences are kept, the newest
};

/// Its searches are its own: neither where the real cycle goes on nor anything that it remembers changes. Loop only.
class Shadow {
public:
    using Differences = std::vector<std::shared_ptr<const model::Difference>>;
    /// Time that was saved up may not be spent at once: a shadow that suddenly is slow is soon stopped.
    static constexpr std::int64_t most_saved_ns = 1'000'000'000;

    Shadow(std::uint64_t seed, env::Clock &clock, plugin::CallEnvironment &calls)
        : seed_(seed), clock_(clock), calls_(calls) {}

    /// Compares from here on, and counts from 0. The profiles outlive it or the next use().
    void use(std::span<const plugin::Profile> profiles, const ShadowSettings &settings);
    void pause() { paused_ = true; }
    bool paused() const { return paused_; }

    /// An attempt as the real cycle begins it.
    struct Question {
        const model::Pod &pod;
        const berth_pod &view;
        std::uint64_t cycle_id, salt, start;
        const berth_nodes &nodes;
        cluster::Cache &cache;
        const cluster::Nominations &nominations;
        const model::Decision &decision;  ///< whose, and when
        bool tables = false;
    };
    /// What it would decide, after the real search has come to `real` and before anything is changed for that; nothing
    /// if none of its profiles is the pod's, or if its budget is used up.
    std::optional<model::Decision> ask(const Question &question, const cycle::ScheduleResult &real);

    model::ShadowCounts counts() const { return counts_; }  ///< since the last use()
    model::ShadowCounts all_counts() const;                 ///< since it began
    Differences newest(std::size_t most) const;             ///< since the last use(), the newest first
    std::optional<std::uint32_t> budget_percent() const { return settings_.budget_percent; }

    /// Measures a real attempt, as long as this lives, without what the shadow takes of it.
    class Earning {
        Shadow *shadow_;
        std::int64_t began_ns_, spent_ns_;

    public:
        explicit Earning(Shadow *shadow);  ///< nullptr: there is none
        ~Earning();
        Earning(const Earning &) = delete;
        Earning &operator=(const Earning &) = delete;
    };

private:
    void earn(std::int64_t ns);
    void count(const Question &question, const cycle::ScheduleResult &real, const model::Decision &theirs);

    std::uint64_t seed_;
    env::Clock &clock_;
    plugin::CallEnvironment &calls_;
    ShadowSettings settings_;
    std::span<const plugin::Profile> profiles_;
    std::optional<cycle::Cycle> cycle_;
    model::ShadowCounts counts_, before_;
    std::int64_t saved_ns_ = 0;  ///< less than 0: overdrawn
    std::deque<std::shared_ptr<const model::Difference>> differences_;
    bool paused_ = false;
};

}  // namespace berth
