// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The watch over a running scheduler's memory: its uses, and a warning near the limit.

#include "env/clock.h"
#include "env/log.h"
#include "env/workers.h"
#include "report/decision_ring.h"
#include "report/memory.h"
#include "scheduler/scheduler.h"

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace berth::live {

/// What every scheduler holds: what objects take, columns, dictionaries, the queue and the last decisions. Loop only.
std::vector<report::MemoryKind> owned_by(const Scheduler &scheduler, const report::DecisionRing &last);

class MemoryWatch {
public:
    /// What the system says.
    struct System {
        env::ProcessMemory process;
        std::optional<env::GroupMemory> group;
    };
    static System read_system() { return {env::process_memory(), env::group_memory()}; }

    /// All outlive it.
    struct Sources {
        env::Clock &clock;
        env::Workers &workers;  ///< files are read there
        env::Log &log;
        std::function<std::vector<report::MemoryKind>()> owned;  ///< on the loop; cheap
        std::function<System()> system = read_system;            ///< any thread
    };
    static constexpr std::int64_t period_ns = 5'000'000'000;
    /// A warning is said again after this at the earliest.
    static constexpr std::int64_t repeat_ns = 600'000'000'000;

    explicit MemoryWatch(Sources sources) : sources_(std::move(sources)) {}
    MemoryWatch(const MemoryWatch &) = delete;
    MemoryWatch &operator=(const MemoryWatch &) = delete;

    /// Looks now, and every period from then on. Loop only.
    void start();
    /// What the last look saw; nothing of it before the first one. Any thread.
    report::MemoryUse last() const;

private:
    void look();
    void seen(const System &system);
    void report(const report::MemoryUse &use);

    Sources sources_;
    bool limit_logged_ = false;
    std::optional<std::int64_t> warned_ns_;
    mutable std::mutex mutex_;
    report::MemoryUse last_;
};

}  // namespace berth::live
