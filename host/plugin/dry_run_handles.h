// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Handles that a plugin gets for dry runs of the host (strict checks). Each dry run has a handle of its own, so a use
/// of an ended one is recognized, although the host opens the next dry run at the same address.

#include "plugin/call_proxy.h"

#include <berth/service/preemption.h>

#include <array>
#include <cstddef>
#include <functional>
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
    /// The handle for the state of the dry run that is open; NULL for NULL.
    berth_state *show_state(berth_state *real) {
        std::scoped_lock lock(mutex_);
        if (!real || !open_.handle) return nullptr;
        open_.state = real;
        return reinterpret_cast<berth_state *>(open_.handle);
    }
    /// Whether a dry run had that state, or may still have it. The address of a place is no other handle's.
    bool is_handle(const berth_state *state) const {
        const auto *at = reinterpret_cast<const std::byte *>(state);
        return !std::less<>()(at, places_.data()) && std::less<>()(at, places_.data() + places_.size());
    }
    /// The host's state; NULL if that dry run is over.
    berth_state *real_of(const berth_state *handle) const {
        std::scoped_lock lock(mutex_);
        return handle && reinterpret_cast<const berth_trial *>(handle) == open_.handle ? open_.state : nullptr;
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
        berth_state *state = nullptr;  ///< the host's, once the plugin has a handle for it
    };

    mutable std::mutex mutex_;
    Open open_;
    std::array<std::byte, 64> places_{};  ///< a handle is the address of one
    std::size_t next_ = 0;
};

}  // namespace berth::plugin
