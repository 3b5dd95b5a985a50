// SPDX-License-Identifier: Apache-2.0
// Tests with many nodes and many pods: the cost per node does not grow, and no memory is kept for deleted pods.
#include "verify/costs.h"
#include "verify/process_state.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace berth::verify {
namespace {

/// A point whose work may grow with the nodes, and no faster. Of PreFilter and PreScore a call is about all of them.
constexpr std::array<std::string_view, 5> points{"PreFilter", "Filter", "PreScore", "Score", "NormalizeScore"};

std::string text(double n) {
    char out[32];
    std::snprintf(out, sizeof out, n < 100 ? "%.1f" : "%.0f", n);
    return out;
}

/// What is asked of one pod takes what it takes on a machine that has nothing else to do: the least of many times.
class Quickest {
    World world_;
    double nodes_;
    std::map<std::pair<std::string_view, std::size_t>, double> ns_;  ///< per node, by point and pod

public:
    Quickest(Run &run, const Size &size) : world_(run, size), nodes_(static_cast<double>(size.nodes)) {}

    const Material &material() const { return world_.maker.material(); }
    void ask(std::span<const model::PodPtr> pods) {
        for (std::size_t i = 0; i < pods.size(); ++i) {
            const Costs costs = ask_everything(world_, pods.subspan(i, 1));
            for (const auto &cost : costs.points()) {
                const bool of_pod = cost.point.starts_with("Pre");
                const double ns = static_cast<double>(cost.ns) / (of_pod ? nodes_ : static_cast<double>(cost.units));
                const auto at = ns_.try_emplace({cost.point, i}, ns).first;
                at->second = std::min(at->second, ns);
            }
        }
    }
    double at(std::string_view point) const {
        double sum = 0;
        for (const auto &[what, ns] : ns_) sum += what.first == point ? ns : 0;
        return sum;
    }
};

/// Ten times the nodes make ten times the work, and a little more where caches end.
Found compare(const Quickest &small, const Quickest &large) {
    constexpr double most_times = 5, too_little_ns = 100;  // of all pods together
    for (auto point : points) {
        const double before = small.at(point), now = large.at(point);
        if (before == 0 || now < too_little_ns || now <= most_times * before) continue;
        return Finding{"about the same time for each node at " + std::string(point) +
                           ", however many there are: at most " + text(most_times) +
                           " times as much among 5000 as among 500",
                       text(now / before) + " times as much"};
    }
    return {};
}

Found time(Run &run) {
    constexpr std::size_t few = 500, many = 5000, placed = 1000, pods = 8;
    constexpr int tries = 4, rounds = 2;
    Quickest small(run, {few, placed, 0, true}), large(run, {many, placed, 0, true});
    Found found;
    // A slow plugin stays slow; a busy machine becomes idle some time.
    for (int i = 0; i < tries && (i == 0 || found); ++i) {
        for (int round = 0; round < rounds; ++round) {
            const auto sample = strangers(small.material(), run.seed, pods);
            small.ask(sample);
            large.ask(sample);
        }
        found = compare(small, large);
    }
    return found;
}

/// Asks about a pod, as a scheduler does that finds a node for it and then cannot bind it; or that finds none, since
/// other plugins reject it.
void ask_in_vain(World &world, bool fits) {
    Attempt attempt(world, world.maker.pod(""));
    if (!attempt.pre_filter.success()) return;
    const auto fitting = attempt.fitting(attempt.state);
    if (fitting.empty() || !fits) return;
    if (attempt.pre_score(attempt.state, fitting) && world.instance().score)
        (void)attempt.score(attempt.state, fitting);
    if (!world.instance().reserve) return;
    attempt.reserve(fitting.front());
    attempt.unreserve(fitting.front());
}

/// `n` pods are evaluated; as many run on nodes, and leave them when others have come. The most bytes that were
/// allocated meanwhile.
std::size_t pods_come_and_go(World &world, int n) {
    constexpr int looks = 50, rejected = 4;  // one in
    constexpr std::int64_t apart_ns = 10'000'000;
    auto &scheduler = world.stage.scheduler;
    std::size_t most = 0;
    for (int i = 0; i < n; ++i) {
        ask_in_vain(world, i % rejected != 0);
        world.stage.clock.advance_to(world.stage.clock.now_ns() + apart_ns);
        auto &leaves = world.placed[world.random.below(world.placed.size())];
        scheduler.observer().pod_deleted(leaves);
        leaves = world.maker.pod(std::string(world.nodes[world.random.below(world.nodes.size())]->name));
        scheduler.observer().pod_added(leaves);
        if (i % looks == 0) most = std::max(most, allocated_bytes());
    }
    return most;
}

/// What is kept for a while, here or in the host, has been as much as it gets when the second half begins.
Found memory(Run &run) {
    constexpr int half = 10'000;
    constexpr std::size_t most_bytes = 12;  // less than anything that is kept of a pod
    World world(run, {});
    world.maker.own_values = true;
    const auto before = pods_come_and_go(world, half), now = pods_come_and_go(world, half);
    if (now <= before + most_bytes * half) return {};
    return Finding{"nothing kept of pods that are gone, but what is bounded",
                   std::to_string((now - before) / half) + " bytes more for each of " + std::to_string(half) +
                       " pods, after as many others had come and gone"};
}

}  // namespace

std::vector<Test> scale_tests() {
    const std::vector<std::string_view> sample{BERTH_PLUGIN_PRE_FILTER_V1, BERTH_PLUGIN_FILTER_V1,
                                               BERTH_PLUGIN_PRE_SCORE_V1, BERTH_PLUGIN_SCORE_V1};
    return {{.name = "scale/time", .run = time, .interfaces = sample},
            {.name = "scale/memory", .run = memory, .interfaces = sample}};
}

}  // namespace berth::verify
