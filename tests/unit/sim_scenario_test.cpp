// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include "catch.h"

#include <ctime>

using namespace berth;
using std::chrono::milliseconds;

namespace {

model::Result<sim::Scenario> read(const std::string &yaml) {
    auto document = decode::read_document(yaml, "s.yaml");
    if (!document) FAIL(document.error().text);
    return sim::read_scenario(*document);
}

const std::string head = "apiVersion: berth/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n";

}  // namespace

TEST_CASE("sim: a scenario is read, steps and expectations in the order of time", "[sim]") {
    auto s = read(head + R"(description: a scenario
configuration: {kind: KubeSchedulerConfiguration}
objects: [{kind: Node, metadata: {name: a}}]
timeline:
- at: 5s
  delete: [{kind: Pod, name: p}, {kind: Node, name: a}, {kind: PersistentVolume, name: v}]
- at: 1500ms
  patch: [{kind: Node, name: a, patch: {spec: {x: null}}}]
  drain: [a]
  finish: [p, other/q]
expect:
- placed: {p: a, other/q: [a, b], r: null}
- at: 2s
  pending: {p: "why", q: null}
  gone: [x/y]
)");
    REQUIRE(s);
    CHECK(s->name == "s");
    CHECK(s->configuration->value()["kind"].string() == "KubeSchedulerConfiguration");
    REQUIRE(s->objects.size() == 1);
    CHECK(s->objects[0].where(s->objects[0].value()["metadata"]["name"]) == "s.yaml:6:41");
    REQUIRE(s->timeline.size() == 2);
    CHECK(s->timeline[0].at == milliseconds(1500));
    CHECK(s->timeline[0].patch[0].patch->value()["spec"].size() == 1);
    CHECK(s->timeline[0].finish[1].key() == "other/q");
    CHECK(s->timeline[0].drain[0].key() == "a");
    const auto &removed = s->timeline[1].remove;
    CHECK(removed[0].key() == "default/p");
    CHECK(removed[1].key() == "a");
    CHECK(removed[2].key() == "v");
    CHECK(removed[1].where == "s.yaml:9:34: timeline[0].delete[1]");
    REQUIRE(s->expectations.size() == 6);
    CHECK(s->expectations[0].message == "why");
    CHECK_FALSE(s->expectations[1].message);
    CHECK(s->expectations[2].what == sim::Expected::Gone);
    CHECK(s->expectations[2].pod.key() == "x/y");
    CHECK_FALSE(s->expectations[3].at);
    CHECK(s->expectations[4].nodes == std::vector<std::string>{"a", "b"});
    CHECK(s->expectations[5].nodes.empty());
}

TEST_CASE("sim: a scenario names the release and the gates that decide", "[sim]") {
    auto s = read(head + "kubernetesVersion: v1.37.2\nfeatureGates: {A: true, B: false}\n");
    REQUIRE(s);
    CHECK(s->release == config::Release::of("1.37"));
    CHECK(sim::release_of(*s) == *s->release);
    CHECK(s->gates.values == std::map<std::string, bool>{{"A", true}, {"B", false}});
    CHECK(s->gates.place == "s.yaml:5:15: featureGates");
    s = read(head + "featureGates: {}\n");
    REQUIRE(s);
    CHECK_FALSE(s->release);
    CHECK(sim::release_of(*s) == config::Release());
    CHECK(sim::release_of({}) == config::Release());
    CHECK(s->gates.values.empty());
    s = read(head +
             "kubernetesVersion: ''\nfeatureGates: {A: 1, B: null, 'kube:C': true, ' D ': true, 'E=true,F': true, '': "
             "true}\n");
    REQUIRE_FALSE(s);
    CHECK(s.error().text ==
          "s.yaml:4:20: kubernetesVersion: expected 1.36 or 1.37 in quotes, got \"\"\n"
          "s.yaml:5:19: featureGates.A: expected true or false, got a number\n"
          "s.yaml:5:25: featureGates.B: expected true or false, got null\n"
          "s.yaml:5:31: featureGates: expected the name of a feature gate, of letters and digits, got \"kube:C\"\n"
          "s.yaml:5:47: featureGates: expected the name of a feature gate, of letters and digits, got \" D \"\n"
          "s.yaml:5:60: featureGates: expected the name of a feature gate, of letters and digits, got \"E=true,F\"\n"
          "s.yaml:5:78: featureGates: expected the name of a feature gate, of letters and digits, got \"\"");
}

TEST_CASE("sim: every fault of a scenario is told at once, with its place", "[sim]") {
    auto s = read(R"(apiVersion: berth/v2
kind: Scenario
objects: [7]
timeline:
- delete: [{kind: Pod}, {name: p}, {kind: Node, name: a, namespace: n}]
- at: -1s
  finish: [/x, a/b/c]
  patch: [{kind: Pod, name: p}]
  undelete: []
expect:
- at: 5
  placed: {a: 1, b: []}
  pending: {c: []}
)");
    REQUIRE_FALSE(s);
    CHECK(s.error().text == R"(s.yaml:1:1: metadata: expected the scenario's name, as in metadata: {name: preemption}
s.yaml:1:13: apiVersion: expected berth/v1alpha1, got "berth/v2"
s.yaml:3:11: objects[0]: expected an object, got a number
s.yaml:5:3: timeline[0]: expected a time, such as at: 5s
s.yaml:5:12: timeline[0].delete[0]: expected a name
s.yaml:5:25: timeline[0].delete[1]: expected a kind, such as kind: Pod
s.yaml:5:69: timeline[0].delete[2].namespace: a Node has no namespace
s.yaml:6:7: timeline[1].at: expected a time from the start, such as "5s", of at most 876000h
s.yaml:7:12: timeline[1].finish[0]: expected a pod's name, or namespace/name
s.yaml:7:16: timeline[1].finish[1]: expected a pod's name, or namespace/name
s.yaml:8:11: timeline[1].patch[0]: expected a patch, such as patch: {spec: {unschedulable: true}}
s.yaml:9:3: timeline[1].undelete: unknown field; did you mean "delete"?
s.yaml:11:7: expect[0].at: expected a duration such as "15s" or "1m30s", got a number
s.yaml:12:15: expect[0].placed.a: expected a node's name, a list of them, or null for any, got a number
s.yaml:12:21: expect[0].placed.b: expected a node's name, a list of them, or null for any, got a list
s.yaml:13:16: expect[0].pending.c: expected the condition's message, or null for any, got a list)");
}

TEST_CASE("sim: a scenario has an end", "[sim]") {
    CHECK(read(head + "timeline: [{at: 876000h}]\nexpect: [{at: 876000h}]\n"));
    for (const char *late : {"876000h1ns", "2562047h"}) {
        CAPTURE(late);
        auto s = read(head + "timeline: [{at: " + late + "}]\nexpect: [{at: " + late + "}]\n");
        REQUIRE_FALSE(s);
        const std::string why = "at: expected a time from the start, such as \"5s\", of at most 876000h";
        CHECK(s.error().text == "s.yaml:4:17: timeline[0]." + why + "\ns.yaml:5:15: expect[0]." + why);
    }
}

TEST_CASE("sim: times are written as short as they are", "[sim]") {
    CHECK(sim::duration_text(milliseconds(0)) == "0s");
    CHECK(sim::duration_text(milliseconds(1500)) == "1.5s");
    CHECK(sim::duration_text(std::chrono::nanoseconds(2'000'000'001)) == "2.000000001s");
    CHECK(sim::duration_text(std::chrono::minutes(2)) == "120s");
}

TEST_CASE("sim: four times the steps of a scenario take about four times as long to read", "[sim]") {
    auto cost = [](int steps, const std::string &begin, const std::string &end, const std::string &joint) {
        std::string text = begin;
        for (int i = 0; i < steps; ++i)
            text += (i > 0 ? joint : "") + R"({"at": ")" + std::to_string(i) +
                    R"(s", "apply": [{"apiVersion": "v1", "kind": "Pod"}], "delete": [{"kind": "Pod", "name": "p"}],)" +
                    R"("finish": ["p"], "patch": [{"kind": "Pod", "name": "p", "patch": {}}]})";
        auto document = decode::read_document(text + end, "s.yaml");
        REQUIRE(document);
        auto least = std::clock_t{0};
        for (int i = 0; i < 3; ++i) {
            const auto before = std::clock();
            auto s = sim::read_scenario(*document);
            const auto took = std::clock() - before;
            REQUIRE(s);
            REQUIRE(s->timeline.size() == static_cast<std::size_t>(steps));
            CHECK(s->timeline.back().finish[0].where.find("timeline[" + std::to_string(steps - 1) + "].finish[0]") !=
                  std::string::npos);
            if (i == 0 || took < least) least = took;
        }
        return static_cast<double>(least) / CLOCKS_PER_SEC;
    };
    auto ratio = [&](int steps, const std::string &begin, const std::string &end, const std::string &joint) {
        return cost(steps, begin, end, joint) / cost(steps / 4, begin, end, joint);
    };
    CHECK(ratio(4'000, head + "timeline:\n- ", "\n", "\n- ") < 8);
    CHECK(ratio(20'000,
                R"({"apiVersion": "berth/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}, "timeline": [)",
                "]}", ",\n") < 8);
}
