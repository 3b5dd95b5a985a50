// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The checked calls of one instance: those that are open, and the last ones that ended, so that late uses are
/// recognized. Each has a state, which nothing else writes. Any thread.

#include "plugin/call_proxy.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace berth::plugin {

/// From begin() to end() a call is open. The answer of a call that may be answered later (`berth_done`):
///
///     Running ─┬─ returned ──────────────────► Immediate
///              │                                   ▲ returned without IN_PROGRESS: two answers
///              ├─ complete ──────────────────► Given
///              │                                 ▲ complete
///              └─ returned with IN_PROGRESS ─► Owed
///
/// A call that the plugin completes while it runs stays with its thread, which ends it when the plugin has returned.
/// With Owed any thread may complete it, and then ends it. A call without a `berth_done`, or one that threw, ends as
/// Running.
class CheckedCalls {
public:
    enum class Answer : std::uint8_t { Running, Immediate, Owed, Given };

    explicit CheckedCalls(Strict &strict) : strict_(strict) {}

    CallProxy &begin(std::string_view point, Tag tag, const berth_pod *pod);
    /// The plugin has returned, `later`: with IN_PROGRESS. Returns whether it had completed the call before. If not,
    /// then with `later` another thread may end the call from here on.
    bool returned(CallProxy &proxy, bool later);
    /// The plugin passes the status that is the answer to `done`. Returns the state until now: with Owed, this thread
    /// ends the call next; Given and Immediate are the plugin's fault and stay as they are.
    Answer complete(CallProxy &proxy, berth_status *status);
    /// The host's status that was passed to complete().
    berth_status *given(CallProxy &proxy) const;
    /// The call is over: its proxies read as poison. Returns its violations. Call it once, on the thread that has the
    /// call.
    std::vector<std::string> end(CallProxy &proxy);

    /// Notes a violation with the call, if it is open, else with the current one, else with the last one that is not
    /// Owed: a thread of the plugin's own belongs to the call that is running. False if there is none.
    bool add_violation(const std::string &what, CallProxy *proxy);
    CallProxy *innermost() const;  ///< the call that this thread is in, or NULL
    CallProxy *find(const berth_state *handle) const;
    CallProxy *find(const berth_call *handle) const;
    std::vector<std::string> owed() const;  ///< where each call is that is Owed

    /// The call gives a pointer to the plugin.
    void give(CallProxy &proxy, const void *given);
    bool gave(const void *given) const;
    /// Whether one of the texts is in the memory of a call that ended, or poison.
    bool any_kept(const berth_str *texts, std::uint64_t n) const;

    /// Lets the plugin read the object until the current call, or else the current callback, is over.
    void show(const berth_object *object);
    bool shows(const berth_object *object) const;
    void callback_ended();
    /// After a dry run has changed the snapshot: renews the views of the calls at that point.
    void renew(std::string_view point);

private:
    struct Checked final : CallProxy {
        using CallProxy::poison, CallProxy::real_of, CallProxy::renew;

        bool running = true;  ///< on its thread: the plugin has not returned
        Answer answer = Answer::Running;
        berth_status *given = nullptr;
        std::vector<std::string> violations;
        std::vector<const void *> gave;

        Checked(Strict &strict, std::string_view at, Tag with, const berth_pod *about)
            : CallProxy(strict, at, with, about) {}
    };
    /// Every proxy is one.
    static Checked &of(CallProxy &proxy) { return static_cast<Checked &>(proxy); }
    Checked *innermost_locked() const;  ///< with the mutex held
    template <class Is>
    CallProxy *find_if(Is &&is) const;

    Strict &strict_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Checked>> open_;
    std::deque<std::unique_ptr<Checked>> ended_;
    std::unordered_set<const berth_object *> shown_outside_;  ///< of calls, in a callback
};

}  // namespace berth::plugin
