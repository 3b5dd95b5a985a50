// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The strict checks of one plugin instance against the ABI (--plugin-checks=strict). This layer's tables stand before
/// the plugin's own and before those of the services; they pass copies that turn to poison, look for writes beyond
/// their ends, ask twice where the answer must be the same, and know which thread may call what. What breaks the ABI is
/// named in one sentence: in the log, and as the error of the current attempt if there is one.

#include "model/pod.h"
#include "plugin/call_proxy.h"
#include "plugin/interfaces.h"
#include "plugin/tasks.h"

#include <berth/draft/extenders.h>

#include <array>
#include <deque>
#include <list>
#include <mutex>

namespace berth::plugin {

struct HostContext;

/// A pod with the sort key that the plugin returned for it.
struct Sorted {
    GuardedMemory memory;
    const berth_pod *pod = nullptr;
    std::shared_ptr<const model::Object> object;
    std::vector<std::uint8_t> key;
};

/// Made on the loop's thread, before `create`; lives as long as its HostContext.
class Strict {
public:
    explicit Strict(HostContext &context);
    ~Strict();
    Strict(const Strict &) = delete;
    Strict &operator=(const Strict &) = delete;

    /// Puts the checked tables in the place of the instance's; `own` are the plugin's. After create.
    void wrap(Instance &instance, const Tables &own);
    /// After destroy: names what was never given back.
    void destroyed();
    void *self() const { return self_; }  ///< the plugin's own
    /// Behind the `self` of the checked tables.
    static Strict &of(void *self) { return *static_cast<Strict *>(self); }
    template <class T>
    const T &own(Interface interface) const {
        return *own_.as<T>(interface);
    }

    /// Notes that the plugin broke the ABI: "it …". It fails the attempt of `proxy`, else that of the current call.
    void violated(const std::string &what, CallProxy *proxy = nullptr);
    /// Whether the objects of `proxy` may be used now, on this thread; reports a violation if not.
    bool may_use(CallProxy &proxy, const char *what, bool any_thread = false);
    /// Whether one of the calls that are remembered gave that to the plugin; reports a violation if not. A pointer of
    /// another plugin, or to freed memory, must not be followed. Any thread.
    bool was_given(const void *given, const char *what);
    /// The proxy hands that out.
    void gives(CallProxy &proxy, const void *given);
    /// Names the plugin if a text is one that it kept from an earlier call.
    void check_texts(const berth_str *texts, std::uint64_t n);
    void *late_memory(std::size_t size);  ///< throws std::bad_alloc
    /// The plugin says that a call is over which it answered with IN_PROGRESS. Any thread.
    void completed(CallProxy &proxy, berth_status *status);

    bool normalizes() const { return normalizes_; }
    const std::deque<Sorted> &sorted() const { return sorted_; }  ///< the last few
    void remember(const berth_pod &pod, std::vector<std::uint8_t> key);

    // What the services ask.
    bool creating() const { return creating_; }
    /// A task is on no thread of the loop, wherever it runs.
    bool on_loop() const;
    CallProxy *innermost() const;  ///< the call that this thread is in, or NULL
    CallProxy *proxy_of(const berth_state *state);
    CallProxy *proxy_of(const berth_call *call);
    /// After a dry run has changed the snapshot: renews the views of the calls at that point.
    void renew(std::string_view point);
    /// A handle for a dry run of the host, a different one for each, so that a finished dry run is recognized.
    berth_trial *proxied(berth_trial *real, const CallProxy &proxy);
    /// The host's dry run behind the handle; NULL if that dry run has ended or belongs to another plugin.
    berth_trial *open_dry_run(const berth_trial *handle);
    void dry_run_closed();
    /// The plugin got a column, in the current call or at create.
    void gave(std::uint32_t column);
    /// Whether it may read the column in that call; names the plugin if it was given it in an earlier attempt.
    bool may_read(CallProxy &proxy, std::uint32_t column);
    bool shown(const berth_object *object);  ///< by a call that is not over
    /// Lets the plugin read the object until the current call or callback is over.
    void show(const berth_object *object);
    void callback_ended();
    /// How often the current call has, with this time; 0 outside of calls.
    std::uint64_t looked_up_series();

    /// A callback that the plugin waits for; forgotten when it has come.
    struct Callback {
        Strict *strict = nullptr;
        void *ctx = nullptr;
        void (*on_code)(void *, std::int32_t) = nullptr;
        void (*on_answer)(void *, std::int32_t, std::int32_t, berth_str) = nullptr;
        void (*on_left)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t) = nullptr;
        bool at_cancellation = false;  ///< it comes when a call is over, so it keeps no answer back
    };
    Callback *expect(Callback callback);
    /// A subscription to changes; lives as long as this.
    struct Subscription {
        Strict *strict = nullptr;
        void (*changed)(void *, const berth_object *, const berth_object *) = nullptr;
        void *ctx = nullptr;
    };
    Subscription *subscribe(Subscription subscription) { return &subscriptions_.emplace_back(subscription); }
    Callback arrived(Callback *callback);
    /// The instance ends: callbacks that have not come are cancelled next.
    void ending();

private:
    friend class Call;
    std::string sentence(const CallProxy &proxy, const std::string &what) const;
    void log(const std::vector<std::string> &sentences) const;
    CallProxy *innermost_locked() const;  ///< with the mutex held
    CallProxy &begin(std::string_view point, Tag tag, const berth_pod *pod);
    /// Ends the call; the first sentence about it, or "".
    std::string finish(CallProxy &proxy);
    void close(CallProxy &proxy);
    void settle(CallProxy &proxy);

    HostContext &context_;
    void *self_ = nullptr;
    Tables own_;
    bool creating_ = true, normalizes_ = false;
    std::thread::id loop_ = std::this_thread::get_id();
    std::deque<Sorted> sorted_;

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<CallProxy>> open_;
    std::deque<std::unique_ptr<CallProxy>> ended_;  ///< kept a while, so that late uses are recognized
    std::list<Callback> expected_;
    bool still_expecting_ = false;  ///< a callback had not come when the instance began to end
    std::list<Subscription> subscriptions_;
    std::unordered_set<const berth_object *> shown_outside_;  ///< in a callback
    std::unordered_set<std::uint32_t> columns_, passing_;     ///< that were given at create, and in one attempt
    std::uint64_t passing_in_ = 0;                            ///< the attempt
    std::deque<std::unique_ptr<std::byte[]>> late_;
    struct OpenDryRun {
        berth_trial *real = nullptr, *handle = nullptr;
        const CallProxy *proxy = nullptr;  ///< of the PostFilter call
    };
    OpenDryRun dry_run_;  ///< the one that is open
    std::array<std::byte, 64> dry_run_handles_{};
    std::size_t next_handle_ = 0;
};

/// One checked call, on the stack of the thread that makes it.
class Call {
    Strict &strict_;
    CallProxy *proxy_;

    void leave();

public:
    Call(Strict &strict, std::string_view point, Tag tag, const berth_pod *pod);
    ~Call();  ///< if the plugin threw
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;
    CallProxy &proxy() { return *proxy_; }
    template <class T>
    T proxied(T real) {
        return proxy_->proxied(real);
    }
    /// The plugin has returned. Returns the violations as a sentence, or "". Copies the codes of the proxied statuses
    /// to the host.
    std::string finish();
    /// The same with a status, which gets the sentence.
    void finish(berth_status *real);
    /// The same where the answer may come later.
    void finish_or_wait(berth_status *real);
};

/// Notes that the instance broke the ABI outside of its calls: "it …", if it is checked strictly.
void violated(const Instance &instance, const std::string &what);

/// Says in `status` that the plugin broke the ABI, if the sentence is not empty.
void fail(berth_status *status, const std::string &sentence);

/// The checked table of a service, or NULL if nothing has to be checked.
const void *checked_service(std::string_view id);

}  // namespace berth::plugin
