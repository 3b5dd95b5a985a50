// SPDX-License-Identifier: Apache-2.0
#include "plugin/late_answer.h"

#include <utility>

namespace berth::plugin {

LateAnswer::LateAnswer(const Instance &instance, std::string_view point, env::Clock &clock,
                       std::function<void()> on_answer)
    : instance_(instance), point_(point), clock_(clock), on_answer_(std::move(on_answer)) {
    done_ = {sizeof(berth_done), 0, this, late_.raw(), complete};
}

void LateAnswer::complete(void *ctx, berth_status *status) {
    auto &answer = *static_cast<LateAnswer *>(ctx);
    const berth_status *none = nullptr;
    if (answer.given_.compare_exchange_strong(none, status)) answer.clock_.post(answer.on_answer_);
}

model::Status LateAnswer::take() {
    awaited_ = false;
    const berth_status *raw = given_.load();
    if (raw == late_.raw()) return late_.take(instance_, point_);
    if (raw == now_.raw()) return now_.take(instance_, point_);
    return {.code = BERTH_ERROR,
            .error = "ended with a status that is not its own",
            .reasons = {},
            .plugin = instance_.name};
}

}  // namespace berth::plugin
