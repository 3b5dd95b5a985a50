// SPDX-License-Identifier: Apache-2.0
#include "verify/bench.h"

#include "plugin/fault.h"
#include "plugin/thrown.h"
#include "verify/costs.h"

#include <algorithm>
#include <array>

namespace berth::verify {
namespace {

using plugin::Interface;

/// A point that is measured, and the interface that a plugin has for it.
struct Point {
    std::string_view name, per;
    Interface interface;
};
constexpr std::array points{Point{"PreEnqueue", "pod", Interface::PreEnqueue},
                            Point{"QueueSort", "pair", Interface::QueueSort},
                            Point{"PreFilter", "pod", Interface::PreFilter},
                            Point{"Filter", "node", Interface::Filter},
                            Point{"RemovePod", "call", Interface::PreFilterExt},
                            Point{"AddPod", "call", Interface::PreFilterExt},
                            Point{"Sign", "pod", Interface::Sign},
                            Point{"PreScore", "pod", Interface::PreScore},
                            Point{"Score", "node", Interface::Score},
                            Point{"NormalizeScore", "node", Interface::Normalize},
                            Point{"Reserve", "pod", Interface::Reserve},
                            Point{"Unreserve", "pod", Interface::Reserve}};

/// Whether the plugin is called there. Two of the three ways to normalize are the host's own work.
bool has(const plugin::LoadedPlugin &loaded, const Point &point) {
    if (!loaded.tables.has(point.interface)) return false;
    return point.interface != Interface::Normalize ||
           loaded.tables.as<berth_plugin_normalize>(Interface::Normalize)->mode == BERTH_NORMALIZE_CUSTOM;
}

const Cost *find(const Costs &costs, std::string_view point) {
    const auto at = std::ranges::find(costs.points(), point, &Cost::point);
    return at == costs.points().end() ? nullptr : &*at;
}

/// What the host itself takes to make a call and to time it.
double empty_call_ns(World &world) {
    constexpr int times = 1000, rounds = 9;
    std::vector<double> all;
    for (int round = 0; round < rounds; ++round) {
        Costs costs;
        const plugin::CallEnvironment::CountedBy counting(world.stage.scheduler.calls(), &costs);
        for (int i = 0; i < times; ++i) (void)plugin::counted(world.instance(), plugin::CalledPoint::Filter, 1, [] {});
        all.push_back(static_cast<double>(costs.points().front().ns) / times);
    }
    return *std::ranges::min_element(all);
}

/// The median of the rounds, and the extremes.
void take_times(PointCost &out, const std::vector<Costs> &rounds, double empty_ns) {
    std::vector<double> ns;
    for (const auto &round : rounds)
        if (const auto *cost = find(round, out.point)) {
            const auto net = static_cast<double>(cost->ns) - empty_ns * static_cast<double>(cost->calls);
            ns.push_back(std::max(net, 0.0) / static_cast<double>(cost->units));
        }
    std::ranges::sort(ns);
    out.ns = ns[ns.size() / 2];
    out.least_ns = ns.front();
    out.most_ns = ns.back();
}

void measure(World &world, const plugin::LoadedPlugin &loaded, std::uint64_t seed, std::size_t pods, Bench &out) {
    std::vector<Costs> rounds;
    const auto round = [&] { return ask_everything(world, strangers(world.maker.material(), seed, pods)); };
    (void)round();  // what is done once in a plugin's life is done
    for (int i = 0; i < bench_rounds; ++i) rounds.push_back(round());
    const double empty_ns = empty_call_ns(world);
    const Costs counted = [&] {
        const HeapCounter counter;
        return round();
    }();
    for (const auto &point : points) {
        if (!has(loaded, point)) continue;
        const auto *cost = find(counted, point.name);
        if (!cost || cost->units == 0) {
            out.not_called.push_back(point.name);
            continue;
        }
        PointCost one{.point = point.name, .per = point.per, .calls = cost->calls, .units = cost->units};
        take_times(one, rounds, empty_ns);
        one.allocations = static_cast<double>(cost->heap.allocations) / static_cast<double>(cost->calls);
        one.bytes = static_cast<double>(cost->heap.bytes) / static_cast<double>(cost->calls);
        out.points.push_back(one);
    }
}

}  // namespace

model::Result<Bench> bench(Run &run, const BenchOrder &order) {
    auto loaded = run.subject.find();
    if (!loaded) return loaded.error();
    {
        Stage stage(run.seed);
        if (auto made = run.subject.make(stage.services); !made) return made.error();
    }
    Bench out{run.subject.plugin, std::string(plugin::text_of((*loaded)->plugin->version))};
    std::vector<std::string> misbehaviour;
    auto failed = plugin::thrown_by([&] {
        World world(run, {order.nodes, order.placed, 0, true});
        measure(world, **loaded, run.seed, order.pods, out);
        misbehaviour = world.stage.complaints.misbehaviour();
    });
    if (failed) return model::Error{*failed};
    if (!misbehaviour.empty())
        return model::Error{run.subject.file + "#" + run.subject.plugin + ": " + misbehaviour.front() +
                            "; what it costs means nothing until berth plugin verify passes"};
    return out;
}

}  // namespace berth::verify
