// SPDX-License-Identifier: Apache-2.0
#include "bind/waiting_pods.h"

#include <algorithm>
#include <cstdio>

namespace berth::bind {

std::string duration_text(std::int64_t ns) {
    constexpr std::int64_t second = 1'000'000'000;
    auto decimal = [](std::int64_t value, std::int64_t unit) {
        std::string text = std::to_string(value / unit);
        if (std::int64_t rest = value % unit; rest != 0) {
            std::string digits = std::to_string(unit + rest).substr(1);
            digits.erase(digits.find_last_not_of('0') + 1);
            text += "." + digits;
        }
        return text;
    };
    if (ns == 0) return "0s";
    if (ns < 1'000) return std::to_string(ns) + "ns";
    if (ns < 1'000'000) return decimal(ns, 1'000) + "µs";
    if (ns < second) return decimal(ns, 1'000'000) + "ms";
    std::string text;
    if (ns >= 3600 * second) text += std::to_string(ns / (3600 * second)) + "h";
    if (ns >= 60 * second) text += std::to_string(ns / (60 * second) % 60) + "m";
    return text + decimal(ns % (60 * second), second) + "s";
}

void WaitingPods::add(const berth_pod &pod, const std::vector<PermitAnswer::Wait> &waits, OnSettled on_settled) {
    const std::string_view uid = model::view(pod.uid);
    WaitingPod &waiting = pods_[std::string(uid)];
    waiting.pod = &pod;
    waiting.number = ++waits_;
    waiting.pending_plugins.clear();
    waiting.on_settled = std::move(on_settled);
    for (const auto &wait : waits) {
        waiting.pending_plugins.push_back(wait.instance->name);
        clock_.after(wait.timeout_ns, [this, uid = std::string(uid), number = waiting.number,
                                       name = wait.instance->name, timeout = wait.timeout_ns] {
            auto it = pods_.find(uid);
            if (it == pods_.end() || it->second.number != number) return;
            const auto &pending = it->second.pending_plugins;
            if (std::find(pending.begin(), pending.end(), name) == pending.end()) return;  // It has allowed the pod.
            reject(name, uid, "rejected due to timeout after waiting " + duration_text(timeout) + " at plugin " + name);
        });
    }
}

bool WaitingPods::allow(std::string_view plugin, std::string_view uid) {
    auto it = pods_.find(std::string(uid));
    if (it == pods_.end() || std::erase(it->second.pending_plugins, plugin) == 0) return false;
    if (it->second.pending_plugins.empty()) settle(uid, {});
    return true;
}

bool WaitingPods::reject(std::string_view plugin, std::string_view uid, std::string_view reason) {
    if (!pods_.contains(std::string(uid))) return false;
    settle(uid, {.code = BERTH_STATUS_UNSCHEDULABLE,
                 .error = {},
                 .reasons = {std::string(reason)},
                 .plugin = std::string(plugin)});
    return true;
}

bool WaitingPods::preempt(std::string_view plugin, std::string_view uid, std::string_view reason) {
    if (!pods_.contains(std::string(uid))) return false;
    settle(uid, {.code = BERTH_STATUS_ERROR,
                 .error = "waiting on permit for pod: " + std::string(reason),
                 .reasons = {},
                 .plugin = std::string(plugin)});
    return true;
}

void WaitingPods::visit(const Visit &visit) {
    std::vector<std::pair<std::uint64_t, std::string>> all;
    for (const auto &[uid, waiting] : pods_) all.emplace_back(waiting.number, uid);
    std::sort(all.begin(), all.end());
    for (const auto &[number, uid] : all) {
        // The visitor may have settled it.
        auto at = pods_.find(uid);
        if (at != pods_.end() && at->second.number == number)
            visit(*at->second.pod, model::view(at->second.pod->node_name));
    }
}

/// Posted, because a plugin may decide in the middle of another pod's search.
void WaitingPods::settle(std::string_view uid, model::Status status) {
    auto node = pods_.extract(std::string(uid));
    clock_.post([fn = std::move(node.mapped().on_settled), status = std::move(status)] { fn(status); });
}

}  // namespace berth::bind
