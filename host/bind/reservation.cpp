// SPDX-License-Identifier: Apache-2.0
#include "bind/reservation.h"

#include "plugin/meter.h"

#include <algorithm>

namespace berth::bind {

namespace {

constexpr std::int64_t longest_wait_ms = 15 * 60 * 1000;

}  // namespace

model::Status rejection_or_failure(std::string_view point, const plugin::Instance &instance, model::Status status) {
    status.plugin = instance.name;
    if (status.success() || status.rejected()) return status;
    std::string why = status.message();
    if (why.empty()) why = "answered " + model::code_name(status.code) + " without a text";
    return {.code = BERTH_STATUS_ERROR,
            .error = "running " + std::string(point) + " plugin \"" + instance.name + "\": " + why,
            .reasons = {},
            .plugin = instance.name};
}

Reservation::Reservation(Placement &placement, cluster::Cache &cache) : placement_(&placement), cache_(&cache) {
    cache.assume(placement.pod);
}

Reservation::~Reservation() {
    if (!cache_) return;
    Placement &p = *placement_;
    const plugin::AboutPod about(p.pod);
    const auto &plugins = p.profile->reserve;
    for (auto it = plugins.rbegin(); it != plugins.rend(); ++it) {
        const plugin::Instance &instance = **it;
        // Unreserve cannot fail: what is thrown all the same changes nothing.
        (void)plugin::counted(instance, plugin::CalledPoint::Unreserve, 1, [&] {
            instance.reserve->unreserve(instance.self, p.call->call(), p.state->handle(), &p.view, p.node());
        });
        p.call->free_scratch();
    }
    cache_->forget(*p.pod);
}

model::Status Reservation::reserve(const berth_nodes &nodes) {
    constexpr plugin::CalledPoint point = plugin::CalledPoint::Reserve;
    Placement &p = *placement_;
    for (const plugin::Instance *instance : p.profile->reserve) {
        plugin::StatusSlot slot;
        model::Status status = plugin::counted(*instance, point, 1, [&] {
            instance->reserve->reserve(instance->self, p.call->call(), p.state->handle(), &p.view, &nodes, p.slot,
                                       p.node(), slot.raw());
        });
        p.call->free_scratch();
        if (status.success()) status = slot.take(*instance, point);
        if (!status.success()) return rejection_or_failure(point, *instance, std::move(status));
    }
    return {};
}

PermitAnswer permit(Placement &p, const berth_nodes &nodes) {
    constexpr plugin::CalledPoint point = plugin::CalledPoint::Permit;
    PermitAnswer answer;
    for (const plugin::Instance *instance : p.profile->permit) {
        plugin::StatusSlot slot;
        std::int64_t timeout_ns = 0;
        model::Status status = plugin::counted(*instance, point, 1, [&] {
            instance->permit->permit(instance->self, p.call->call(), p.state->handle(), &p.view, &nodes, p.slot,
                                     p.node(), &timeout_ns, slot.raw());
        });
        p.call->free_scratch();
        if (status.success()) status = slot.take(*instance, point);
        if (status.code == BERTH_STATUS_WAIT) {
            answer.waits.push_back({instance, std::clamp<std::int64_t>(timeout_ns, 0, longest_wait_ms * 1'000'000)});
        } else if (!status.success()) {
            return {rejection_or_failure(point, *instance, std::move(status)), {}};
        }
    }
    return answer;
}

}  // namespace berth::bind
