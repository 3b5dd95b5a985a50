// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cancellation of calls that a plugin will answer later (berth.host.cancellation/draft1). It calls the plugins'
/// callbacks of one attempt.

#include <cstdint>
#include <memory>
#include <vector>

namespace berth::plugin {

struct HostContext;

/// Of one attempt. A callback that was taken is called once, in a turn of the loop of its own. On the loop.
class Cancellation {
public:
    Cancellation() = default;
    ~Cancellation();
    Cancellation(const Cancellation &) = delete;
    Cancellation &operator=(const Cancellation &) = delete;

    /// A call into the instance begins, or has ended, that may be answered later.
    void begin(const std::shared_ptr<HostContext> &instance);
    void end(const HostContext *instance);
    void end_all();
    /// Those calls are cancelled, or later ones are not any more.
    void set(bool cancelled);
    /// As berth_host_cancellation.after.
    std::int32_t after(HostContext &instance, void (*fn)(void *ctx, std::int32_t code), void *ctx);

private:
    /// A call in progress, and what its plugin waits for during it.
    struct Call {
        std::weak_ptr<HostContext> instance;
        std::vector<std::uint64_t> waiting;
    };
    std::vector<Call>::iterator call_of(const HostContext *instance);
    static void end(const Call &ended);
    static void announce(HostContext &instance, std::uint64_t id);

    std::vector<Call> calls_;
    bool cancelled_ = false;
};

}  // namespace berth::plugin
