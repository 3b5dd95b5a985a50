// SPDX-License-Identifier: Apache-2.0

// DefaultPreemption in the simulated world: who gives way to whom, and what becomes of both.

#include "running_world.h"

using namespace running_world;

namespace {

const std::string profile = "profiles: [{schedulerName: default-scheduler}]\n";
const model::Kind budgets = model::kind_of("policy", "v1", "poddisruptionbudgets");

model::NodePtr four_cpus(const std::string &name) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   "}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}");
}

/// A pod of `cpu` CPUs; `spec` and `status` are further fields in flow style, `spec` with a comma behind.
model::PodPtr wants(const std::string &name, int cpu, int priority, const std::string &spec = "",
                    const std::string &status = "", const std::string &app = "none") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {app: " + app +
                  "}}, spec: {priority: " + std::to_string(priority) + ", " + spec +
                  " containers: [{name: c, image: i, resources: {requests: {cpu: " + std::to_string(cpu) +
                  "}}}]}, status: {" + status + "}}");
}
model::PodPtr on(const std::string &node, const std::string &name, int cpu, int priority, int started = 0,
                 const std::string &app = "none") {
    return wants(name, cpu, priority, "nodeName: " + node + ",",
                 "startTime: '2026-01-01T00:00:0" + std::to_string(started) + "Z'", app);
}
sim::InputObject budget(const std::string &app, int allowed) {
    return {budgets,
            model::read_object(tree_of("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: "
                                       "default, name: b-" +
                                       app + "}, spec: {selector: {matchLabels: {app: " + app +
                                       "}}}, status: {disruptionsAllowed: " + std::to_string(allowed) + "}}"),
                               budgets, no_faults)};
}

/// A pod comes, and things take their course.
void comes(RunningWorld &world, const model::PodPtr &pod) {
    CHECK(world.world().store().put(sim::pod_kind, *pod->tree));
    world.run();
}

/// Of these pods, those that are gone.
std::string evicted(const RunningWorld &world, const std::vector<std::string> &names) {
    std::string gone;
    for (const auto &name : names)
        if (!world.stored(name)) gone += (gone.empty() ? "" : " ") + name;
    return gone;
}

}  // namespace

TEST_CASE("preemption: as few pods as possible leave, the least important ones, and the pod comes", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "old", 1, 1, 1), on("n", "young", 1, 1, 5), on("n", "low", 1, 0, 2), on("n", "high", 1, 50),
                  wants("p", 2, 10)};
    RunningWorld world(profile, input);
    CHECK(evicted(world, {"old", "young", "low", "high"}) == "young low");
    CHECK(world.node_of("p") == "n");
    CHECK(world.seconds() == 30);
    // Nobody asked for the pod before its victims had gone.
    CHECK(world.sink.last.at("default/p").attempt == 2);
}

TEST_CASE("preemption: it names its victims, the most important one first", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "low", 1, 0), on("n", "old", 1, 1, 1), on("n", "young", 1, 1, 5), on("n", "high", 1, 50)};
    RunningWorld world(profile, input);
    const auto p = wants("p", 2, 10);
    CHECK(world.world().store().put(sim::pod_kind, *p->tree));
    world.clock().run();
    CHECK(world.scheduler.schedule_one());
    world.clock().run();
    const model::Victims expected{{"default/young", "default/low"}, 0, ""};
    CHECK(world.sink.last.at("default/p").victims == expected);
    CHECK(world.sink.last.at("default/p").post_filter.back().victims == expected);
    CHECK(world.scheduler.scheduling_state(world.stored("p")).victims == expected);
    world.run();
    CHECK(world.scheduler.scheduling_state(world.stored("p")).victims == model::Victims{});
    CHECK(world.sink.last.at("default/p").victims == model::Victims{});
}

TEST_CASE("preemption: arguments that ask for no candidate have none", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "low", 4, 0), wants("p", 2, 10)};
    auto with = [](int absolute) {
        return "profiles: [{pluginConfig: [{name: DefaultPreemption, args: {minCandidateNodesPercentage: 10, "
               "minCandidateNodesAbsolute: " +
               std::to_string(absolute) + "}}]}]\n";
    };
    RunningWorld none(with(0), input);
    CHECK(none.stored("low"));
    CHECK(none.message("p") ==
          "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are "
          "available: "
          "1 Preemption is not helpful for scheduling.");
    CHECK(RunningWorld(with(1), input).node_of("p") == "n");
}

TEST_CASE("preemption: the node whose victims matter least", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("a"), four_cpus("b"), four_cpus("c")};
    SECTION("lower highest priority") {
        input.pods = {on("a", "a1", 4, 3), on("b", "b1", 2, 2), on("b", "b2", 2, 2), on("c", "c1", 4, 4)};
    }
    SECTION("smaller sum") {
        input.pods = {on("a", "a1", 2, 3), on("a", "a2", 2, 2), on("b", "b1", 2, 3), on("b", "b2", 2, 1),
                      on("c", "c1", 4, 4)};
    }
    SECTION("fewer victims: each counts, whatever its priority") {
        input.pods = {on("a", "a1", 2, -5), on("a", "a2", 2, -5), on("b", "b1", 4, -5), on("c", "c1", 4, 4)};
    }
    SECTION("more victims, but of so little priority that they count less: a pod is worth 2^31 beside it") {
        input.pods = {on("a", "a1", 2, 0),           on("a", "a2", 2, 0),           on("b", "b1", 1, 0),
                      on("b", "b2", 1, -1500000000), on("b", "b3", 2, -1500000000), on("c", "c1", 4, 4)};
    }
    SECTION("younger") { input.pods = {on("a", "a1", 4, 3, 1), on("b", "b1", 4, 3, 2), on("c", "c1", 4, 4)}; }
    input.pods.push_back(wants("p", 4, 10));
    RunningWorld world(profile, input);
    CHECK(world.node_of("p") == "b");
    CHECK(world.stored("c1"));
}

TEST_CASE("preemption: budgets are kept where they can be, and broken where they must be", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "guarded", 2, 0, 0, "web"), on("n", "other", 2, 5), wants("p", 2, 10)};
    input.objects = {budget("web", 0)};
    SECTION("another node's victims are not guarded") {
        input.nodes.push_back(four_cpus("m"));
        input.pods.push_back(on("m", "costly", 4, 9));
        input.pods[2] = wants("p", 4, 10);
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"guarded", "other", "costly"}) == "costly");
    }
    SECTION("the guarded pod is the first to stay") {
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"guarded", "other"}) == "other");
    }
    SECTION("a budget that allows one guards none of one") {
        input.objects = {budget("web", 1)};
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"guarded", "other"}) == "guarded");
    }
    SECTION("nothing else helps") {
        input.pods[2] = wants("p", 4, 10);
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"guarded", "other"}) == "guarded other");
        CHECK(world.node_of("p") == "n");
    }
}

TEST_CASE("preemption: who gets nothing is told why", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("a"), four_cpus("b")};
    input.pods = {on("a", "equal", 4, 10), on("b", "small", 1, 0)};
    const std::string start = "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: ";
    SECTION("no victims, or too few") {
        input.pods.push_back(wants("p", 4, 10));
        input.pods.push_back(on("b", "equal-too", 2, 10));
        RunningWorld world(profile, input);
        CHECK(world.message("p") == start +
                                        "0/2 nodes are available: 1 Insufficient cpu, 1 No preemption victims found "
                                        "for incoming pod.");
    }
    SECTION("no node would ever do") {
        input.pods.push_back(wants("p", 5, 10));
        RunningWorld world(profile, input);
        CHECK(world.message("p") == start + "0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    }
    SECTION("the pod does not want to") {
        input.pods.push_back(wants("p", 4, 10, "preemptionPolicy: Never,"));
        RunningWorld world(profile, input);
        CHECK(world.message("p") == start + "not eligible due to preemptionPolicy=Never.");
    }
}

TEST_CASE("preemption: a pod with a promise waits for those who leave because of it", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("a"), four_cpus("b")};
    const std::string leaving = "conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}]";
    input.pods = {pod_of("{apiVersion: v1, kind: Pod, metadata: {name: going, deletionTimestamp: "
                         "'2026-01-01T00:01:00Z'}, spec: {nodeName: a, priority: 1, containers: [{name: c, image: i, "
                         "resources: {requests: {cpu: 4}}}]}, status: {" +
                         leaving + "}}"),
                  on("b", "other", 4, 1), wants("p", 4, 10, "", "nominatedNodeName: a")};
    RunningWorld world(profile, input);
    CHECK(world.message("p") ==
          "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to a "
          "terminating pod on the nominated node.");
    CHECK(world.stored("other"));
    CHECK(world.stored("p")->nominated_node() == "a");
}

TEST_CASE("preemption: a promise to a lesser pod is taken back", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "victim", 4, 0), wants("first", 4, 10, "preemptionPolicy: Never,", "nominatedNodeName: n"),
                  wants("greater", 4, 100)};
    RunningWorld world(profile, input);
    CHECK(world.node_of("greater") == "n");
    CHECK(world.stored("first")->nominated_node().empty());
}

TEST_CASE("preemption: a promise to an equal pod is kept", "[sim]") {
    sim::Input input;
    input.nodes = {
        node_of("{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '8', memory: "
                "8Gi, pods: '10'}}}")};
    input.pods = {on("n", "victim", 8, 0), wants("first", 4, 10, "preemptionPolicy: Never,", "nominatedNodeName: n"),
                  wants("equal", 4, 10)};
    RunningWorld world(profile, input);
    CHECK(world.node_of("equal") == "n");
    CHECK(world.node_of("first") == "n");
    CHECK(std::ranges::none_of(world.api.asked,
                               [](const auto &r) { return r.name == "first" && r.subresource == "status"; }));
}

TEST_CASE("preemption: budgets are those of the moment", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "guarded", 2, 0, 0, "web"), on("n", "other", 2, 5), wants("p", 2, 10)};
    input.objects = {budget("web", 0)};
    RunningWorld world(profile, input);
    CHECK(evicted(world, {"guarded", "other", "p"}) == "other");
    CHECK(world.world().store().put(budgets, *budget("web", 1).object->tree));
    comes(world, wants("q", 2, 20));
    CHECK(evicted(world, {"guarded", "p"}) == "guarded");
    CHECK(world.node_of("q") == "n");
}

TEST_CASE("preemption: a victim that the API server does not let go is tried again", "[sim]") {
    auto asked = [](const std::string &refused) {
        sim::Input input;
        input.nodes = {four_cpus("n")};
        input.pods = {on("n", "victim", 4, 0)};
        RunningWorld world(profile, input);
        world.api.refuse(refused, 500, "no");
        comes(world, wants("p", 4, 10));
        CHECK(evicted(world, {"victim"}) == "victim");
        CHECK(world.node_of("p") == "n");
        CHECK(world.events.written.size() == 1);
        std::string all;
        for (const auto &r : world.api.asked)
            if (r.name == "victim") all += r.verb == env::Verb::Delete ? "D" : "P";
        return all;
    };
    CHECK(asked("pods/status") == "PPD");
    CHECK(asked("pods") == "PDD");  // marked already
}

TEST_CASE("preemption: a victim is marked unless it is marked already", "[sim]") {
    auto marked = [](const std::string &status) {
        sim::Input input;
        input.nodes = {four_cpus("n")};
        input.pods = {
            wants("victim", 4, 0, "nodeName: n,",
                  "conditions: [{type: DisruptionTarget, status: '" + status +
                      "', reason: PreemptionByScheduler, message: 'default-scheduler: preempting to accommodate "
                      "a higher priority pod'}]"),
            wants("p", 4, 10)};
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"victim"}) == "victim");
        return world.api.count("pods/status");
    };
    CHECK(marked("False") == 1);
    CHECK(marked("True") == 0);
}

TEST_CASE("preemption: the mark names the generation of the victim, if it has one", "[sim]") {
    auto mark = [](const std::string &generation) {
        sim::Input input;
        input.nodes = {four_cpus("n")};
        input.pods = {pod_of("{apiVersion: v1, kind: Pod, metadata: {" + generation +
                             " name: victim}, spec: {nodeName: n, containers: [{name: c, image: i, resources: "
                             "{requests: {cpu: 4}}}]}}"),
                      wants("p", 4, 10)};
        RunningWorld world(profile, input);
        CHECK(evicted(world, {"victim"}) == "victim");
        return world.api.asked.at(0).body;
    };
    CHECK(mark("").find("observedGeneration") == std::string::npos);
    CHECK(mark("generation: 3,").find(R"("observedGeneration":3,)") != std::string::npos);
}

// promise(tenant): If another pod has taken a preemption victim's name, Berth neither deletes that pod nor changes its
// status.
TEST_CASE("preemption: a new pod with a victim's name is not deleted", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "victim", 4, 0)};
    RunningWorld world(profile, input);
    const auto replace = [&](const std::string &name, const std::string &status) {
        world.world().store().remove(sim::pod_kind, "default/" + name);
        const auto next = pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                 ", uid: next}, spec: {schedulerName: another, containers: [{name: c, image: i}]}, "
                                 "status: {" +
                                 status + "}}");
        CHECK(world.world().store().put(sim::pod_kind, *next->tree));
    };
    SECTION("when it is marked") {
        world.api.next("pods/status", {[&] { replace("victim", ""); }, 0, "", {}, 1});
        comes(world, wants("p", 4, 10));
        CHECK(world.api.count("pods") == 0);
    }
    SECTION("when it is deleted") {
        world.api.next("pods", {[&] { replace("victim", ""); }, 0, "", {}, 1});
        comes(world, wants("p", 4, 10));
        CHECK(world.api.count("pods") == 1);
    }
    REQUIRE(world.stored("victim"));
    CHECK(world.stored("victim")->uid() == "next");
    CHECK(world.stored("victim")->tree->value()["status"]["conditions"].size() == 0);
    CHECK_FALSE(world.stored("victim")->terminating());
    CHECK(world.node_of("p") == "n");
    CHECK(world.events.written.empty());
    CHECK(world.sink.errors == 0);
}

TEST_CASE("preemption: the news of the last victim may come before the answer to its deletion", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    const auto victims = GENERATE(1, 2);
    for (int i = 0; i < victims; ++i) input.pods.push_back(on("n", "victim-" + std::to_string(i), 4 / victims, 0));
    RunningWorld world(profile, input);
    const auto at_once = [&] { world.world().store().remove(sim::pod_kind, "default/" + world.api.asked.back().name); };
    for (int i = 0; i < victims; ++i) world.api.next("pods", {at_once, 200, "{}", {}, 0});
    comes(world, wants("p", 4, 10));
    CHECK(world.node_of("p") == "n");
    CHECK(world.seconds() < 60);
    CHECK(world.sink.last.at("default/p").attempt == 2);
}

TEST_CASE("preemption: a pod is tried when its last victim is gone, however late the answer to the deletion", "[sim]") {
    constexpr std::int64_t second = 1'000'000'000, late = 20 * second;
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "first", 2, 0), on("n", "last", 2, 0)};
    RunningWorld world(profile, input);
    const auto at_once = [&] { world.world().store().remove(sim::pod_kind, "default/" + world.api.asked.back().name); };
    // The news of the first one is what closes the preemptor's gate.
    world.api.next("pods", {at_once, 200, "{}", {}, 0, 0});
    world.api.next("pods", {at_once, 200, "{}", {}, 0, late});
    const auto begin = world.clock().now_ns();
    comes(world, wants("p", 4, 10));
    CHECK(world.node_of("p") == "n");
    CHECK(world.sink.last.at("default/p").time_ns < begin + late);
    CHECK(world.sink.last.at("default/p").attempt == 2);
}

TEST_CASE("preemption: a victim without grace does not wake a pod that waits for the last one", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    // The younger one goes first; the other one has its 30 seconds.
    input.pods = {on("n", "last", 2, 0, 1), on("n", "first", 2, 0, 5)};
    RunningWorld world(profile, input);
    const auto at_once = [&] { world.world().store().remove(sim::pod_kind, "default/" + world.api.asked.back().name); };
    world.api.next("pods", {at_once, 200, "{}", {}, 0, 0});
    comes(world, wants("p", 4, 10));
    CHECK(world.node_of("p") == "n");
    CHECK(world.sink.last.at("default/p").attempt == 2);
}

TEST_CASE("preemption: a nomination of a pod that has the name of a lesser one by now is kept", "[sim]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {on("n", "victim", 4, 0), wants("first", 4, 10, "preemptionPolicy: Never,", "nominatedNodeName: n")};
    RunningWorld world(profile, input);
    world.api.next("pods/status", {[&] {
                                       auto &store = world.world().store();
                                       store.remove(sim::pod_kind, "default/first");
                                       const auto next = pod_of(
                                           "{apiVersion: v1, kind: Pod, metadata: {name: first, uid: next}, spec: "
                                           "{schedulerName: another, containers: [{name: c, image: i}]}, status: "
                                           "{nominatedNodeName: m}}");
                                       CHECK(store.put(sim::pod_kind, *next->tree));
                                   },
                                   0,
                                   "",
                                   {},
                                   1});
    comes(world, wants("greater", 4, 100));
    CHECK(world.node_of("greater") == "n");
    CHECK(world.stored("first")->nominated_node() == "m");
}
