// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The end of a PreBind call after its cancellation.

#include <berth/plugin.hpp>

#include <memory>

namespace kubernetes {

/// Ends the PreBind call `call` once it is cancelled: the pod may have been preempted, or another plugin may have
/// failed. `Waiting` has `ended()` and `cancel()`, which ends the call. On a host that does not offer to say so, it
/// ends when what it waits for comes or its time is over.
template <class Waiting>
void end_when_cancelled(const berth::Host &host, berth::Call call, std::weak_ptr<Waiting> waiting) {
    host.after_cancellation(call, [waiting = std::move(waiting)] {
        if (auto alive = waiting.lock(); alive && !alive->ended()) alive->cancel();
    });
}

}  // namespace kubernetes
