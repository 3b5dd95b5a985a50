// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The testing kit's host with trials and extenders. A pod fits a node if its CPU does.

#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace berth {

/// One open trial at a time, as a host has it. Writes down what it is asked.
class FakeTrials {
    /// What the functions get; they find this by it.
    struct Raw {
        berth_host host;
        FakeTrials *of;
    } raw_{};
    const berth_pod *preemptor_ = nullptr;
    std::uint32_t slot_ = 0;
    bool open_ = false;
    std::set<std::uint32_t> taken_;
    std::vector<berth_str> texts_;
    testing::State copy_;

public:
    using Answer = std::function<void(const std::vector<berth_candidate> &left)>;

    testing::Cluster &cluster;
    testing::Host kit;
    std::vector<std::string> asked;                 ///< "remove a", "filter: full"
    std::set<std::uint32_t> refused;                ///< slots for which no trial is opened
    std::set<std::string> failing;                  ///< pods for which RemovePod or AddPod fails
    bool offers_state = true;                       ///< berth.host.trial_state/draft1
    std::vector<berth_candidate> candidates;        ///< that the extenders got; their victims are gone
    std::vector<std::vector<std::string>> victims;  ///< of these
    /// What the extenders answer. Without it, there are none.
    std::function<void(const std::vector<berth_candidate> &, const Answer &left, const std::function<void(int)> &fail)>
        extenders;

    explicit FakeTrials(testing::Cluster &c) : cluster(c), kit(c) {
        raw_ = {*kit.raw(), this};
        raw_.host.get_service = service;
    }
    FakeTrials(const FakeTrials &) = delete;
    FakeTrials &operator=(const FakeTrials &) = delete;
    const berth_host *raw() const { return &raw_.host; }
    std::string name(std::uint32_t row) {
        const auto *pods = cluster.nodes()->pods;
        return std::string(view(testing::Cluster::look_ups().pod(raw(), pods, row)->name));
    }

private:
    static FakeTrials &of(const berth_host *h) { return *reinterpret_cast<const Raw *>(h)->of; }

    std::int32_t say(std::string what, std::int32_t code, const char *text, const berth_str **texts, std::uint64_t *n) {
        asked.push_back(std::move(what));
        texts_.clear();
        if (text) texts_.push_back(to_str(text));
        if (texts) *texts = texts_.data();
        if (n) *n = texts_.size();
        return code;
    }
    bool is_there(std::uint32_t row) {
        const auto *pods = cluster.nodes()->pods;
        return row < pods->rows && pods->node_slot[row] == slot_;
    }
    static berth_trial *open(const berth_host *h, const berth_call *, const berth_state *, const berth_pod *pod,
                             const berth_nodes *nodes, std::uint32_t slot) {
        auto &t = of(h);
        if (t.open_ || slot >= nodes->slots || t.refused.contains(slot)) return nullptr;
        t.open_ = true, t.slot_ = slot, t.preemptor_ = pod;
        t.taken_.clear();
        t.asked.push_back("try " + std::string(view(nodes->name[slot])));
        return reinterpret_cast<berth_trial *>(&t);
    }
    static std::int32_t change(const berth_host *h, const char *what, bool out, std::uint32_t row,
                               const berth_str **texts, std::uint64_t *n) {
        auto &t = of(h);
        if (!t.is_there(row) || t.taken_.contains(row) == out)
            return t.say(what, BERTH_STATUS_INVALID, nullptr, texts, n);
        if (out) t.taken_.insert(row);
        else t.taken_.erase(row);
        const auto pod = t.name(row);
        const bool fails = t.failing.contains(pod);
        return t.say(std::string(what) + " " + pod, fails ? BERTH_STATUS_UNSCHEDULABLE : BERTH_STATUS_SUCCESS,
                     fails ? "it fails" : nullptr, texts, n);
    }
    static std::int32_t remove_pod(const berth_host *h, berth_trial *, std::uint32_t row, const berth_str **texts,
                                   std::uint64_t *n) {
        return change(h, "remove", true, row, texts, n);
    }
    static std::int32_t add_pod(const berth_host *h, berth_trial *, std::uint32_t row, const berth_str **texts,
                                std::uint64_t *n) {
        return change(h, "add", false, row, texts, n);
    }
    static std::int32_t filter(const berth_host *h, berth_trial *, const berth_str **texts, std::uint64_t *n) {
        auto &t = of(h);
        const auto *nodes = t.cluster.nodes();
        auto free = nodes->allocatable_cpu[t.slot_] - nodes->requested_cpu[t.slot_] - t.preemptor_->requests->cpu;
        for (auto row : t.taken_) free += testing::Cluster::look_ups().pod(h, nodes->pods, row)->current_requests->cpu;
        if (free >= 0) return t.say("filter: fits", BERTH_STATUS_SUCCESS, nullptr, texts, n);
        return t.say("filter: full", BERTH_STATUS_UNSCHEDULABLE, "Insufficient cpu", texts, n);
    }
    static void close(const berth_host *h, berth_trial *) { of(h).open_ = false; }
    static berth_state *state(const berth_host *h, const berth_trial *) {
        return of(h).open_ ? of(h).copy_.handle() : nullptr;
    }
    static std::int32_t narrow(const berth_host *h, const berth_call *, const berth_candidate *all, std::uint64_t n,
                               void (*on_done)(void *, std::int32_t, berth_str, const berth_candidate *, std::uint64_t),
                               void *ctx) {
        auto &t = of(h);
        t.candidates.assign(all, all + n);
        for (const auto &c : t.candidates) {
            auto &named = t.victims.emplace_back();
            for (auto row : std::span(c.victims, c.victims_len)) named.push_back(t.name(row));
        }
        auto left = [=](const std::vector<berth_candidate> &chosen) {
            on_done(ctx, BERTH_STATUS_SUCCESS, {}, chosen.data(), chosen.size());
        };
        if (t.extenders)
            t.extenders(t.candidates, left,
                        [=](int code) { on_done(ctx, code, BERTH_STR("they quarrel"), nullptr, 0); });
        else left(t.candidates);
        return BERTH_STATUS_SUCCESS;
    }

    static const void *service(const berth_host *h, berth_str id) {
        static constexpr berth_host_runner runner{sizeof runner, 0, open, remove_pod, add_pod, filter, close};
        static constexpr berth_host_extenders narrowing{sizeof narrowing, 0, narrow};
        static constexpr berth_host_trial_state states{sizeof states, 0, state};
        const auto name = view(id);
        if (name == BERTH_HOST_RUNNER_V1) return &runner;
        if (name == BERTH_HOST_EXTENDERS_DRAFT1) return &narrowing;
        if (name == BERTH_HOST_TRIAL_STATE_DRAFT1) return of(h).offers_state ? &states : nullptr;
        return of(h).kit.raw()->get_service(h, id);
    }
};

}  // namespace berth
