// SPDX-License-Identifier: Apache-2.0
#include "plugin/cancellation.h"

#include "plugin/host_context.h"

#include <berth/draft/cancellation.h>

#include <algorithm>
#include <utility>

namespace berth::plugin {

Cancellation::~Cancellation() { end_all(); }

void Cancellation::begin(const std::shared_ptr<HostContext> &instance) {
    if (instance) calls_.push_back({instance, {}});
}

std::vector<Cancellation::Call>::iterator Cancellation::call_of(const HostContext *instance) {
    return std::ranges::find_if(calls_, [&](const Call &c) { return c.instance.lock().get() == instance; });
}

void Cancellation::end(const HostContext *instance) {
    const auto at = call_of(instance);
    if (!instance || at == calls_.end()) return;
    const Call ended = std::move(*at);
    calls_.erase(at);
    end(ended);
}

void Cancellation::end_all() {
    for (const Call &ended : std::exchange(calls_, {})) end(ended);
}

void Cancellation::end(const Call &ended) {
    const auto instance = ended.instance.lock();
    for (const auto id : ended.waiting)
        if (instance) instance->cancellations.cancel(id);
}

void Cancellation::set(bool cancelled) {
    cancelled_ = cancelled;
    if (!cancelled) return;
    for (Call &call : calls_)
        if (const auto instance = call.instance.lock())
            for (const auto id : call.waiting) announce(*instance, id);
}

std::int32_t Cancellation::after(HostContext &instance, void (*fn)(void *, std::int32_t), void *ctx) {
    const auto at = call_of(&instance);
    if (at == calls_.end()) return BERTH_STATUS_INVALID;
    // Every callback is called before the context is gone.
    const auto id = instance.cancellations.expect([context = &instance, fn, ctx](const Callbacks::Came &came) {
        context->call_back(BERTH_HOST_CANCELLATION_DRAFT1, [&] { fn(ctx, came.code); });
    });
    if (id == 0) return BERTH_STATUS_CANCELLED;
    at->waiting.push_back(id);
    if (cancelled_) announce(instance, id);
    return BERTH_STATUS_SUCCESS;
}

/// In a task of its own: the code that cancels a call may itself be in a call of a plugin, even of the same one.
void Cancellation::announce(HostContext &instance, std::uint64_t id) {
    instance.services.clock->post([weak = instance.weak_from_this(), id] {
        if (const auto alive = weak.lock()) alive->cancellations.come(id, {BERTH_STATUS_SUCCESS});
    });
}

}  // namespace berth::plugin
