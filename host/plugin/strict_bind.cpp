// SPDX-License-Identifier: Apache-2.0
// Strict checks of Reserve, Permit, PreBind, Bind and PostBind.
#include "plugin/strict_points.h"

#include "plugin/thrown.h"

namespace berth::plugin {

void checked_reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                     const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Reserve", Tag::Loop, pod);
    strict.own<berth_plugin_reserve>(Interface::Reserve)
        .reserve(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes), slot,
                 one.proxied(node_name), one.proxied(status));
    one.end(status);
}

void checked_unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name) {
    Strict &strict = Strict::of(self);
    auto undo = [&](Call &one) {
        strict.own<berth_plugin_reserve>(Interface::Reserve)
            .unreserve(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(node_name));
    };
    {
        Call first(strict, "Unreserve", Tag::Loop, pod);
        undo(first);
        first.end();
    }
    // It is idempotent: what has been undone may be undone again.
    Call second(strict, "Unreserve", Tag::Loop, pod);
    if (auto what = thrown_by([&] { undo(second); }))
        strict.violated("threw " + *what + " when called a second time", &second.proxy());
    second.end();
}

void checked_permit(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, std::int64_t *timeout_ns,
                    berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Permit", Tag::Loop, pod);
    auto *timeout = one.proxy().memory.guarded_out(timeout_ns, 1, "timeout_ns");
    strict.own<berth_plugin_permit>(Interface::Permit)
        .permit(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes), slot,
                one.proxied(node_name), timeout, one.proxied(status));
    *timeout_ns = *timeout;
    one.end(status);
}

void checked_placement_feasible(void *self, const berth_call *call, const berth_pod_group *group,
                                std::uint64_t remaining, std::uint64_t scheduled, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PlacementFeasible", Tag::Loop, nullptr);
    if (group->obj) one.proxy().show(group->obj);
    strict.own<berth_plugin_placement_feasible>(Interface::PlacementFeasible)
        .placement_feasible(strict.self(), one.proxied(call), one.proxy().memory.guarded_in(group, 1, "group"),
                            remaining, scheduled, one.proxied(status));
    one.end(status);
}

void checked_preflight(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name, std::uint32_t *parallel, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PreBindPreFlight", Tag::Bind, pod);
    auto *flag = one.proxy().memory.guarded_out(parallel, 1, "parallel");
    strict.own<berth_plugin_pre_bind>(Interface::PreBind)
        .preflight(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(node_name), flag,
                   one.proxied(status));
    *parallel = *flag;
    one.end(status);
}

void checked_pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                      berth_status *status, const berth_done *done) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PreBind", Tag::Bind, pod);
    strict.own<berth_plugin_pre_bind>(Interface::PreBind)
        .pre_bind(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(node_name),
                  one.proxied(status), one.proxied(done));
    one.end_or_wait(status);
}

void checked_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                  berth_status *status, const berth_done *done) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Bind", Tag::Bind, pod);
    strict.own<berth_plugin_bind>(Interface::Bind)
        .bind(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(node_name),
              one.proxied(status), one.proxied(done));
    one.end_or_wait(status);
}

void checked_post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PostBind", Tag::Bind, pod);
    strict.own<berth_plugin_post_bind>(Interface::PostBind)
        .post_bind(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(node_name));
    one.end();
}

}  // namespace berth::plugin
