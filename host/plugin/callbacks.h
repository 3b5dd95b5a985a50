// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The timers and pending requests of one plugin instance, with their callbacks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>

namespace berth::plugin {

/// Every callback that was taken, and not forgotten, is called, once, on the loop: when what it waits for has come, or
/// when that does not come any more.
class Callbacks {
public:
    /// What came. The texts live until the callback returns.
    struct Came {
        std::int32_t code;             ///< BERTH_STATUS_CANCELLED: it does not come
        std::int32_t http_status = 0;  ///< of an answer
        std::string_view text{};
        std::string_view refusal{};  ///< of a refused request: what the server sent
    };
    using Callback = std::function<void(const Came &came)>;

    /// The number of what is waited for, never 0; or 0 after close(). Any thread.
    std::uint64_t expect(Callback callback);
    /// Whether it is still waited for. Any thread.
    bool expects(std::uint64_t id);
    /// It has come; nothing happens if it is not waited for. On the loop.
    void come(std::uint64_t id, const Came &came);
    /// Cancels one. False if it is not waited for. On the loop.
    bool cancel(std::uint64_t id);
    /// It is not waited for, and is not called. On the loop.
    void forget(std::uint64_t id);
    /// From now on nothing more is waited for. Any thread.
    void close();
    /// Cancels all, in the order in which they began, after close(). On the loop.
    void end();

private:
    Callback take(std::uint64_t id);

    std::mutex mutex_;
    std::map<std::uint64_t, Callback> waiting_;
    std::uint64_t last_ = 0;
    bool closed_ = false;
};

}  // namespace berth::plugin
