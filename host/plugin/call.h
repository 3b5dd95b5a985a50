// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The host's side of one call into a plugin: the berth_call and berth_status structs, the interned reasons, the
/// scratch memory, the CycleState, and the guard that no exception of a bad library gets past.

#include "model/status.h"
#include "plugin/profile.h"

#include <map>
#include <span>

namespace berth::plugin {

/// Interned lists of reasons of one attempt; id 0 is the empty list.
class ReasonTable {
    std::vector<std::vector<std::string>> lists_{{}};
    std::map<std::vector<std::string>, std::uint32_t> ids_;

public:
    std::uint32_t intern(const berth_str *texts, std::uint64_t n);
    /// The texts of an id; nullptr for an id that was never given out.
    const std::vector<std::string> *find(std::uint32_t id) const;
    void clear();
};

/// A pod's CycleState: data by interned key, destroyed with it, on the loop.
class State {
    struct Datum;
    std::vector<Datum> data_;

public:
    State();
    ~State();
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    void put(std::uint32_t key, void *data, const berth_state_type *type);
    void *get(std::uint32_t key) const;
    berth_state *handle() { return reinterpret_cast<berth_state *>(this); }
    static State *of(berth_state *s) { return reinterpret_cast<State *>(s); }
};

/// What the calls of one attempt share. Reusable: reset() begins the next attempt without giving memory back.
class CallContext {
public:
    CallContext();
    CallContext(const CallContext &) = delete;
    CallContext &operator=(const CallContext &) = delete;
    void reset(std::uint64_t cycle_id, std::uint64_t attempt_salt);  ///< the salt makes berth.random/1 per attempt
    const berth_call *call() const { return &call_; }
    ReasonTable &reasons() { return reasons_; }
    std::uint64_t attempt_salt() const { return attempt_salt_; }
    void free_scratch();  ///< after each call

private:
    berth_call call_{};
    ReasonTable reasons_;
    model::Arena scratch_;
    std::uint64_t attempt_salt_ = 0;
};

/// A berth_status that lands in a model::Status.
class StatusSlot {
    berth_status raw_{};
    model::Status status_;

public:
    StatusSlot();
    StatusSlot(const StatusSlot &) = delete;
    StatusSlot &operator=(const StatusSlot &) = delete;
    berth_status *raw() { return &raw_; }
    /// The answer, in the plugin's name; a code that the framework does not know counts as Error and its text says so.
    model::Status take(const Instance &instance, std::string_view point);
};

/// Runs `fn`, a call into `instance` at `point`. Returns success, or an Error status that names the plugin and the
/// point when something was thrown across the ABI.
template <class Fn>
model::Status guard(const Instance &instance, std::string_view point, Fn &&fn);
model::Status caught(const Instance &instance, std::string_view point);  ///< inside a catch block

template <class Fn>
model::Status guard(const Instance &instance, std::string_view point, Fn &&fn) {
    try {
        fn();
        return {};
    } catch (...) {
        return caught(instance, point);
    }
}

}  // namespace berth::plugin
