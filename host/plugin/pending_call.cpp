// SPDX-License-Identifier: Apache-2.0
#include "plugin/pending_call.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"

#include <utility>

namespace berth::plugin {

const berth_status PendingCall::abandoned{};

PendingCall::Given::Given(env::Clock &c, std::shared_ptr<ShownCall> of, std::function<void()> fn)
    : clock(c), call(std::move(of)), on_end(std::move(fn)) {
    done = {sizeof(berth_done), 0, model::to_handle<GivenDone>(this), later.raw()};
}

void PendingCall::Given::complete(berth_status *status) {
    // From the exchange on, the loop may take the call, and free this.
    auto fn = on_end;
    env::Clock &loop = clock;
    const berth_status *none = nullptr;
    if (ended.compare_exchange_strong(none, status)) loop.post(std::move(fn));
}

PendingCall::PendingCall(const Instance &instance, std::string_view point, CallContext &context, env::Clock &clock,
                         std::function<void()> on_end)
    : instance_(instance),
      point_(point),
      call_(context),
      context_(instance.context),
      given_(std::make_shared<Given>(clock, context.shown(), std::move(on_end))) {}

PendingCall::~PendingCall() {
    const auto context = context_.lock();
    if (!pending_ || !context) return;
    const berth_status *none = nullptr;
    given_->ended.compare_exchange_strong(none, &abandoned);
    given_->call->set_cancelled(true);
    context->abandoned.push_back(std::move(given_));
}

model::Status PendingCall::take() {
    pending_ = false;
    settled();
    const berth_status *raw = given_->ended.load();
    if (raw == given_->later.raw()) return given_->later.take(instance_, point_);
    if (raw == given_->now.raw()) return given_->now.take(instance_, point_);
    const std::string what = "ended with a status that is not its own";
    misbehaved(instance_, point_, "plugin " + in_quotes(instance_.name) + " " + what + " at " + std::string(point_));
    return {.code = BERTH_STATUS_ERROR, .error = what, .reasons = {}, .plugin = instance_.name};
}

}  // namespace berth::plugin
