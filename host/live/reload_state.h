// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The result of the last reload, and the configuration in force.

#include "config/configuration.h"
#include "model/value.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace berth::live {

struct ReloadState {
    std::uint64_t generation = 1;                                ///< of the configuration in force; Berth began with 1
    std::uint64_t taken = 0, refused = 0;                        ///< reloads so far
    std::int64_t ended_ns = 0;                                   ///< when the last reload ended; 0: there was none
    std::int64_t in_force_ns = 0;                                ///< since when the configuration is in force
    std::string error;                                           ///< why the last reload was refused; empty: it was not
    std::shared_ptr<const config::Configuration> configuration;  ///< in force
    model::TreePtr merged;  ///< it, as of v1, with the args that its plugins filled in

    /// For a person; empty as long as nothing has changed.
    std::string text() const {
        if (taken + refused == 0) return {};
        auto out = "configuration " + std::to_string(generation) + " is in force";
        return error.empty() ? out : out + "; the last change was refused: " + error;
    }
};

/// Any thread.
class ReloadStatus {
    mutable std::mutex mutex_;
    ReloadState state_;

public:
    ReloadState get() const {
        std::scoped_lock lock(mutex_);
        return state_;
    }
    void begun(config::Configuration configuration, model::TreePtr merged, std::int64_t now_ns) {
        std::scoped_lock lock(mutex_);
        state_.configuration = std::make_shared<config::Configuration>(std::move(configuration));
        state_.merged = std::move(merged);
        state_.in_force_ns = now_ns;
    }
    void taken(config::Configuration configuration, model::TreePtr merged, std::int64_t now_ns) {
        begun(std::move(configuration), std::move(merged), now_ns);
        std::scoped_lock lock(mutex_);
        ++state_.generation;
        ++state_.taken;
        state_.ended_ns = now_ns;
        state_.error.clear();
    }
    void refused(std::string why, std::int64_t now_ns) {
        std::scoped_lock lock(mutex_);
        ++state_.refused;
        state_.ended_ns = now_ns;
        state_.error = std::move(why);
    }
};

}  // namespace berth::live
