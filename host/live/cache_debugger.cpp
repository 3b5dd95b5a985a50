// SPDX-License-Identifier: Apache-2.0
#include "live/cache_debugger.h"
#include "model/look_ups.h"

#include "model/pod.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace berth::live {
namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
    std::ranges::sort(names);
    return names;
}

Names without(const Names &names, const Names &others) {
    Names out;
    std::ranges::set_difference(names, others, std::back_inserter(out));
    return out;
}

/// As Go prints a list of strings into a log.
std::string list_text(const Names &names) {
    std::string out = "[";
    for (const auto &name : names) (out += out.size() > 1 ? "," : "").append("\"").append(name).append("\"");
    return out + "]";
}

std::string pod_text(const model::Pod &pod) {
    return "name: " + std::string(pod.name()) + ", namespace: " + std::string(pod.name_space()) +
           ", uid: " + std::string(pod.uid()) + ", phase: " + std::string(pod.phase()) +
           ", nominated node: " + std::string(pod.nominated_node()) + "\n";
}

std::string amounts(std::int64_t cpu, std::int64_t memory, std::int64_t ephemeral, std::int64_t pods) {
    return "{MilliCPU:" + std::to_string(cpu) + " Memory:" + std::to_string(memory) +
           " EphemeralStorage:" + std::to_string(ephemeral) + " AllowedPodNumber:" + std::to_string(pods) + "}";
}

/// The placed pods of a slot, in the order in which they came.
template <class Fn>
void each_pod(const berth_pods &pods, std::uint32_t slot, Fn &&fn) {
    const std::uint32_t *rows = nullptr;
    const auto count = model::look_ups(pods).pods_of(slot, &rows);
    for (std::uint64_t i = 0; i < count; ++i)
        if (const auto *object = pods.obj[rows[i]]) fn(static_cast<const model::Pod &>(*model::object_of(object)));
}

std::string node_text(const berth_nodes &nodes, std::uint32_t slot, std::span<const model::PodPtr> nominated) {
    std::string out =
        "Node name: " + std::string(model::view(nodes.name[slot])) + "\nDeleted: false\nRequested Resources: " +
        amounts(nodes.requested_cpu[slot], nodes.requested_memory[slot], nodes.requested_ephemeral[slot], 0) +
        "\nAllocatable Resources:" +
        amounts(nodes.allocatable_cpu[slot], nodes.allocatable_memory[slot], nodes.allocatable_ephemeral[slot],
                nodes.allocatable_pods[slot]) +
        "\nScheduled Pods(number: " + std::to_string(nodes.pod_count[slot]) + "):\n";
    each_pod(*nodes.pods, slot, [&](const model::Pod &pod) { out += pod_text(pod); });
    if (nominated.empty()) return out;
    out += "Nominated Pods(number: " + std::to_string(nominated.size()) + "):\n";
    for (const auto &pod : nominated) out += pod_text(*pod);
    return out;
}

}  // namespace

void CacheDebugger::log_state() {
    constexpr std::int64_t again_ns = 10'000'000;
    // Until then what the watches say waits, and a pod is in none of the queues.
    if (!scheduler_->between_cycles()) return clock_.after(again_ns, [this] { log_state(); });
    compare();
    dump();
}

void CacheDebugger::compare() {
    constexpr int verbosity = 3;
    log_.write(env::Severity::Info, verbosity, "Cache comparer started");
    const auto &nodes = scheduler_->cache().snapshot();
    const auto ours = scheduler_->profile_names();
    Names actual_nodes, cached_nodes, actual_pods, cached_pods;
    nodes_.each([&](const std::string &name, const kube::ObjectPtr &) { actual_nodes.push_back(name); });
    pods_.each([&](const std::string &, const kube::ObjectPtr &object) {
        const auto &pod = static_cast<const model::Pod &>(*object);
        // Those that wait for somebody else, or for their end, are in no queue: upstream calls them missed all the
        // same.
        const bool queued = std::ranges::count(ours, pod.scheduler_name()) > 0 && !pod.terminating();
        if (!pod.node_name().empty() || queued) actual_pods.emplace_back(pod.uid());
    });
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        cached_nodes.emplace_back(model::view(nodes.name[nodes.order[i]]));
        each_pod(*nodes.pods, nodes.order[i], [&](const model::Pod &pod) { cached_pods.emplace_back(pod.uid()); });
    }
    scheduler_->queue().each([&](const queue::QueuedPod &pod) {
        if (!pod.pod->terminating()) cached_pods.emplace_back(pod.pod->uid());
    });
    auto print = [&](const char *missed, const char *redundant, Names actual, Names cached) {
        actual = sorted(std::move(actual));
        cached = sorted(std::move(cached));
        const auto lost = without(actual, cached), kept = without(cached, actual);
        if (lost.empty() && kept.empty()) return;
        log_.write(env::Severity::Info, 0, "Cache mismatch", {{missed, list_text(lost)}, {redundant, list_text(kept)}});
    };
    print("missedNodes", "redundantNodes", std::move(actual_nodes), std::move(cached_nodes));
    print("missedPods", "redundantPods", std::move(actual_pods), std::move(cached_pods));
    log_.write(env::Severity::Info, verbosity, "Cache comparer finished");
}

void CacheDebugger::dump() {
    const auto &nodes = scheduler_->cache().snapshot();
    std::string text;
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        const auto slot = nodes.order[i];
        if (i > 0) text += "\n\n";
        text += node_text(nodes, slot, scheduler_->nominations().on(model::view(nodes.name[slot])));
    }
    log_.write(env::Severity::Info, 0, "Dump of cached NodeInfo", {{"nodes", text}});
    const auto &queue = scheduler_->queue();
    text.clear();
    queue.each([&](const queue::QueuedPod &pod) { text += pod_text(*pod.pod); });
    log_.write(
        env::Severity::Info, 0, "Dump of scheduling queue",
        {{"summary", "activeQ:" + std::to_string(queue.active()) + "; backoffQ:" + std::to_string(queue.backing_off()) +
                         "; unschedulablePods:" + std::to_string(queue.unschedulable() + queue.gated())},
         {"pods", text}});
}

}  // namespace berth::live
