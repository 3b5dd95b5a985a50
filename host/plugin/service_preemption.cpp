// SPDX-License-Identifier: Apache-2.0
// The services of preemption (<berth/service/preemption.h> and drafts): dry runs, nominations, activation.
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <berth/draft/extenders.h>
#include <berth/draft/pods_in_pre_bind.h>
#include <berth/draft/trial_state.h>

namespace berth::plugin {
namespace {

const Services &services(const berth_host *host) { return HostContext::of(host)->services; }

std::int32_t hand_out(const DryRunner::Answer &answer, const berth_str **texts, std::uint64_t *n) {
    if (texts) *texts = answer.texts.data();
    if (n) *n = answer.texts.size();
    return answer.code;
}

berth_trial *dry_run_open(const berth_host *host, const berth_call *call, const berth_state *state,
                          const berth_pod *pod, const berth_nodes *nodes, std::uint32_t slot) {
    return services(host).dry_runner->open_dry_run(call, state, pod, nodes, slot);
}
std::int32_t dry_run_remove_pod(const berth_host *host, berth_trial *dry_run, std::uint32_t row,
                                const berth_str **texts, std::uint64_t *n) {
    return hand_out(services(host).dry_runner->remove_pod(dry_run, row), texts, n);
}
std::int32_t dry_run_add_pod(const berth_host *host, berth_trial *dry_run, std::uint32_t row, const berth_str **texts,
                             std::uint64_t *n) {
    return hand_out(services(host).dry_runner->add_pod(dry_run, row), texts, n);
}
std::int32_t dry_run_filter(const berth_host *host, berth_trial *dry_run, const berth_str **texts, std::uint64_t *n) {
    return hand_out(services(host).dry_runner->filter(dry_run), texts, n);
}
void dry_run_close(const berth_host *host, berth_trial *dry_run) { services(host).dry_runner->close_dry_run(dry_run); }

berth_state *dry_run_state(const berth_host *host, const berth_trial *dry_run) {
    return services(host).dry_runner->state(dry_run);
}

void nominated_visit(const berth_host *host, berth_str node, std::int32_t (*visit)(void *, const berth_pod *),
                     void *ctx) {
    bool more = true;
    services(host).nominator->visit(text_of(node), [&](const berth_pod &pod) { more = more && visit(ctx, &pod) != 0; });
}
std::int32_t nominated_remove(const berth_host *host, berth_str uid) {
    return HostContext::of(host)->change([&] { return services(host).nominator->remove(text_of(uid)); });
}

std::int32_t activate(const berth_host *host, berth_str uid) {
    // A plugin's destroy may come when the queue is gone.
    if (HostContext::of(host)->over) return BERTH_STATUS_NOT_FOUND;
    return HostContext::of(host)->change([&] { return services(host).activator->activate(text_of(uid)); });
}

std::int32_t cancel(const berth_host *host, berth_str uid, berth_str reason) {
    return HostContext::of(host)->change(
        [&] { return services(host).pre_bind_pods->cancel(text_of(uid), text_of(reason)); });
}

std::int32_t narrow(const berth_host *host, const berth_call *call, const berth_candidate *candidates, std::uint64_t n,
                    void (*on_done)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t),
                    void *ctx) {
    if (!on_done || (n > 0 && !candidates)) return BERTH_STATUS_INVALID;
    std::vector<ExtenderPreemption::Candidate> list;
    for (const auto &c : std::span(candidates, n)) {
        if (c.victims_len > 0 && !c.victims) return BERTH_STATUS_INVALID;
        list.push_back({c.slot, {c.victims, c.victims + c.victims_len}, c.violations});
    }
    auto *context = HostContext::of(host);
    const auto views = std::make_shared<std::vector<berth_candidate>>();  // of what is left
    const auto id = context->responses.expect([context, on_done, ctx, views](const Callbacks::Came &came) {
        context->call_back(BERTH_HOST_EXTENDERS_DRAFT1,
                           [&] { on_done(ctx, came.code, model::to_str(came.text), views->data(), views->size()); });
    });
    if (id == 0) return BERTH_STATUS_CANCELLED;
    auto done = [weak = context->weak_from_this(), id, views](std::int32_t code, const std::string &error,
                                                              std::span<const ExtenderPreemption::Candidate> left) {
        auto alive = weak.lock();
        if (!alive) return;
        for (const auto &c : left) views->push_back({c.slot, 0, c.victims.data(), c.victims.size(), c.violations});
        alive->responses.come(id, {code, 0, error});
    };
    if (services(host).extenders->process_preemption(call, std::move(list), std::move(done)))
        return BERTH_STATUS_SUCCESS;
    context->responses.forget(id);
    return BERTH_STATUS_INVALID;
}

constexpr berth_host_runner runner_table{
    sizeof(berth_host_runner), 0, dry_run_open, dry_run_remove_pod, dry_run_add_pod, dry_run_filter, dry_run_close};
constexpr berth_host_nominator nominator_table{sizeof(berth_host_nominator), 0, nominated_visit, nominated_remove};
constexpr berth_host_activator activator_table{sizeof(berth_host_activator), 0, activate};
constexpr berth_host_pods_in_pre_bind in_pre_bind_table{sizeof(berth_host_pods_in_pre_bind), 0, cancel};
constexpr berth_host_extenders extenders_table{sizeof(berth_host_extenders), 0, narrow};
constexpr berth_host_trial_state dry_run_state_table{sizeof(berth_host_trial_state), 0, dry_run_state};

/// Whether a service is there.
template <auto Member>
bool offered(const Services &services) {
    return services.*Member != nullptr;
}

}  // namespace

const ServiceTables runner_tables{BERTH_HOST_RUNNER_V1, &runner_table, &checked_runner, offered<&Services::dry_runner>};
const ServiceTables nominator_tables{BERTH_HOST_NOMINATOR_V1, &nominator_table, &checked_nominator,
                                     offered<&Services::nominator>};
const ServiceTables activator_tables{BERTH_HOST_ACTIVATOR_V1, &activator_table, &checked_activator,
                                     offered<&Services::activator>};
const ServiceTables pods_in_pre_bind_tables{BERTH_HOST_PODS_IN_PRE_BIND_DRAFT1, &in_pre_bind_table,
                                            &checked_pods_in_pre_bind, offered<&Services::pre_bind_pods>};
const ServiceTables extenders_tables{BERTH_HOST_EXTENDERS_DRAFT1, &extenders_table, &checked_extenders,
                                     offered<&Services::extenders>};
const ServiceTables dry_run_state_tables{BERTH_HOST_TRIAL_STATE_DRAFT1, &dry_run_state_table, &checked_dry_run_state,
                                         offered<&Services::dry_runner>};

}  // namespace berth::plugin
