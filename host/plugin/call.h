// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One call into a plugin: berth_call, berth_status, reasons, scratch memory and CycleState. The guard here lets no
/// exception of a bad library past.

#include "model/status.h"
#include "plugin/cancellation.h"
#include "plugin/current_call.h"
#include "plugin/given.h"
#include "plugin/profile.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

/// Interned lists of reasons of one attempt; id 0 is the empty list.
class ReasonTable {
    std::vector<std::vector<std::string>> lists_{{}};
    std::map<std::vector<std::string>, std::uint32_t> ids_;
    std::uint32_t last_ = BERTH_NO_REASONS;

public:
    std::uint32_t intern(std::vector<std::string> list);
    /// The same for texts of a plugin. Costs little when they are those of the call before, as for most nodes they are.
    std::uint32_t intern(const berth_str *texts, std::uint64_t n);
    /// The texts of an id; nullptr for an id that was never given out.
    const std::vector<std::string> *find(std::uint32_t id) const;
    void clear();
};

/// A pod's CycleState: data by interned key, destroyed with it, on the loop.
class State {
    struct Datum {
        void *data = nullptr;
        const berth_plugin_state_type *type = nullptr;
    };
    std::vector<Datum> data_;

public:
    State() = default;
    ~State();
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    void put(std::uint32_t key, void *data, const berth_plugin_state_type *type);
    void *get(std::uint32_t key) const;
    /// A state that is changed independently; nullptr if a plugin's `clone` threw. What has no `clone` of its own is
    /// shared, and outlives the copy.
    std::unique_ptr<State> clone() const;
    berth_state *handle() { return reinterpret_cast<berth_state *>(this); }
    static State *of(berth_state *s) { return reinterpret_cast<State *>(s); }
    static const State *of(const berth_state *s) { return reinterpret_cast<const State *>(s); }
};

/// A berth_call and its word of cancellation. A plugin that has not ended a call may look at them after the attempt.
struct ShownCall {
    berth_call call{};
    std::uint32_t cancel = 0;

    ShownCall() { call.struct_size = sizeof call, call.cancel = &cancel; }
    void set_cancelled(bool cancelled) { __atomic_store_n(&cancel, std::uint32_t{cancelled}, __ATOMIC_RELAXED); }
};

/// What the calls of one attempt share. Reusable: reset() begins the next attempt without giving memory back.
class CallContext final : GivenCall {
public:
    CallContext();
    CallContext(const CallContext &) = delete;
    CallContext &operator=(const CallContext &) = delete;
    void reset(std::uint64_t cycle_id, std::uint64_t attempt_salt);  ///< the salt makes berth.host.random/1 per attempt
    const berth_call *call() const { return &shown_->call; }
    const std::shared_ptr<ShownCall> &shown() const { return shown_; }
    ReasonTable &reasons() { return reasons_; }
    /// Whether anybody still wants the answers.
    void set_cancelled(bool cancelled);
    Cancellation &cancellation() { return cancellation_; }
    std::uint64_t attempt_salt() const { return attempt_salt_; }
    void free_scratch() { scratch_.reset(); }  ///< after each call
    /// The context behind a call that the host made; NULL for NULL.
    static CallContext *of(const berth_call *call) { return call ? &behind(*call).context() : nullptr; }

private:
    CallContext &context() override { return *this; }
    std::uint32_t intern_reasons(const berth_str *texts, std::uint64_t n) override { return reasons_.intern(texts, n); }
    void *scratch(std::uint64_t size, std::uint64_t align) override;

    std::shared_ptr<ShownCall> shown_ = std::make_shared<ShownCall>();
    Cancellation cancellation_;
    ReasonTable reasons_;
    model::Arena scratch_;
    std::uint64_t attempt_salt_ = 0;
};

/// What stands for `code`, answered by `instance` at `point`: a code of the framework as it is, any other one as Error
/// with a text that names it. One that means nothing at the point stays as it is, too, and is misbehaviour.
model::Status judged(const Instance &instance, std::string_view point, std::int32_t code);

/// The plugin did what it must not, as the sentence `what` says, which is the error of the attempt: counts that, and
/// notifies the instance's observer.
void misbehaved(const Instance &instance, std::string_view point, std::string_view what);

/// A berth_status that lands in a model::Status.
class StatusSlot final : GivenStatus {
    berth_status raw_{};
    model::Status status_;

    void set_error(berth_str text) override;
    void set_reasons(const berth_str *reasons, std::uint64_t n) override;

public:
    StatusSlot();
    StatusSlot(const StatusSlot &) = delete;
    StatusSlot &operator=(const StatusSlot &) = delete;
    berth_status *raw() { return &raw_; }
    /// The text of an error, or the reasons.
    std::vector<std::string> texts() const;
    /// The answer, in the plugin's name; the slot is as new afterwards. A code that is none of the framework's counts
    /// as Error, with a text that says so: where BERTH_STATUS_IN_PROGRESS may come, look at raw()->code first.
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
        InCall current_call(instance.name, point, instance.shadow);
        fn();
        return {};
    } catch (...) {
        return caught(instance, point);
    }
}

}  // namespace berth::plugin
