// SPDX-License-Identifier: Apache-2.0
#include "cycle/nodes_to_find.h"
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;
using Names = std::vector<std::string>;

namespace {

FakePlugin pre_filter(std::string name, std::int32_t code, std::string reason = {}) {
    FakePlugin fake{std::move(name)};
    fake.pre_filter = [=](const berth_nodes *, berth_restrict *, berth_status *status) {
        answer(status, code, reason);
    };
    return fake;
}

FakePlugin narrowing(std::string name, Names nodes) {
    FakePlugin fake{std::move(name)};
    fake.pre_filter = [=](const berth_nodes *, berth_restrict *to, berth_status *) {
        std::vector<berth_str> names;
        for (const auto &node : nodes) names.push_back(model::to_str(node));
        plugin::Restrict::of(to)->names(names.data(), names.size());
    };
    return fake;
}

FakePlugin rejecting(std::string name, std::string reason, std::int32_t code = BERTH_STATUS_UNSCHEDULABLE) {
    FakePlugin fake{std::move(name)};
    fake.filter = [=](const std::string &) { return FilterSays{code, {reason}}; };
    return fake;
}

/// Takes part in Filter and lets every node through; remembers which nodes it saw.
FakePlugin watching(std::string name, Names &seen) {
    FakePlugin fake{std::move(name)};
    fake.filter = [&seen](const std::string &node) {
        seen.push_back(node);
        return FilterSays{};
    };
    return fake;
}

FakePlugin scorer(std::string name = "Score") {
    FakePlugin fake{std::move(name)};
    fake.score = [](const std::string &) { return 1; };
    return fake;
}

const model::Decision &try_pod(FakeWorld &world, int nodes, const model::PodPtr &pod = plain_pod("p")) {
    world.add_nodes(nodes);
    world.scheduler.observer().pod_added(pod);
    world.scheduler.schedule_one();
    return world.last();
}

}  // namespace

TEST_CASE("cycle: without nodes nobody is to blame and the pod is tried again after an error's wait", "[cycle]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    const auto &d = try_pod(world, 0);
    CHECK(d.result == AttemptResult::Unschedulable);
    CHECK(d.reason == "Unschedulable");
    CHECK(d.message == "no nodes available to schedule pods");
    CHECK(d.rejected_by.empty());
    CHECK(world.scheduler.next_ready() == test_start_ns + 2'000'000'000);
}

TEST_CASE("cycle: a PreFilter that skips leaves out its Filter", "[cycle]") {
    Names seen;
    FakePlugin skips = watching("Skips", seen), bind = binder();
    skips.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *s) { answer(s, BERTH_STATUS_SKIP); };
    FakeWorld world({&skips, &bind});
    CHECK(try_pod(world, 2).result == AttemptResult::Scheduled);
    CHECK(seen.empty());
    CHECK(world.last().pre_filter.at(0).status.code == BERTH_STATUS_SKIP);
}

TEST_CASE("cycle: UnschedulableAndUnresolvable ends PreFilter at once", "[cycle]") {
    Names seen;
    FakePlugin no = pre_filter("No", BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "never"),
               later = pre_filter("Later", 0), filter = watching("Filter", seen);
    FakeWorld world({&no, &later, &filter});
    const auto &d = try_pod(world, 3);
    CHECK(d.result == AttemptResult::Unschedulable);
    CHECK(d.phase == "PreFilter");
    CHECK(d.message == "0/3 nodes are available: never.");
    CHECK(d.rejected_by == Names{"No"});
    CHECK(d.pre_filter.size() == 1);
    CHECK(d.evaluated_nodes == 0);
    CHECK(seen.empty());
}

TEST_CASE("cycle: after Unschedulable the other PreFilters still run and the last one is told", "[cycle]") {
    FakePlugin first = pre_filter("First", BERTH_STATUS_UNSCHEDULABLE, "one"), fine = pre_filter("Fine", 0),
               second = pre_filter("Second", BERTH_STATUS_UNSCHEDULABLE, "two");
    FakeWorld world({&first, &fine, &second});
    const auto &d = try_pod(world, 3);
    CHECK(d.message == "0/3 nodes are available: two.");
    CHECK(d.rejected_by == Names{"Second"});
    CHECK(d.pre_filter.size() == 3);
}

TEST_CASE("cycle: a PreFilter that fails ends the attempt", "[cycle]") {
    FakePlugin broken{"Broken"}, later = pre_filter("Later", 0);
    broken.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *s) { fail_with(s, "no disk"); };
    FakeWorld world({&broken, &later});
    const auto &d = try_pod(world, 3);
    CHECK(d.result == AttemptResult::Error);
    CHECK(d.reason == "SchedulerError");
    CHECK(d.message == "running PreFilter plugin \"Broken\": no disk");
    CHECK(d.rejected_by.empty());
    CHECK(d.pre_filter.size() == 1);
}

TEST_CASE("cycle: a PreFilter that throws fails its pod and no other", "[cycle]") {
    int calls = 0;
    FakePlugin broken{"Broken"}, bind = binder();
    broken.pre_filter = [&](const berth_nodes *, berth_restrict *, berth_status *) {
        if (++calls == 1) throw std::runtime_error("surprise");
    };
    FakeWorld world({&broken, &bind});
    CHECK_THAT(try_pod(world, 1).message,
               Catch::Contains("\"Broken\"") && Catch::Contains("surprise") && Catch::Contains("PreFilter"));
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.scheduler.schedule_one();
    CHECK(world.last().result == AttemptResult::Scheduled);
}

TEST_CASE("cycle: the nodes that PreFilters leave over intersect", "[cycle]") {
    Names seen;
    FakePlugin a = narrowing("A", {"n1", "n2"}), b = narrowing("B", {"n2", "n3"}), filter = watching("F", seen),
               bind = binder();
    FakeWorld world({&a, &b, &filter, &bind});
    CHECK(try_pod(world, 4).node == "n2");
    CHECK(seen == Names{"n2"});
    CHECK(world.last().pre_filter.at(1).nodes == Names{"n2", "n3"});
}

TEST_CASE("cycle: one plugin that leaves no node is named, several are named together", "[cycle]") {
    FakePlugin b = narrowing("B", {"n1"}), a = narrowing("A", {"n2"}), none = narrowing("None", {});
    FakeWorld two({&b, &a});
    CHECK(try_pod(two, 2).message == "0/2 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.");
    CHECK(two.last().rejected_by == Names{"A", "B"});
    FakeWorld one({&none});
    CHECK(try_pod(one, 2).message == "0/2 nodes are available: node(s) didn't satisfy plugin None.");
}

TEST_CASE("cycle: a node that is named and not there counts every node as not satisfying the plugin", "[cycle]") {
    Names seen;
    FakePlugin a = narrowing("A", {"gone"}), filter = watching("F", seen);
    FakeWorld world({&a, &filter});
    CHECK(try_pod(world, 3).message == "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [A].");
    CHECK(world.last().rejected_by == Names{"A"});
}

TEST_CASE("cycle: a plugin that narrowed the nodes is to blame along with the one that rejected", "[cycle]") {
    FakePlugin a = narrowing("A", {"n1", "n2"}), full = rejecting("Full", "no room");
    FakeWorld world({&a, &full});
    const auto &d = try_pod(world, 3);
    CHECK(d.message == "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [A], 2 no room.");
    CHECK(d.rejected_by == Names{"A", "Full"});
}

TEST_CASE("cycle: a slot without a node in a PreFilter's answer is that plugin's failure", "[cycle]") {
    FakePlugin a{"A"};
    a.pre_filter = [](const berth_nodes *, berth_restrict *to, berth_status *) {
        std::uint32_t slot = 4711;
        plugin::Restrict::of(to)->slots(&slot, 1);
    };
    FakeWorld world({&a});
    CHECK(try_pod(world, 1).message ==
          "running PreFilter plugin \"A\": narrowed the nodes to slot 4711, which holds no node");
}

TEST_CASE("cycle: the first plugin that rejects a node keeps its reasons and the others do not see the node",
          "[cycle]") {
    Names seen;
    FakePlugin first{"First"}, second = watching("Second", seen), third = rejecting("Third", "third says no");
    first.filter = [](const std::string &node) {
        return node == "n2" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"too small", "too old"}} : FilterSays{};
    };
    FakeWorld world({&first, &second, &third});
    const auto &d = try_pod(world, 3);
    CHECK(d.message == "0/3 nodes are available: 1 too old, 1 too small, 2 third says no.");
    CHECK(d.rejected_by == Names{"First", "Third"});
    CHECK(seen == Names{"n1", "n3"});
    CHECK(d.nodes.at(1).verdict.reasons == Names{"too small", "too old"});
    CHECK(d.nodes.at(0).verdict.plugin == "Third");
}

TEST_CASE("cycle: the reasons are sorted as texts, so ten comes before two", "[cycle]") {
    FakePlugin sorts{"Sorts"};
    sorts.filter = [](const std::string &node) {
        return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {node == "n1" || node == "n2" ? "b" : "a"}};
    };
    FakeWorld world({&sorts});
    CHECK(try_pod(world, 12).message == "0/12 nodes are available: 10 a, 2 b.");
}

TEST_CASE("cycle: a verdict that is none ends the attempt and names the plugin", "[cycle]") {
    auto [code, expected] = GENERATE(table<std::int32_t, std::string>({
        {BERTH_STATUS_NOT_EVALUATED, "running \"Odd\" filter plugin: left node \"n1\" without a verdict"},
        {99,
         "running \"Odd\" filter plugin: plugin \"Odd\" answered code 99 at Filter, which is none of the "
         "scheduling framework's (0 to 6)"},
        {BERTH_STATUS_SKIP, "running \"Odd\" filter plugin: answered Skip for node \"n1\", which is no verdict"},
        {BERTH_STATUS_ERROR, "running \"Odd\" filter plugin: failed on node \"n1\" without a text"},
    }));
    FakePlugin odd{"Odd"};
    odd.filter = [verdict = code](const std::string &) { return FilterSays{verdict, {}}; };
    FakeWorld world({&odd});
    CHECK(try_pod(world, 2).message == expected);
    CHECK(world.last().result == AttemptResult::Error);
}

TEST_CASE("cycle: an error of a filter carries its text", "[cycle]") {
    FakePlugin odd = rejecting("Odd", "cannot read labels", BERTH_STATUS_ERROR);
    FakeWorld world({&odd});
    CHECK(try_pod(world, 2).message == "running \"Odd\" filter plugin: cannot read labels");
}

TEST_CASE("cycle: a filter that throws ends the attempt and names the plugin", "[cycle]") {
    FakePlugin odd{"Odd"};
    odd.filter = [](const std::string &) -> FilterSays { throw std::runtime_error("surprise"); };
    FakeWorld world({&odd});
    CHECK_THAT(try_pod(world, 2).message,
               Catch::StartsWith("running \"Odd\" filter plugin: ") && Catch::Contains("surprise"));
}

TEST_CASE("cycle: the nominated node is tried first and the others are left alone", "[cycle]") {
    Names seen;
    FakePlugin filter = watching("F", seen), score = scorer(), bind = binder();
    FakeWorld world({&filter, &score, &bind});
    auto pod = plain_pod("p", {}, "spec: {containers: [{name: c, image: i}]}\nstatus: {nominatedNodeName: n3}");
    const auto &d = try_pod(world, 4, pod);
    CHECK(d.node == "n3");
    CHECK(seen == Names{"n3"});
    CHECK(d.evaluated_nodes == 1);
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.scheduler.schedule_one();
    CHECK(world.last().start_index == 0);
}

TEST_CASE("cycle: a nominated node that does not fit is judged again with the others and counted once", "[cycle]") {
    FakePlugin not_n3{"NotN3"}, bind = binder();
    not_n3.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"no"}}; };
    FakeWorld world({&not_n3, &bind});
    auto pod = plain_pod("p", {}, "spec: {containers: [{name: c, image: i}]}\nstatus: {nominatedNodeName: n3}");
    CHECK(try_pod(world, 4, pod).message == "0/4 nodes are available: 4 no.");
    CHECK(world.last().evaluated_nodes == 4);
}

TEST_CASE("cycle: how many nodes are enough", "[cycle]") {
    CHECK(cycle::nodes_to_find(99, 10) == 99);
    CHECK(cycle::nodes_to_find(100, 10) == 100);
    CHECK(cycle::nodes_to_find(1000, 0) == 420);  // 50 − 1000/125 percent
    CHECK(cycle::nodes_to_find(6000, 0) == 300);  // never less than 5 percent
    CHECK(cycle::nodes_to_find(5000, 40) == 2000);
    CHECK(cycle::nodes_to_find(1000, 1) == 100);  // never less than 100
    CHECK(cycle::nodes_to_find(5000, 100) == 5000);
}

TEST_CASE("cycle: the visit stops when enough are found and the next one begins there", "[cycle]") {
    FakePlugin odd_only{"OddOnly"}, score = scorer(), bind = binder();
    odd_only.filter = [](const std::string &node) {
        return (node.back() - '0') % 2 ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"even"}};
    };
    FakeWorld world({&odd_only, &score, &bind});
    const auto &d = try_pod(world, 300);  // 48 % of 300 are 144 feasible ones: n1, n3, … n287
    CHECK(d.feasible_nodes == 144);
    CHECK(d.evaluated_nodes == 287);
    CHECK(d.start_index == 0);
    CHECK(d.nodes.size() == 287);
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.scheduler.schedule_one();
    CHECK(world.last().start_index == 287);
    CHECK(world.last().nodes.at(0).name == "n288");
    CHECK(world.last().feasible_nodes == 144);
}

TEST_CASE("cycle: the place where the visit begins moves on after a failure too", "[cycle]") {
    FakePlugin fails_on_2{"Fails"}, score = scorer();
    fails_on_2.filter = [](const std::string &node) {
        return node == "n2" ? FilterSays{BERTH_STATUS_ERROR, {"bad"}} : FilterSays{};
    };
    FakeWorld world({&fails_on_2, &score});
    try_pod(world, 3);
    CHECK(world.last().result == AttemptResult::Error);
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.scheduler.schedule_one();
    CHECK(world.last().start_index == 1);
}

TEST_CASE("cycle: without score plugins the first feasible node will do", "[cycle]") {
    Names seen;
    FakePlugin not_first{"NotFirst"}, bind = binder();
    not_first.filter = [](const std::string &node) {
        return node == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"first"}} : FilterSays{};
    };
    FakeWorld world({&not_first, &bind});
    const auto &d = try_pod(world, 5);
    CHECK(d.node == "n2");
    CHECK(d.feasible_nodes == 1);
    CHECK(d.evaluated_nodes == 2);
}
