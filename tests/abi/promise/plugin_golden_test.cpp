// SPDX-License-Identifier: Apache-2.0
// Libraries that were built once and are kept as files (tests/abi/golden) load in this host, and every call of theirs
// is answered as it was when its trace was recorded. GOLDEN=1 in the environment writes the traces, which may be done
// until ABI 1.0.
#include "plugin_world.h"
#include "simulation/steps/running_world.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace model = berth::model;
namespace plugin = berth::plugin;

namespace {

/// What is called of one plugin, and what it answers: one line a call, or a line for each node that a call is about.
struct Trace {
    std::vector<std::string> lines;
    plugin::Instance real;  ///< the tables of the plugin

    void line(const char *point, const berth_pod *pod, const std::string &answer) {
        lines.push_back(std::string(point) + " " + std::string(model::view(pod->name)) + ": " + answer);
    }
    template <class T>
    void nodes(const char *point, const berth_pod *pod, const berth_nodes *nodes, const std::uint32_t *slots,
               std::uint64_t n, const T *answers) {
        for (std::uint64_t i = 0; i < n; ++i)
            line(point, pod, std::string(model::view(nodes->name[slots[i]])) + " " + std::to_string(answers[i]));
    }
};
Trace *trace = nullptr;  // the tables have no place for it

const berth_plugin_pre_filter spy_pre_filter{
    sizeof spy_pre_filter, 0,
    [](void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
       berth_restrict *only, berth_status *status) {
        trace->real.pre_filter->pre_filter(self, call, state, pod, nodes, only, status);
        trace->line("PreFilter", pod, std::to_string(status->code));
    }};
const berth_plugin_filter spy_filter{
    sizeof spy_filter, 0,
    [](void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
       const std::uint32_t *slots, std::uint64_t n, std::int32_t *code, std::uint32_t *reasons) {
        trace->real.filter->filter(self, call, state, pod, nodes, slots, n, code, reasons);
        trace->nodes("Filter", pod, nodes, slots, n, code);
    }};
const berth_plugin_pre_score spy_pre_score{
    sizeof spy_pre_score, 0,
    [](void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
       const std::uint32_t *slots, std::uint64_t n, berth_status *status) {
        trace->real.pre_score->pre_score(self, call, state, pod, nodes, slots, n, status);
        trace->line("PreScore", pod, std::to_string(status->code));
    }};
const berth_plugin_score spy_score{
    sizeof spy_score, 0,
    [](void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
       const std::uint32_t *slots, std::uint64_t n, std::int64_t *out, berth_status *status) {
        trace->real.score->score(self, call, state, pod, nodes, slots, n, out, status);
        trace->nodes("Score", pod, nodes, slots, n, out);
    }};
const berth_plugin_normalize spy_normalize{
    sizeof spy_normalize, 0, BERTH_NORMALIZE_CUSTOM, 0,
    [](void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
       const std::uint32_t *slots, std::uint64_t n, std::int64_t *inout, berth_status *status) {
        trace->real.normalize->normalize(self, call, state, pod, nodes, slots, n, inout, status);
        trace->nodes("NormalizeScore", pod, nodes, slots, n, inout);
    }};

/// Takes the place of the plugin's functions.
void watch(plugin::Instance &it) {
    auto take = [](auto &table, auto &real, const auto &spy) {
        real = table;
        if (table) table = &spy;
    };
    take(it.pre_filter, trace->real.pre_filter, spy_pre_filter);
    take(it.filter, trace->real.filter, spy_filter);
    take(it.pre_score, trace->real.pre_score, spy_pre_score);
    take(it.score, trace->real.score, spy_score);
    if (!it.normalize || it.normalize->mode != BERTH_NORMALIZE_CUSTOM) return;  // then the host has the formula
    take(it.normalize, trace->real.normalize, spy_normalize);
}

struct Decisions : berth::DecisionSink {
    model::Detail detail() const override { return model::Detail::Summary; }
    void decision(const model::Decision &d) override {
        trace->lines.push_back("= " + d.pod.name + ": " + (d.node.empty() ? d.message : d.node));
    }
    void event(const model::DecisionEvent &) override {}
};

struct Golden {
    const char *file, *plugin, *args;
    bool ours;  ///< this build makes a library of the same name
};

/// One world for all: nodes of several depths and images, pods that come and one that is there.
std::vector<std::string> played(const Golden &golden, const std::string &library) {
    Trace recorded;
    trace = &recorded;
    auto catalog = plugin::Catalog::open({{berth::paths::plugins()}, {{"Golden", library, golden.plugin, {}}}, true});
    if (!catalog) FAIL(catalog.error().text);
    auto configuration =
        berth::config::read(std::string("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                                        "profiles: [{plugins: {multiPoint: {enabled: [{name: Golden, weight: 100}]}}, "
                                        "pluginConfig: [{name: Golden, args: ") +
                                golden.args + "}]}]\n",
                            "c.yaml");
    if (!configuration) FAIL(configuration.error().text);
    berth::sim::VirtualClock clock{1'767'225'600'000'000'000};
    plugin_world::Api api;
    Decisions decisions;
    berth::Scheduler scheduler{clock, nullptr, decisions, {}};
    plugin::Services services;
    services.clock = &clock;
    services.api = &api;
    services.seed = 7;
    scheduler.offer(services);
    auto profiles = plugin::build_profiles(*configuration, *catalog, services);
    if (!profiles) FAIL(profiles.error().text);
    for (auto &instance : profiles->front().instances)
        if (instance->name == "Golden") watch(*instance);
    scheduler.use(*std::move(profiles));

    for (int i = 1; i <= 4; ++i) {
        auto n = std::to_string(i), depth = i == 2 ? "" : ", labels: {depth: '" + std::to_string(i * 4) + "'}";
        scheduler.observer().node_added(running_world::node_of(
            "{apiVersion: v1, kind: Node, metadata: {name: n" + n + depth +
            "}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}, images: [{names: ['example/a:" + n +
            "'], sizeBytes: 1000}]}}"));
    }
    auto pod = [&](const std::string &name, const std::string &image, const char *draught, const char *spec = "") {
        scheduler.observer().pod_added(running_world::pod_of(
            "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default, uid: u-" + name +
            ", labels: {draught: '" + draught + "'}}, spec: {" + spec + "containers: [{name: c, image: " + image +
            ", resources: {requests: {cpu: 500m}}}]}}"));
    };
    pod("here", "example/a:3", "0", "nodeName: n3, ");
    pod("one", "example/a:3", "0");
    pod("two", "example/a:1", "10");
    pod("deep", "example/a:1", "99");
    pod("odd", "example/a:1", "many");
    pod("three", "example/a:3", "3");
    pod("four", "example/b:1", "16");
    for (std::size_t answered = 0;;) {
        if (clock.run() || scheduler.schedule_one()) continue;
        if (answered == api.sent.size()) break;
        auto done = std::move(api.sent[answered++].second);
        done({201, "{}"});
    }
    trace = nullptr;
    return recorded.lines;
}

std::vector<std::string> lines_of(const std::string &file) {
    std::ifstream in(file);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

}  // namespace

TEST_CASE("golden: libraries that were built long ago are called and answer as when they were recorded", "[plugin]") {
    const Golden all[] = {
        {"prefilter-maxpods", "MaxPods", "{maxPods: 4}", true},
        {"score-random", "RandomScore", "{}", true},
        {"score-imagelocality", "RunningImageLocality", "{}", true},
        {"pods-per-node", "PodsPerNode", "{max: 1}", false},
        {"draught", "Draught", "{spare: 1}", false},
    };
#ifndef __x86_64__
    SUCCEED("the golden libraries are of x86-64");
    return;
#endif
    std::set<std::string> kept, named;
    for (const auto &file : std::filesystem::directory_iterator(berth::paths::source() + "/tests/abi/golden"))
        if (file.path().extension() == ".so") kept.insert(file.path().stem());
    for (const auto &golden : all) named.insert(golden.file);
    named.insert({"before-candidate", "first-candidate", "second-candidate"});
    CHECK(kept == named);
    for (const auto &golden : all) {
        INFO(golden.file);
        auto base = berth::paths::source() + "/tests/abi/golden/" + golden.file;
        auto found = played(golden, base + ".so");
        if (const char *write = std::getenv("GOLDEN"); write && *write) {
            std::ofstream out(base + ".trace");
            for (const auto &line : found) out << line << '\n';
        }
        CHECK(found.size() > 6);
        CHECK(lines_of(base + ".trace") == found);
        // What is built today of the same source's descendant says the same.
        if (golden.ours) CHECK(played(golden, berth::paths::plugins() + "/" + golden.file + ".so") == found);
    }
}

TEST_CASE("golden: libraries from before the candidate of ABI 1.0 are refused by name, and not called", "[plugin]") {
#ifndef __x86_64__
    SUCCEED("the golden libraries are of x86-64");
    return;
#endif
    for (const auto &[name, entry] : {std::pair<std::string, std::string>{"before-candidate", "berth_entry_v1"},
                                      {"first-candidate", "berth_entry_abi1"},
                                      {"second-candidate", "berth_library_abi1"}}) {
        INFO(name);
        auto loaded = plugin::load_library(berth::paths::source() + "/tests/abi/golden/" + name + ".so", {true, {}});
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().text.ends_with(": exports " + entry +
                                            " and no berth_plugins_abi1: it was built for the plugin ABI as it was "
                                            "before the candidate of 1.0; build it again with the headers of this "
                                            "Berth"));
    }
}
