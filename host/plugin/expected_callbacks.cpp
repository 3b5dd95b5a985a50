// SPDX-License-Identifier: Apache-2.0
#include "plugin/expected_callbacks.h"

#include <algorithm>

namespace berth::plugin {

ExpectedCallbacks::Callback *ExpectedCallbacks::expect(const Callback &callback) {
    std::scoped_lock lock(mutex_);
    return &expected_.emplace_back(callback);
}

ExpectedCallbacks::Callback ExpectedCallbacks::take(Callback *callback) {
    std::scoped_lock lock(mutex_);
    const auto at = std::ranges::find_if(expected_, [&](const auto &one) { return &one == callback; });
    const Callback out = *at;
    expected_.erase(at);
    return out;
}

ExpectedCallbacks::Subscription *ExpectedCallbacks::subscribe(const Subscription &subscription) {
    std::scoped_lock lock(mutex_);
    return &subscriptions_.emplace_back(subscription);
}

void ExpectedCallbacks::cancelling() {
    std::scoped_lock lock(mutex_);
    cancelled_ = cancelled_ || !std::ranges::all_of(expected_, &Callback::at_cancellation);
}

bool ExpectedCallbacks::cancelled() const {
    std::scoped_lock lock(mutex_);
    return cancelled_;
}

}  // namespace berth::plugin
