// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The identifiers of timers, tasks and requests, equal in a recording and its replay. They match the results.

#include "env/random.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace berth::record {

/// What the loop asks for is counted. What a task asks for on its own thread, the making of profiles, which may come to
/// nothing, or a dry run, which is not repeated, is counted apart, so that it does not matter when that was.
class Ids {
public:
    /// The making of profiles. If it comes to nothing, nothing that it asked for exists in a replay.
    struct Build {
        const std::uint64_t number;
        std::atomic<bool> succeeded = false;
        explicit Build(std::uint64_t which) : number(which) {}
    };
    /// A source of identifiers with a counter of its own.
    struct Asker {
        std::uint64_t id = 0, requests = 0;
        bool dry_run = false;               ///< its requests do not exist in a replay
        std::shared_ptr<Build> build = {};  ///< for which it asks
    };
    /// As long as it lives, this thread asks `ids`, if there are any, as `asker`.
    class As {
        Ids *ids_;
        Asker *before_ = nullptr;

    public:
        As(Ids *ids, Asker &asker) : ids_(ids) {
            if (ids_) before_ = ids_->set_asker(&asker);
        }
        ~As() {
            if (ids_) ids_->set_asker(before_);
        }
        As(const As &) = delete;
        As &operator=(const As &) = delete;
    };

    /// Any thread. The one that made this is the loop.
    std::uint64_t next() {
        if (auto *asker = this->asker())
            return apart | (asker->dry_run ? of_dry_run : 0) |
                   (env::mix(env::mix(asker->id) ^ ++asker->requests) & (of_dry_run - 1));
        if (std::this_thread::get_id() == loop_) return ++loop_requests_;
        return foreign | ++foreign_requests_;
    }
    /// Whether this thread has a counter of its own.
    bool is_apart() { return asker() != nullptr; }
    /// For which this thread asks; null: for none.
    std::shared_ptr<Build> build() {
        auto *asker = this->asker();
        return asker ? asker->build : nullptr;
    }
    /// Of a thread that a plugin started by itself.
    static bool is_foreign(std::uint64_t id) { return (id & (apart | foreign)) == foreign; }
    static bool is_of_dry_run(std::uint64_t id) { return (id & (apart | of_dry_run)) == (apart | of_dry_run); }
    static std::uint64_t of_build(std::uint64_t number) { return ~number; }

private:
    static constexpr std::uint64_t apart = 1ULL << 63, foreign = 1ULL << 62, of_dry_run = 1ULL << 61;

    /// This thread's; null: it has none.
    Asker *asker() {
        const std::scoped_lock lock(mutex_);
        const auto at = askers_.find(std::this_thread::get_id());
        return at == askers_.end() ? nullptr : at->second;
    }
    /// Sets it, and returns the one before.
    Asker *set_asker(Asker *asker) {
        const std::scoped_lock lock(mutex_);
        const auto here = std::this_thread::get_id();
        auto *before = std::exchange(askers_[here], asker);
        if (!asker) askers_.erase(here);
        return before;
    }

    const std::thread::id loop_ = std::this_thread::get_id();
    std::uint64_t loop_requests_ = 0;
    std::atomic<std::uint64_t> foreign_requests_ = 0;
    std::mutex mutex_;  ///< of askers_
    std::map<std::thread::id, Asker *> askers_;
};

}  // namespace berth::record
