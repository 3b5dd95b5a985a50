// SPDX-License-Identifier: Apache-2.0
// The extenders' part of a preemption (upstream: callExtenders, ProcessPreemption).
#include "cycle/extenders.h"
#include "model/look_ups.h"

#include <algorithm>

namespace berth::cycle {

namespace {

using Candidate = Extenders::Candidate;
using Preempted = env::Extender::Preempted;

const std::string ended = "PostFilter has ended before the extenders have answered";

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::vector<env::Extender::Candidate> shown(const Search &search, std::span<const Candidate> candidates) {
    const berth_nodes &nodes = search.nodes;
    std::vector<env::Extender::Candidate> out;
    for (const auto &c : candidates) {
        auto &one = out.emplace_back(env::Extender::Candidate{model::view(nodes.name[c.slot]), {}, c.violations});
        for (auto row : c.victims) one.victims.push_back(model::object_of(nodes.pods->obj[row]));
    }
    return out;
}

/// One node of an answer, as the snapshot knows it.
model::Result<Candidate> found(const Search &search, const std::string &url, const std::string &node,
                               const env::Extender::Victims &victims) {
    const berth_nodes &nodes = search.nodes;
    Candidate out{model::find_node(nodes, model::to_str(node)), {}, victims.violations};
    if (out.slot == BERTH_NO_SLOT) return model::Error{"nodeinfo not found for node name " + quoted(node)};
    const berth_pods &pods = *nodes.pods;
    const std::uint32_t *rows = nullptr;
    auto n = model::look_ups(pods).pods_of(out.slot, &rows);
    for (const auto &uid : victims.uids) {
        const auto *end = rows + n;
        const auto *at = std::find_if(rows, end, [&](std::uint32_t row) {
            return model::view(model::object_of(pods.obj[row])->meta().uid) == uid;
        });
        if (at == end)
            return model::Error{"extender: " + url + " claims to preempt pod (UID: &{" + uid + "}) on node: " + node +
                                ", but the pod is not found on that node"};
        out.victims.push_back(*at);
    }
    return out;
}

/// What an answer leaves: the candidates in their order, then other nodes.
model::Result<std::vector<Candidate>> left(const Search &search, const std::string &url, const Preempted &answer,
                                           std::span<const Candidate> before) {
    std::vector<Candidate> out;
    for (const auto &[node, victims] : answer) {
        auto one = found(search, url, node, victims);
        if (!one) return one.error();
        out.push_back(std::move(*one));
    }
    auto place = [&](const Candidate &c) {
        return std::find_if(before.begin(), before.end(), [&](const auto &b) { return b.slot == c.slot; });
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto &a, const auto &b) { return place(a) < place(b); });
    return out;
}

}  // namespace

void Extenders::process_preemption(const std::weak_ptr<const Search> &search, std::vector<Candidate> candidates,
                                   Processed done, std::size_t first) {
    auto now = search.lock();
    if (!now) return done(BERTH_STATUS_CANCELLED, ended, {});
    const auto &pod = *model::object_of(now->pod.obj);
    auto at = std::find_if(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end(),
                           [&](const auto &one) { return one->traits().preempts && one->interested(pod); });
    if (at == all_.end() || candidates.empty()) return done(BERTH_STATUS_SUCCESS, {}, candidates);
    env::Extender &extender = **at;
    auto called = shown(*now, candidates);
    auto next = static_cast<std::size_t>(at - all_.begin()) + 1;
    extender.preempt(pod, called,
                     [this, weak = std::weak_ptr(alive_), search, &extender, next, candidates = std::move(candidates),
                      done = std::move(done)](model::Result<Preempted> answer) mutable {
                         auto still = search.lock();
                         if (!weak.lock() || !still) return done(BERTH_STATUS_CANCELLED, ended, {});
                         const auto &traits = extender.traits();
                         auto log = [&](const char *text, const env::Log::Pairs &pairs) {
                             if (log_) log_->write(env::Severity::Info, 2, text, pairs);
                         };
                         auto result = answer ? left(*still, traits.url, *answer, candidates)
                                              : model::Result<std::vector<Candidate>>(answer.error());
                         if (!result) {
                             if (!traits.ignorable) return done(BERTH_STATUS_ERROR, result.error().text, {});
                             log("Skipped extender as it returned error and has ignorable flag set",
                                 {{"extender", traits.url}, {"err", result.error().text}});
                             return process_preemption(search, std::move(candidates), std::move(done), next);
                         }
                         for (const auto &c : *result) {
                             if (!c.victims.empty()) continue;
                             std::string node(model::view(still->nodes.name[c.slot]));
                             if (!traits.ignorable)
                                 return done(BERTH_STATUS_ERROR,
                                             "expected at least one victim pod on node " + quoted(node), {});
                             log("Ignored node for which the extender didn't report victims",
                                 {{"node", node}, {"extender", traits.url}});
                         }
                         std::erase_if(*result, [](const auto &c) { return c.victims.empty(); });
                         process_preemption(search, std::move(*result), std::move(done), next);
                     });
}

}  // namespace berth::cycle
