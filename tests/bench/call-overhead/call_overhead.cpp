// SPDX-License-Identifier: Apache-2.0
// What a call from the host into a plugin costs: one rule about 5,000 nodes, inlined here, and as the host calls it in
// a library by its two forms. Prints `form ns-per-node`, the least of many rounds, in which the forms take turns. The
// rounds are spread over some seconds, so that what another program does meanwhile does not decide.
#include "config/read.h"
#include "paths.h"
#include "plugin/call.h"
#include "plugin/catalog.h"
#include "plugin/meter.h"
#include "plugin/profile.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <thread>

namespace plugin = berth::plugin;

namespace {

constexpr std::uint32_t count = 5000;
constexpr int sittings = 20, rounds = 100;  ///< a round lasts some 60 µs

/// Columns as a snapshot has them. One node in ten is full.
struct Table {
    std::vector<std::uint32_t> slots, pods;
    std::vector<std::int64_t> allocatable_pods, allocatable_cpu, requested_cpu;
    berth_nodes view{};

    Table() {
        for (std::uint32_t i = 0; i < count; ++i) {
            slots.push_back(i);
            pods.push_back(i % 30);
            allocatable_pods.push_back(110);
            allocatable_cpu.push_back(32'000);
            requested_cpu.push_back(i % 10 == 0 ? 31'950 : i % 30'000);
        }
        view.struct_size = sizeof view;
        view.slots = view.count = count;
        view.order = slots.data();
        view.pod_count = pods.data();
        view.allocatable_pods = allocatable_pods.data();
        view.allocatable_cpu = allocatable_cpu.data();
        view.requested_cpu = requested_cpu.data();
    }
};

struct Answers {
    std::vector<std::int32_t> code = std::vector<std::int32_t>(count, BERTH_STATUS_NOT_EVALUATED);
    std::vector<std::uint32_t> reasons = std::vector<std::uint32_t>(count, BERTH_NO_REASONS);
    bool operator==(const Answers &) const = default;
};

void inlined(const berth_nodes &n, const berth_pod &pod, plugin::CallContext &call,
             std::span<const std::uint32_t> slots, Answers &out) {
    const auto cpu = pod.requests->cpu;
    auto reason = BERTH_NO_REASONS;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto slot = slots[i];
        if (n.pod_count[slot] < n.allocatable_pods[slot] && n.requested_cpu[slot] + cpu <= n.allocatable_cpu[slot]) {
            out.code[i] = BERTH_STATUS_SUCCESS;
            continue;
        }
        if (reason == BERTH_NO_REASONS) reason = call.reasons().intern({"node(s) had no room"});
        out.code[i] = BERTH_STATUS_UNSCHEDULABLE;
        out.reasons[i] = reason;
    }
}

/// As Filters::ask does it.
void called(const plugin::Instance &it, const berth_nodes &n, const berth_pod &pod, plugin::CallContext &call,
            plugin::State &state, std::span<const std::uint32_t> slots, Answers &out) {
    auto thrown = plugin::counted(it, plugin::CalledPoint::Filter, slots.size(), [&] {
        it.filter->filter(it.self, call.call(), state.handle(), &pod, &n, slots.data(), slots.size(), out.code.data(),
                          out.reasons.data());
    });
    call.free_scratch();
    if (!thrown.success()) std::exit(1);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return std::fputs("usage: berth_call_overhead LIBRARY\n", stderr), 2;
    auto configuration = berth::config::read(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: "
        "[{name: PrioritySort}, {name: DefaultBinder}, {name: ByBatch}, {name: ByNode}]}}}]\n",
        "call-overhead.yaml");
    auto catalog = plugin::Catalog::open(
        {{berth::paths::plugins()}, {{"ByBatch", argv[1], "ByBatch", {}}, {"ByNode", argv[1], "ByNode", {}}}, true});
    if (!configuration || !catalog) return std::fputs("the configuration or the plugins cannot be read\n", stderr), 1;
    auto profiles = plugin::build_profiles(*configuration, *catalog, {});
    if (!profiles) return std::fprintf(stderr, "%s\n", profiles.error().text.c_str()), 1;
    const plugin::Instance *by_batch = nullptr, *by_node = nullptr;
    for (const auto *it : profiles->front().filter) {
        if (it->name == "ByBatch") by_batch = it;
        if (it->name == "ByNode") by_node = it;
    }

    const Table table;
    berth_resources requests{};
    requests.cpu = 100;
    berth_pod pod{};
    pod.struct_size = sizeof pod;
    pod.requests = &requests;
    plugin::CallContext call;
    plugin::State state;
    call.reset(1, 1);

    Answers wanted, found;
    const std::span<const std::uint32_t> slots = table.slots;
    inlined(table.view, pod, call, slots, wanted);
    struct Form {
        const char *name;
        std::function<void()> run;
        double best = std::numeric_limits<double>::max();
    };
    Form forms[] = {
        {"inlined", [&] { inlined(table.view, pod, call, slots, found); }},
        {"batch", [&] { called(*by_batch, table.view, pod, call, state, slots, found); }},
        {"per-node", [&] { called(*by_node, table.view, pod, call, state, slots, found); }},
    };
    for (int round = 0; round < sittings * rounds; ++round) {
        if (round % rounds == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        for (auto &form : forms) {
            found = Answers{};
            auto begin = std::chrono::steady_clock::now();
            form.run();
            std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
            form.best = std::min(form.best, took.count() / count);
            if (!(found == wanted)) return std::fprintf(stderr, "%s answers something else\n", form.name), 1;
        }
    }
    for (const auto &form : forms) std::printf("%s %.2f\n", form.name, form.best);
}
