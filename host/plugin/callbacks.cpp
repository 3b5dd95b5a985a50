// SPDX-License-Identifier: Apache-2.0
#include "plugin/callbacks.h"

#include <berth/status.h>

#include <utility>

namespace berth::plugin {
namespace {

constexpr Callbacks::Came cancelled{BERTH_STATUS_CANCELLED, 0, "it was cancelled"};
constexpr Callbacks::Came ended{BERTH_STATUS_CANCELLED, 0, "it was cancelled: the plugin's instance has ended"};

}  // namespace

std::uint64_t Callbacks::expect(Callback callback) {
    std::scoped_lock lock(mutex_);
    if (closed_) return 0;
    waiting_.emplace_hint(waiting_.end(), ++last_, std::move(callback));
    return last_;
}

bool Callbacks::expects(std::uint64_t id) {
    std::scoped_lock lock(mutex_);
    return waiting_.contains(id);
}

Callbacks::Callback Callbacks::take(std::uint64_t id) {
    std::scoped_lock lock(mutex_);
    auto at = waiting_.find(id);
    if (at == waiting_.end()) return {};
    auto callback = std::move(at->second);
    waiting_.erase(at);
    return callback;
}

void Callbacks::come(std::uint64_t id, const Came &came) {
    if (auto callback = take(id)) callback(came);
}

bool Callbacks::cancel(std::uint64_t id) {
    auto callback = take(id);
    if (callback) callback(cancelled);
    return callback != nullptr;
}

void Callbacks::forget(std::uint64_t id) { (void)take(id); }

void Callbacks::close() {
    std::scoped_lock lock(mutex_);
    closed_ = true;
}

void Callbacks::end() {
    // One at a time: each may cancel others.
    for (;;) {
        Callback next;
        {
            std::scoped_lock lock(mutex_);
            if (waiting_.empty()) return;
            auto first = waiting_.begin();
            next = std::move(first->second);
            waiting_.erase(first);
        }
        next(ended);
    }
}

}  // namespace berth::plugin
