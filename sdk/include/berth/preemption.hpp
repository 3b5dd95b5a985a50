// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inputs of PostFilter, and its dry runs of nodes with other pods.

#include <berth/draft/trial_state.h>
#include <berth/call.hpp>

namespace berth {

/// Why no node took the pod; see berth_outcome.
class Outcome {
    const berth_outcome *o_;
    const Host *host_;

public:
    Outcome(const berth_outcome *o, const Host *host) : o_(o), host_(host) {}
    const berth_outcome *raw() const { return o_; }
    std::int32_t code(std::uint32_t slot) const { return o_->code[slot]; }
    std::int32_t absent_code() const { return o_->absent_code; }
    std::span<const berth_str> reasons(std::uint32_t slot) const {
        const berth_str *texts = nullptr;
        auto n = host_->call_service().outcome_reasons(host_->raw(), o_, slot, &texts);
        return {texts, n};
    }
    std::string_view plugin(std::uint32_t slot) const {
        return view(host_->call_service().outcome_plugin(host_->raw(), o_, slot));
    }
    /// In visiting order.
    std::span<const std::uint32_t> slots_with(std::int32_t code) const {
        const std::uint32_t *slots = nullptr;
        auto n = host_->call_service().outcome_slots(host_->raw(), o_, code, &slots);
        return {slots, n};
    }
};

/// PostFilter's word about the pod's nomination; see berth_nomination.
class Nomination {
    berth_nomination *n_;
    const Host *host_;

public:
    Nomination(berth_nomination *n, const Host *host) : n_(n), host_(host) {}
    void nominate(std::string_view node) const { host_->call_service().nominate(host_->raw(), n_, to_str(node)); }
    void clear() const { nominate({}); }
    /// For people: the pods in these rows would give way, the most important one first, and why these; see
    /// berth_host_victims. It evicts no pod. Throws for what are no such pods. On a host that does not offer this,
    /// which is a draft, nothing is named.
    void victims(std::span<const std::uint32_t> rows, std::string_view reason = {}) const {
        host_->name_victims(n_, rows, reason);
    }
};

/// A node as it would be with other pods on it (berth.host.runner/1). One at a time; ends with its life.
class Trial {
    const Host *host_;
    berth_trial *trial_;
    mutable const berth_host_trial_state *states_ = nullptr;  ///< once asked for

    template <class Call>
    Verdict ask(Call &&call) const {
        const berth_str *texts = nullptr;
        std::uint64_t n = 0;
        std::int32_t code = call(&texts, &n);
        if (code == BERTH_STATUS_SUCCESS) return ok;
        std::vector<std::string> list;
        for (std::uint64_t i = 0; i < n; ++i) list.emplace_back(view(texts[i]));
        return {code, std::move(list)};
    }

public:
    Trial(const Host &host, const berth_call *call, const berth_state *state, const berth_pod *pod,
          const berth_nodes *nodes, std::uint32_t slot)
        : host_(&host), trial_(host.runner().open(host.raw(), call, state, pod, nodes, slot)) {
        if (!trial_) throw std::logic_error("no node to try in slot " + std::to_string(slot));
    }
    ~Trial() { host_->runner().close(host_->raw(), trial_); }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;
    Verdict remove_pod(std::uint32_t row) const {
        return ask(
            [&](auto *texts, auto *n) { return host_->runner().remove_pod(host_->raw(), trial_, row, texts, n); });
    }
    Verdict add_pod(std::uint32_t row) const {
        return ask([&](auto *texts, auto *n) { return host_->runner().add_pod(host_->raw(), trial_, row, texts, n); });
    }
    /// The trial's own copy of the CycleState, as AddPod and RemovePod have changed it; see berth_host_trial_state. It
    /// ends with the trial. Throws on a host that does not offer this, which is a draft.
    State state() const {
        BERTH_USES_DRAFT(BERTH_HOST_TRIAL_STATE_DRAFT1);
        const auto *raw = host_->raw();
        if (!states_)
            states_ = static_cast<const berth_host_trial_state *>(
                raw->get_service(raw, to_str(BERTH_HOST_TRIAL_STATE_DRAFT1)));
        if (!states_ || !states_->state)
            throw std::runtime_error("this host does not offer " BERTH_HOST_TRIAL_STATE_DRAFT1);
        auto *state = states_->state(raw, trial_);
        if (!state) throw std::logic_error("the trial has no state to read now");
        return {state, host_};
    }
    /// Whether the plugins let the pod onto the node as it is in the trial.
    Verdict filter() const {
        return ask([&](auto *texts, auto *n) { return host_->runner().filter(host_->raw(), trial_, texts, n); });
    }
};

}  // namespace berth
