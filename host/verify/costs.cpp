// SPDX-License-Identifier: Apache-2.0
#include "verify/costs.h"
#include "model/look_ups.h"

#include "cluster/node_simulation.h"
#include "cycle/scores.h"

#include <algorithm>

namespace berth::verify {
namespace {

void ask_queue(const plugin::Instance &it, std::span<const model::PodPtr> pods) {
    plugin::CallContext call;
    for (const auto &pod : pods) {
        if (!it.pre_enqueue) break;
        const plugin::AboutPod about(pod);
        plugin::StatusSlot status;
        (void)plugin::counted(it, plugin::CalledPoint::PreEnqueue, 1,
                              [&] { it.pre_enqueue->pre_enqueue(it.self, call.call(), &pod->view, status.raw()); });
        call.free_scratch();
    }
    if (it.queue_sort && pods.size() > 1)
        (void)plugin::counted(it, plugin::CalledPoint::QueueSort, pods.size() - 1, [&] {
            for (std::size_t i = 1; i < pods.size(); ++i)
                (void)it.queue_sort->less(it.self, &pods[i - 1]->view, &pods[i]->view);
        });
}

/// A few placed pods are taken from their nodes and put back, as for a preemption.
void ask_simulations(World &world, Attempt &attempt) {
    constexpr std::uint32_t pods = 4;
    const plugin::Instance *it = &world.instance();
    if (!it->pre_filter_ext || attempt.nodes.pods->rows == 0) return;
    auto state = attempt.state.clone();
    auto &cache = world.stage.scheduler.cache();
    cache.reserve(pods);
    for (std::uint32_t i = 0; state && i < pods; ++i) {
        const auto &placed = *attempt.nodes.pods;
        const auto row = static_cast<std::uint32_t>(std::uint64_t{placed.rows} * i / pods);
        const auto slot = placed.node_slot[row];
        if (slot == BERTH_NO_SLOT) continue;
        const berth_pod other = *model::look_ups(placed).view_of(row);
        cluster::NodeSimulation simulation(cache, slot);
        simulation.take(row);
        (void)attempt.change(*state, false, other, slot);
        simulation.give_back(row);
        (void)attempt.change(*state, true, other, slot);
    }
}

void ask_about(World &world, const model::PodPtr &pod) {
    const auto &it = world.instance();
    Attempt attempt(world, pod);
    if (!attempt.pre_filter.success()) return;
    const auto search = attempt.search(attempt.state);
    const auto fitting = attempt.fitting(attempt.state);
    if (attempt.filters()) ask_simulations(world, attempt);
    cycle::Signatures signatures;
    std::string text;
    if (it.sign) (void)plugin::counted(it, plugin::CalledPoint::Sign, 1, [&] { signatures.add(search, it, 0, text); });
    if (fitting.empty()) return;
    cycle::Scores scores;
    (void)scores.run(search, signatures, {.slots = fitting}, false);
    if (!it.reserve) return;
    attempt.reserve(fitting.front());
    attempt.unreserve(fitting.front());
}

}  // namespace

void Costs::called(const plugin::Instance &, plugin::CalledPoint point, std::size_t slots, std::int64_t ns) {
    const auto now = HeapCounter::here();
    auto at = std::ranges::find(points_, point.text(), &Cost::point);
    if (at == points_.end()) at = points_.insert(at, Cost{.point = point});
    ++at->calls;
    at->units += slots;
    at->ns += ns;
    at->heap.allocations += now.allocations - before_.allocations;
    at->heap.bytes += now.bytes - before_.bytes;
    before_ = now;
}

Costs ask_everything(World &world, std::span<const model::PodPtr> pods) {
    Costs out;
    const plugin::CallEnvironment::CountedBy counting(world.stage.scheduler.calls(), &out);
    (void)world.snapshot();
    ask_queue(world.instance(), pods);
    for (const auto &pod : pods) ask_about(world, pod);
    return out;
}

std::vector<model::PodPtr> strangers(const Material &material, std::uint64_t seed, std::size_t count) {
    Random random(seed);
    ClusterMaker maker(random, material, first_stranger);
    std::vector<model::PodPtr> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(maker.pod(""));
    return out;
}

}  // namespace berth::verify
