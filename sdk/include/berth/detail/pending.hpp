// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the host was given to call back with and has not called yet. A part of Host, not for plugin authors.

#include <list>
#include <mutex>
#include <utility>

namespace berth::detail {

/// Owns functions until they are taken to be called, or until it ends: a timer that is due after its instance has ended
/// is never called. Any thread.
template <class Fn>
class Pending {
    struct Entry {
        Pending *home;
        Fn fn;
        typename std::list<Entry>::iterator at{};
    };
    std::mutex mutex_;
    std::list<Entry> entries_;

public:
    /// The context to give to the host.
    void *add(Fn fn) {
        const std::lock_guard lock(mutex_);
        auto &entry = entries_.emplace_front(Entry{this, std::move(fn)});
        entry.at = entries_.begin();
        return &entry;
    }
    /// The function of a context that add() made, which is none any more.
    static Fn take(void *context) {
        auto &entry = *static_cast<Entry *>(context);
        auto &home = *entry.home;
        Fn fn = std::move(entry.fn);
        const std::lock_guard lock(home.mutex_);
        home.entries_.erase(entry.at);
        return fn;
    }
};

}  // namespace berth::detail
