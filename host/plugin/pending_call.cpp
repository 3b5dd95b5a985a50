// SPDX-License-Identifier: Apache-2.0
#include "plugin/pending_call.h"

#include <utility>

namespace berth::plugin {

PendingCall::PendingCall(const Instance &instance, std::string_view point, CallContext &context, env::Clock &clock,
                         std::function<void()> on_end)
    : instance_(instance),
      point_(point),
      cancellation_(context.cancellation()),
      clock_(clock),
      on_end_(std::move(on_end)) {
    done_ = {sizeof(berth_done), 0, model::to_handle<GivenDone>(this), later_.raw()};
}

void PendingCall::complete(berth_status *status) {
    const berth_status *none = nullptr;
    if (ended_.compare_exchange_strong(none, status)) clock_.post(on_end_);
}

model::Status PendingCall::take() {
    pending_ = false;
    settled();
    const berth_status *raw = ended_.load();
    if (raw == later_.raw()) return later_.take(instance_, point_);
    if (raw == now_.raw()) return now_.take(instance_, point_);
    return {.code = BERTH_STATUS_ERROR,
            .error = "ended with a status that is not its own",
            .reasons = {},
            .plugin = instance_.name};
}

}  // namespace berth::plugin
