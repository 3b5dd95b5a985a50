// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The strict checks of one plugin instance against the ABI (--plugin-checks=strict). This layer's tables stand before
/// the plugin's own and before those of the services; they pass copies that turn to poison, look for writes beyond
/// their ends, ask twice where the answer must be the same, and know which thread may call what. What breaks the ABI is
/// named in one sentence: in the log, and as the error of the current attempt if there is one.

#include "plugin/checked_calls.h"
#include "plugin/dry_run_handles.h"
#include "plugin/expected_callbacks.h"
#include "plugin/given_columns.h"
#include "plugin/interfaces.h"
#include "plugin/sort_order.h"
#include "plugin/tasks.h"

#include <atomic>

namespace berth::plugin {

struct HostContext;

/// Made on the loop's thread, before `create`; lives as long as its HostContext. Holds the tables, and reports
/// violations of the rules that need more than one of its parts.
class Strict {
public:
    explicit Strict(HostContext &context);
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
    bool normalizes() const { return normalizes_; }
    bool creating() const { return creating_; }
    /// A task is on no thread of the loop, wherever it runs.
    bool on_loop() const;

    /// Notes that the plugin broke the ABI: "it …". It fails the attempt of `proxy`, else that of the current call.
    void violated(const std::string &what, CallProxy *proxy = nullptr);

    // Each reports a violation if not.
    /// Whether the objects of `proxy` may be used now, on this thread.
    bool may_use(CallProxy &proxy, const char *what, bool any_thread = false);
    /// Whether a call that is open or ended lately gave that to the plugin. A pointer of another plugin, or to freed
    /// memory, must not be followed. Any thread.
    bool was_given(const void *given, const char *what);
    /// That no text is one that the plugin kept from an earlier call.
    void check_texts(const berth_str *texts, std::uint64_t n);
    /// That the plugin was given the column in this attempt, or at create.
    void check_column(CallProxy &proxy, std::uint32_t column);

    /// The plugin got a column, in the current call or at create.
    void give_column(std::uint32_t column);
    /// Ends the call and logs its violations; the first sentence, or "".
    std::string end(CallProxy &proxy);
    /// Ends a call that the plugin has completed, and passes the answer on to the host.
    void end_completed(CallProxy &proxy);
    /// The plugin completes a call that it answered with IN_PROGRESS. Any thread.
    void complete(CallProxy &proxy, berth_status *status);

    // Each guards itself, except for SortOrder, which is for the loop.
    CheckedCalls calls{*this};
    DryRunHandles dry_runs;
    ExpectedCallbacks callbacks;
    SortOrder sort_order;
    LateMemory late_memory;

private:
    std::string sentence(const std::string &where, const std::string &what) const;
    void log(const std::vector<std::string> &sentences) const;

    HostContext &context_;
    void *self_ = nullptr;
    Tables own_;
    bool normalizes_ = false;
    std::atomic<bool> creating_{true};
    std::thread::id loop_ = std::this_thread::get_id();
    GivenColumns columns_;
};

/// One checked call, on the stack of the thread that makes it.
class Call {
    Strict &strict_;
    CallProxy *proxy_;

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
    std::string end();
    /// The same with a status, which gets the sentence.
    void end(berth_status *real);
    /// The same where the answer may come later.
    void end_or_wait(berth_status *real);
};

/// Notes that the instance broke the ABI outside of its calls: "it …", if it is checked strictly.
void violated(const Instance &instance, const std::string &what);

/// Says in `status` that the plugin broke the ABI, if the sentence is not empty.
void fail(berth_status *status, const std::string &sentence);

}  // namespace berth::plugin
