// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

#include <memory>

namespace kubernetes {

/// Looks every second, as upstream's polls do, whether anybody still wants what a pod waits for in PreBind: the pod may
/// have to give way to another, or another plugin may have failed. `Waiting` has `ended()` and `give_way()`, which ends
/// the call that `call` is of.
template <class Waiting>
void give_way_when_told(const berth::Host &host, berth::Call call, std::weak_ptr<Waiting> waiting) {
    constexpr std::int64_t second_ns = 1'000'000'000;
    host.after(second_ns, [&host, call, waiting = std::move(waiting)] {
        auto alive = waiting.lock();
        if (!alive || alive->ended()) return;
        if (call.cancelled()) alive->give_way();
        else give_way_when_told(host, call, std::weak_ptr<Waiting>(waiting));
    });
}

}  // namespace kubernetes
