// SPDX-License-Identifier: Apache-2.0
// Strict checks of PostFilter, AddPod and RemovePod, and of the services of preemption.
#include "plugin/strict_points.h"

#include "plugin/host_context.h"
#include "plugin/strict_services.h"

namespace berth::plugin {
namespace {

constexpr std::string_view post_filter_point = "PostFilter";
constexpr std::string_view nominated_point = "visit of " BERTH_HOST_NOMINATOR_V1;

using PodFunction = decltype(berth_plugin_pre_filter_ext::add_pod);

void call_extension(std::string_view point, PodFunction berth_plugin_pre_filter_ext::*function, void *self,
                    const berth_call *call, berth_state *state, const berth_pod *pod, const berth_pod *other,
                    const berth_nodes *nodes, std::uint32_t slot, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, point, Tag::Par, pod);
    (strict.own<berth_plugin_pre_filter_ext>(Interface::PreFilterExt).*function)(
        strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(other), one.proxied(nodes),
        slot, one.proxied(status));
    one.end(status);
}

}  // namespace

void checked_add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                     const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot, berth_status *status) {
    call_extension("AddPod", &berth_plugin_pre_filter_ext::add_pod, self, call, state, pod, other, nodes, slot, status);
}

void checked_remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot, berth_status *status) {
    call_extension("RemovePod", &berth_plugin_pre_filter_ext::remove_pod, self, call, state, pod, other, nodes, slot,
                   status);
}

void checked_post_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                         const berth_nodes *nodes, const berth_outcome *outcome, berth_nomination *nomination,
                         berth_status *status, const berth_done *done) {
    Strict &strict = Strict::of(self);
    Call one(strict, post_filter_point, Tag::Loop, pod);
    const auto *nodes_view = one.proxied(nodes);
    strict.own<berth_plugin_post_filter>(Interface::PostFilter)
        .post_filter(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), nodes_view,
                     one.proxied(outcome), one.proxied(nomination), one.proxied(status), one.proxied(done));
    one.end_or_wait(status);
}

namespace {

berth_trial *dry_run_open(const berth_host *host, const berth_call *call, const berth_state *state,
                          const berth_pod *pod, const berth_nodes *nodes, std::uint32_t slot) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, "open of " BERTH_HOST_RUNNER_V1)) return nullptr;
    CallProxy *proxy = strict.calls.find(call);
    if (!proxy || !proxy->open() || proxy->point != post_filter_point || !proxy->is_handle(state) ||
        !proxy->is_proxy(pod) || !proxy->is_proxy(nodes)) {
        strict.violated("called open of " BERTH_HOST_RUNNER_V1
                        " with arguments that do not belong to the current PostFilter call");
        return nullptr;
    }
    return strict.dry_runs.open(
        own<berth_host_runner>(host, BERTH_HOST_RUNNER_V1)
            .open(host, proxy->real_call(), proxy->real_state(), proxy->real_pod(), proxy->real_nodes(), slot),
        *proxy);
}

/// Calls of a dry run change the snapshot, and so the views.
template <class Fn>
std::int32_t ask(const berth_host *host, const berth_trial *dry_run, const char *what, const berth_str **texts,
                 std::uint64_t *n, Fn &&fn) {
    Strict &strict = strict_of(host);
    if (texts) *texts = nullptr;
    if (n) *n = 0;
    if (!check_loop(strict, what)) return BERTH_STATUS_INVALID;
    berth_trial *real = strict.dry_runs.real_of(dry_run);
    if (!real) {
        strict.violated("called " + std::string(what) + " for a trial that it does not have open");
        return BERTH_STATUS_INVALID;
    }
    std::int32_t code = fn(own<berth_host_runner>(host, BERTH_HOST_RUNNER_V1), real);
    strict.calls.renew(post_filter_point);
    return code;
}
std::int32_t dry_run_remove_pod(const berth_host *host, berth_trial *dry_run, std::uint32_t row,
                                const berth_str **texts, std::uint64_t *n) {
    return ask(host, dry_run, "remove_pod of " BERTH_HOST_RUNNER_V1, texts, n,
               [&](const berth_host_runner &runner, berth_trial *real) {
                   return runner.remove_pod(host, real, row, texts, n);
               });
}
std::int32_t dry_run_add_pod(const berth_host *host, berth_trial *dry_run, std::uint32_t row, const berth_str **texts,
                             std::uint64_t *n) {
    return ask(
        host, dry_run, "add_pod of " BERTH_HOST_RUNNER_V1, texts, n,
        [&](const berth_host_runner &runner, berth_trial *real) { return runner.add_pod(host, real, row, texts, n); });
}
std::int32_t dry_run_filter(const berth_host *host, berth_trial *dry_run, const berth_str **texts, std::uint64_t *n) {
    return ask(host, dry_run, "filter of " BERTH_HOST_RUNNER_V1, texts, n,
               [&](const berth_host_runner &runner, berth_trial *real) { return runner.filter(host, real, texts, n); });
}
berth_state *dry_run_state(const berth_host *host, const berth_trial *dry_run) {
    const char *what = "state of " BERTH_HOST_TRIAL_STATE_DRAFT1;
    Strict &strict = strict_of(host);
    if (!check_loop(strict, what)) return nullptr;
    const berth_trial *real = strict.dry_runs.real_of(dry_run);
    if (!real) {
        strict.violated("called " + std::string(what) + " for a trial that it does not have open");
        return nullptr;
    }
    return strict.dry_runs.show_state(
        own<berth_host_trial_state>(host, BERTH_HOST_TRIAL_STATE_DRAFT1).state(host, real));
}
void dry_run_close(const berth_host *host, berth_trial *dry_run) {
    ask(host, dry_run, "close of " BERTH_HOST_RUNNER_V1, nullptr, nullptr,
        [&](const berth_host_runner &runner, berth_trial *real) {
            runner.close(host, real);
            strict_of(host).dry_runs.close();
            return BERTH_STATUS_SUCCESS;
        });
}

/// A visit: each pod is valid during its own call.
struct Visitor {
    Strict &strict;
    void *ctx;
    std::int32_t (*nominated)(void *, const berth_pod *) = nullptr;
    std::int32_t (*waiting)(void *, const berth_pod *, berth_str) = nullptr;

    static std::int32_t visit_nominated(void *self, const berth_pod *pod) {
        auto &v = *static_cast<Visitor *>(self);
        Call one(v.strict, nominated_point, Tag::Loop, pod);
        const auto more = v.nominated(v.ctx, one.proxied(pod));
        one.end();
        return more;
    }
    static std::int32_t visit_waiting(void *self, const berth_pod *pod, berth_str node) {
        auto &v = *static_cast<Visitor *>(self);
        Call one(v.strict, "visit of " BERTH_HOST_WAITING_PODS_V1, Tag::Loop, pod);
        const auto more = v.waiting(v.ctx, one.proxied(pod), one.proxied(node));
        one.end();
        return more;
    }
};

void nominated_visit(const berth_host *host, berth_str node, std::int32_t (*visit)(void *, const berth_pod *),
                     void *ctx) {
    if (!check_loop(strict_of(host), "visit of " BERTH_HOST_NOMINATOR_V1)) return;
    Visitor visitor{strict_of(host), ctx, visit};
    own<berth_host_nominator>(host, BERTH_HOST_NOMINATOR_V1).visit(host, node, Visitor::visit_nominated, &visitor);
}
std::int32_t nominated_remove(const berth_host *host, berth_str uid) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, "remove of " BERTH_HOST_NOMINATOR_V1)) return BERTH_STATUS_INVALID;
    if (const CallProxy *proxy = strict.calls.innermost(); proxy && proxy->point == nominated_point)
        strict.violated("called remove of " BERTH_HOST_NOMINATOR_V1 " within a visit");
    return own<berth_host_nominator>(host, BERTH_HOST_NOMINATOR_V1).remove(host, uid);
}

std::int32_t activate(const berth_host *host, berth_str uid) {
    if (!check_loop(strict_of(host), "activate of " BERTH_HOST_ACTIVATOR_V1)) return BERTH_STATUS_INVALID;
    return own<berth_host_activator>(host, BERTH_HOST_ACTIVATOR_V1).activate(host, uid);
}

std::int32_t cancel(const berth_host *host, berth_str uid, berth_str reason) {
    if (!check_loop(strict_of(host), "cancel of " BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1)) return BERTH_STATUS_INVALID;
    strict_of(host).check_texts(&reason, 1);
    return own<berth_host_pods_in_pre_bind>(host, BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1).cancel(host, uid, reason);
}

void extenders_answered(void *ctx, std::int32_t code, berth_str error, const berth_candidate *left, std::uint64_t n) {
    auto *expected = static_cast<ExpectedCallbacks::Callback *>(ctx);
    auto callback = expected->strict->callbacks.take(expected);
    callback.on_left(callback.ctx, code, error, left, n);
    callback.strict->calls.callback_ended();
}

std::int32_t narrow(const berth_host *host, const berth_call *call, const berth_candidate *candidates, std::uint64_t n,
                    void (*on_done)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t),
                    void *ctx) {
    Strict &strict = strict_of(host);
    const std::string what = "narrow of " BERTH_HOST_EXTENDERS_DRAFT1;
    if (!check_loop(strict, what.c_str())) return BERTH_STATUS_INVALID;
    CallProxy *proxy = strict.calls.find(call);
    if (!proxy || !proxy->open() || proxy->point != post_filter_point) {
        strict.violated("called " + what + " with a call that is not the current PostFilter call");
        return BERTH_STATUS_INVALID;
    }
    const auto &extenders = own<berth_host_extenders>(host, BERTH_HOST_EXTENDERS_DRAFT1);
    if (!on_done) {
        strict.violated("called " + what + " without a function");
        return BERTH_STATUS_INVALID;
    }
    auto *expected = strict.callbacks.expect({.strict = &strict, .ctx = ctx, .on_left = on_done});
    auto code = extenders.narrow(host, proxy->real_call(), candidates, n, extenders_answered, expected);
    if (code != BERTH_STATUS_SUCCESS) strict.callbacks.take(expected);
    if (code == BERTH_STATUS_INVALID) strict.violated("called " + what + " for an invalid candidate");
    return code;
}

}  // namespace

const berth_host_runner checked_runner{
    sizeof(berth_host_runner), 0, dry_run_open, dry_run_remove_pod, dry_run_add_pod, dry_run_filter, dry_run_close};
const berth_host_nominator checked_nominator{sizeof(berth_host_nominator), 0, nominated_visit, nominated_remove};
const berth_host_activator checked_activator{sizeof(berth_host_activator), 0, activate};
const berth_host_extenders checked_extenders{sizeof(berth_host_extenders), 0, narrow};
const berth_host_trial_state checked_dry_run_state{sizeof(berth_host_trial_state), 0, dry_run_state};
const berth_host_pods_in_pre_bind checked_pods_in_pre_bind{sizeof(berth_host_pods_in_pre_bind), 0, cancel};

std::int32_t checked_pods_preempt(const berth_host *host, berth_str uid, berth_str reason) {
    if (!check_loop(strict_of(host), "preempt of " BERTH_HOST_WAITING_PODS_V1)) return BERTH_STATUS_INVALID;
    strict_of(host).check_texts(&reason, 1);
    return own<berth_host_waiting_pods>(host, BERTH_HOST_WAITING_PODS_V1).preempt(host, uid, reason);
}

void checked_pods_visit(const berth_host *host, std::int32_t (*visit)(void *, const berth_pod *, berth_str),
                        void *ctx) {
    if (!check_loop(strict_of(host), "visit of " BERTH_HOST_WAITING_PODS_V1)) return;
    Visitor visitor{strict_of(host), ctx, nullptr, visit};
    own<berth_host_waiting_pods>(host, BERTH_HOST_WAITING_PODS_V1).visit(host, Visitor::visit_waiting, &visitor);
}

}  // namespace berth::plugin
