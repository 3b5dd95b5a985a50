// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The callbacks of a plugin that the host calls later: those that come once, and subscriptions.

#include <berth/draft/extenders.h>
#include <berth/service/answer.h>

#include <list>
#include <mutex>

namespace berth::plugin {

class Strict;

/// Any thread.
class ExpectedCallbacks {
public:
    /// One that the plugin waits for; forgotten when it has come.
    struct Callback {
        Strict *strict = nullptr;
        void *ctx = nullptr;
        void (*on_code)(void *, std::int32_t) = nullptr;
        void (*on_answer)(void *, const berth_answer *) = nullptr;
        void (*on_left)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t) = nullptr;
        bool at_cancellation = false;  ///< it comes when a call is over, so it keeps no answer back
    };
    /// Changes of objects; lives as long as this.
    struct Subscription {
        Strict *strict = nullptr;
        void (*changed)(void *, const berth_object *, const berth_object *) = nullptr;
        void *ctx = nullptr;
    };

    Callback *expect(const Callback &callback);
    /// It has come, or never will: returns and forgets it.
    Callback take(Callback *callback);
    Subscription *subscribe(const Subscription &subscription);
    /// The instance ends: callbacks that have not come are cancelled next.
    void cancelling();
    /// Whether one was cancelled without which the plugin may not have been able to answer a call.
    bool cancelled() const;

private:
    mutable std::mutex mutex_;
    std::list<Callback> expected_;
    std::list<Subscription> subscriptions_;
    bool cancelled_ = false;
};

}  // namespace berth::plugin
