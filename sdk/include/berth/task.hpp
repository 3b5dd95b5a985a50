// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Background tasks of a plugin, for work that takes too long for the loop.
///
/// ```cpp
/// host.task([text](berth::Cancel cancel) { return forecast(text, cancel); },      // on a thread of the host's
///           [this](berth::TaskResult<Forecast> result) { if (result) forecast_ = *result; });  // on the loop
/// ```
///
/// The work has its own data. Of the host it may use what may be called on any thread: the log, clock, random numbers,
/// and objects that were retained.

#include <berth/host.hpp>

#include <optional>
#include <type_traits>
#include <variant>

namespace berth {

/// Is the instance about to end? Work that takes long looks now and then, and returns early.
class Cancel {
    const std::uint32_t *flag_;

public:
    explicit Cancel(const std::uint32_t *flag) : flag_(flag) {}
    explicit operator bool() const { return __atomic_load_n(flag_, __ATOMIC_RELAXED) != 0; }
};

/// What came of a task: the value that the work returned (std::monostate for none), or why there is none.
template <class T>
class TaskResult {
    std::optional<T> value_;
    std::string error_;
    bool cancelled_ = false;

public:
    explicit operator bool() const { return value_.has_value(); }
    T &operator*() { return *value_; }
    const T &operator*() const { return *value_; }
    /// The text of the exception that ended the work, or "".
    const std::string &error() const { return error_; }
    /// The instance ended before the work began.
    bool cancelled() const { return cancelled_; }

    template <class Work>
    void run(Work &work, Cancel cancel) {
        auto call = [&]() -> decltype(auto) {
            if constexpr (std::is_invocable_v<Work &, Cancel>) return work(cancel);
            else return work();
        };
        try {
            if constexpr (std::is_void_v<decltype(call())>) call(), value_.emplace();
            else value_.emplace(call());
        } catch (const std::exception &e) {
            error_ = e.what();
        } catch (...) {
            error_ = "unknown exception";
        }
    }
    void cancel() { cancelled_ = true; }
};

namespace detail {

template <class Work>
auto value_of_work() {
    if constexpr (std::is_invocable_v<Work &, Cancel>)
        return std::type_identity<std::invoke_result_t<Work &, Cancel>>{};
    else return std::type_identity<std::invoke_result_t<Work &>>{};
}
template <class Work>
using WorkValue = typename decltype(value_of_work<Work>())::type;

}  // namespace detail

template <class Work, class Done>
bool Host::task(Work work, Done done) const {
    using Given = detail::WorkValue<Work>;
    using Result = TaskResult<std::conditional_t<std::is_void_v<Given>, std::monostate, std::decay_t<Given>>>;
    static_assert(std::is_invocable_v<Done &, Result>, "done takes the TaskResult of what the work returns");
    struct Held {
        const Host *host;
        Work work;
        Done done;
        Result result{};
    };
    auto held = std::make_unique<Held>(Held{this, std::move(work), std::move(done)});
    auto run = [](void *ctx, const std::uint32_t *cancel) {
        auto &h = *static_cast<Held *>(ctx);
        h.result.run(h.work, Cancel{cancel});
    };
    auto end = [](void *ctx, std::int32_t code) {
        std::unique_ptr<Held> h(static_cast<Held *>(ctx));
        if (code == BERTH_STATUS_CANCELLED) h->result.cancel();
        h->host->contain("the end of a task", [&] { h->done(std::move(h->result)); });
    };
    const auto submit = function<&berth_host_task::submit>(task_, BERTH_HOST_TASK_V1);
    if (submit(h_, run, end, held.get()) != BERTH_STATUS_SUCCESS) return false;
    (void)held.release();
    return true;
}

}  // namespace berth
