// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The columns that an instance may read: those requested at create, and others in the attempt that requested them.

#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace berth::plugin {

/// Any thread.
class GivenColumns {
public:
    void give_always(std::uint32_t column) {
        std::scoped_lock lock(mutex_);
        always_.insert(column);
    }
    /// With another attempt, what was given in the one before is over.
    void give(std::uint32_t column, std::uint64_t attempt) {
        std::scoped_lock lock(mutex_);
        if (std::exchange(attempt_, attempt) != attempt) of_attempt_.clear();
        of_attempt_.insert(column);
    }
    bool may_read(std::uint32_t column, std::uint64_t attempt) const {
        std::scoped_lock lock(mutex_);
        return always_.contains(column) || (attempt_ == attempt && of_attempt_.contains(column));
    }

private:
    mutable std::mutex mutex_;
    std::unordered_set<std::uint32_t> always_, of_attempt_;
    std::uint64_t attempt_ = 0;
};

}  // namespace berth::plugin
