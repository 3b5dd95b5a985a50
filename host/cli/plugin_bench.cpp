// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_bench.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "model/build.h"
#include "plugin/fault.h"
#include "plugin/sources.h"
#include "report/table.h"
#include "verify/bench.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>

namespace berth::cli {
namespace {

/// Few digits where they mean something: "9.3", "1,240".
std::string number(double n) {
    constexpr double whole = 100;
    if (n >= whole || n == std::floor(n)) return report::grouped(static_cast<std::uint64_t>(std::llround(n)));
    char text[16];
    std::snprintf(text, sizeof text, "%.1f", n);
    return text;
}

void print(const verify::Bench &bench) {
    std::cout << report::printable(bench.plugin) << (bench.version.empty() ? "" : " ")
              << report::printable(bench.version) << '\n';
    report::Table table({"POINT", "PER", ">NS", ">LEAST", ">MOST", ">CALLS", ">ALLOCATIONS", ">BYTES"});
    for (const auto &p : bench.points)
        table.add({std::string(p.point), std::string(p.per), number(p.ns), number(p.least_ns), number(p.most_ns),
                   report::grouped(p.calls), number(p.allocations), number(p.bytes)});
    if (table.size() > 0) std::cout << table.text(2);
    std::string missed;
    for (auto point : bench.not_called) missed.append(missed.empty() ? "" : ", ").append(point);
    if (!missed.empty()) std::cout << "  not called, each pod was skipped or rejected before: " << missed << '\n';
    if (bench.points.empty() && missed.empty()) std::cout << "  it has none of the points that are measured\n";
}

model::ObjectBuilder as_json(model::Arena &arena, const verify::Bench &bench) {
    model::ArrayBuilder points(arena), missed(arena);
    for (const auto &p : bench.points) {
        model::ObjectBuilder ns(arena), one(arena);
        ns.add("median", p.ns).add("least", p.least_ns).add("most", p.most_ns);
        one.add("point", p.point).add("per", p.per).add("ns", ns).add("calls", p.calls).add("units", p.units);
        points.add(one.add("allocations", p.allocations).add("bytes", p.bytes).value());
    }
    for (auto point : bench.not_called) missed.add(point);
    model::ObjectBuilder out(arena);
    out.add("name", std::string_view{bench.plugin}).add("version", std::string_view{bench.version});
    return out.add("points", points).add("notCalled", missed);
}

void print_json(const PluginBenchOptions &options, const verify::BenchOrder &order,
                const std::vector<verify::Bench> &all) {
    model::Arena arena;
    model::ArrayBuilder plugins(arena);
    for (const auto &bench : all) plugins.add(as_json(arena, bench).value());
    model::ObjectBuilder root(arena);
    root.add("file", std::string_view{options.file}).add("seed", options.seed).add("nodes", order.nodes);
    root.add("placed", order.placed).add("pods", order.pods).add("rounds", verify::bench_rounds);
    const auto value = root.add("plugins", plugins).value();
    std::cout << decode::to_json(model::Value{&value}, 2) << '\n';
}

}  // namespace

void PluginBenchOptions::add(CLI::App &command) {
    command.footer(
        "NS is the median of the rounds, LEAST and MOST are the quickest and the slowest. ALLOCATIONS and BYTES are "
        "those "
        "of one\ncall, on average. Exit codes: 0 done, 1 a plugin or a point of it could not be measured,\n2 wrong "
        "usage.");
    command.add_option("--nodes", nodes, "Nodes of the generated cluster")
        ->excludes("--cluster")
        ->excludes("--scenario")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
    command.add_option("--pods", pods, "Pods that the plugin is asked about, in each round")
        ->capture_default_str()
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
}

int plugin_bench(const PluginBenchOptions &options) {
    const verify::FileAndPlugin given(options.file);
    const auto configuration = options.configuration();
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    const plugin::LoadOptions how{options.insecure, {}};
    auto library = plugin::load_library(given.file, how);
    if (!library) return refuse(library.error().text);
    std::vector<std::string> names;
    for (const auto &one : (*library)->plugins) names.emplace_back(plugin::text_of(one.plugin->name));
    if (!given.plugin.empty()) {
        if (!(*library)->find(given.plugin))
            return refuse(given.file + ": holds no plugin " + plugin::in_quotes(given.plugin) + "; it holds " +
                          plugin::listed(names));
        names = {given.plugin};
    }
    verify::BenchOrder order{options.nodes, options.nodes * 2, options.pods};
    if (options.cluster.given()) {
        auto cluster = options.cluster.read({});
        if (!cluster) return refuse(cluster.error().text);
        order.nodes = cluster->nodes.size();
        order.placed = static_cast<std::size_t>(
            std::ranges::count_if(cluster->pods, [](const auto &pod) { return !pod->node_name().empty(); }));
    }
    if (!options.json)
        std::cout << report::grouped(order.nodes) << " nodes, " << report::grouped(order.placed)
                  << " pods on them; called for " << report::grouped(order.pods) << " pods in each of "
                  << verify::bench_rounds << " rounds (seed " << options.seed << ")\n";
    std::vector<verify::Bench> all;
    int code = done;
    for (const auto &name : names) {
        verify::Subject subject(given.file, name, how, *configuration);
        verify::Run run(subject, options.seed, options.cluster);
        auto bench = verify::bench(run, order);
        if (!bench) {
            code = answer_is_no;
            std::cerr << "berth: " << bench.error().text << '\n';
            continue;
        }
        if (!options.json) {
            std::cout << '\n';
            print(*bench);
            std::cout << std::flush;
        }
        if (!bench->not_called.empty()) code = answer_is_no;
        all.push_back(*std::move(bench));
    }
    if (options.json) print_json(options, order, all);
    return code;
}

}  // namespace berth::cli
