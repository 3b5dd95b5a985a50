// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Handles that a plugin gets for dry runs of the host (strict checks). Each dry run has a handle of its own, so a use
/// of an ended one is recognized, although the host opens the next dry run at the same address.

#include "plugin/call_proxy.h"

#include <berth/service/preemption.h>

#include <array>
#include <cstddef>
#include <mutex>

namespace berth::plugin {

/// At most one dry run is open. Any thread.
class DryRunHandles {
public:
    /// The handle for a dry run that the host opened in this PostFilter call; NULL for NULL.
    berth_trial *open(berth_trial *real, const CallProxy &proxy) {
        if (!real) return nullptr;
        std::scoped_lock lock(mutex_);
        auto &place = places_[next_++ % places_.size()];
        open_ = {real, reinterpret_cast<berth_trial *>(&place), &proxy};
        return open_.handle;
    }
    /// The host's dry run; NULL if that dry run is over or belongs to another plugin.
    berth_trial *real_of(const berth_trial *handle) const {
        std::scoped_lock lock(mutex_);
        return handle && handle == open_.handle ? open_.real : nullptr;
    }
    void close() {
        std::scoped_lock lock(mutex_);
        open_ = {};
    }
    /// A call ends, and with it a dry run that was opened in it.
    void close_of(const CallProxy &proxy) {
        std::scoped_lock lock(mutex_);
        if (open_.proxy == &proxy) open_ = {};
    }

private:
    struct Open {
        berth_trial *real = nullptr, *handle = nullptr;
        const CallProxy *proxy = nullptr;
    };

    mutable std::mutex mutex_;
    Open open_;
    std::array<std::byte, 64> places_{};  ///< a handle is the address of one
    std::size_t next_ = 0;
};

}  // namespace berth::plugin
