// SPDX-License-Identifier: Apache-2.0
#include "fake_extender.h"
#include "fake_world.h"
#include "model/look_ups.h"

using namespace berth;
using model::AttemptResult;
using Filtered = env::Extender::Filtered;
using Names = FakeExtender::Names;

namespace {

env::ExtenderTraits filters(const std::string &url = "http://x") {
    env::ExtenderTraits traits;
    traits.url = url;
    traits.filters = true;
    return traits;
}

env::ExtenderTraits prioritizes(std::int64_t weight) {
    env::ExtenderTraits traits;
    traits.url = "http://x";
    traits.prioritizes = true;
    traits.weight = weight;
    return traits;
}

env::ExtenderTraits ignorable(env::ExtenderTraits traits) {
    traits.ignorable = true;
    return traits;
}

/// Three nodes, and extenders in the order of the list.
struct World {
    FakePlugin bind = binder();
    std::vector<FakeExtender *> extenders;
    std::optional<FakeWorld> world;

    explicit World(const std::vector<env::ExtenderTraits> &traits, std::initializer_list<FakePlugin *> more = {},
                   int nodes = 3) {
        Scheduler::Extenders owned;
        for (const auto &one : traits) {
            auto made = std::make_unique<FakeExtender>(one);
            made->on_filter = [](const Names &all) { return Filtered{all, {}, {}}; };
            made->on_prioritize = [](const Names &) { return FakeExtender::Scores{}; };
            extenders.push_back(made.get());
            owned.push_back(std::move(made));
        }
        if (more.size() > 0)
            world.emplace(std::initializer_list<FakePlugin *>{*more.begin(), &bind}, SchedulerSettings{},
                          std::move(owned));
        else world.emplace(std::initializer_list<FakePlugin *>{&bind}, SchedulerSettings{}, std::move(owned));
        world->add_nodes(nodes);
    }
    const model::Decision &add(const std::string &name) {
        world->scheduler.observer().pod_added(plain_pod(name));
        world->settle();
        return world->last();
    }
    FakeExtender &operator[](std::size_t i) { return *extenders[i]; }
};

}  // namespace

TEST_CASE("extender: one after the other judges what the one before left", "[cycle]") {
    World w({filters("http://a"), filters("http://b")});
    Names second;
    w[0].on_filter = [](const Names &) { return Filtered{{"n2", "n3"}, {{"n1", "too loud"}}, {}}; };
    w[1].on_filter = [&](const Names &nodes) {
        second = nodes;
        return Filtered{{"n3"}, {}, {{"n2", "no door"}}};
    };
    const auto &d = w.add("p");
    CHECK(second == Names{"n2", "n3"});
    CHECK(d.node == "n3");
    CHECK(d.feasible_nodes == 1);
    CHECK(d.evaluated_nodes == 3);
    CHECK(d.nodes.at(0).verdict.reasons == Names{"too loud"});
    CHECK(d.nodes.at(0).verdict.code == BERTH_STATUS_UNSCHEDULABLE);
    CHECK(d.nodes.at(1).verdict.code == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE);
}

TEST_CASE("extender: reasons are told, silence is not, and any event tries the pod again", "[cycle]") {
    World w({filters()});
    w[0].on_filter = [](const Names &) {
        return Filtered{{}, {{"n1", "too loud"}, {"n2", "too loud"}, {"n9", "unheard of"}}, {{"n1", "no door"}}};
    };
    const auto &d = w.add("p");
    CHECK(d.result == AttemptResult::Unschedulable);
    CHECK(d.message == "0/3 nodes are available: 1 no door, 1 too loud.");
    CHECK(d.rejected_by == Names{"Extender"});
    CHECK(d.evaluated_nodes == 2);
    CHECK(w.world->scheduler.queue().unschedulable() == 1);
    w.world->pass_seconds(2);
    w.world->scheduler.observer().node_added(plain_node("n4"));
    w.world->settle();
    CHECK(w.world->decisions.size() == 2);
}

TEST_CASE("extender: an error fails the attempt unless the extender can be ignored", "[cycle]") {
    auto fails = [](const Names &) -> model::Result<Filtered> { return model::Error{"out to lunch"}; };
    World w({filters()});
    w[0].on_filter = fails;
    const auto &d = w.add("p");
    CHECK(d.result == AttemptResult::Error);
    CHECK(d.message == "out to lunch");
    CHECK(d.phase == "Filter");

    World other({ignorable(filters()), filters("http://b")});
    other[0].on_filter = fails;
    other[1].on_filter = [](const Names &) { return Filtered{{"n2"}, {}, {}}; };
    CHECK(other.add("p").node == "n2");
}

TEST_CASE("extender: it is only asked about pods with a resource that it manages", "[cycle]") {
    auto traits = filters();
    traits.managed_resources = {"example.com/berth"};
    World w({traits});
    CHECK(w.add("p").result == AttemptResult::Scheduled);
    CHECK(w[0].calls == 0);
    for (const auto *where : {"containers: [{name: c, image: i, resources: {limits: {example.com/berth: 1}}}]",
                              "containers: [{name: c, image: i, resources: {requests: {example.com/berth: 1}}}]",
                              "initContainers: [{name: d, image: i, resources: {limits: {example.com/berth: 0}}}], "
                              "containers: [{name: c, image: i}]"}) {
        auto before = w[0].calls;
        w.world->scheduler.observer().pod_added(
            plain_pod("q" + std::to_string(before), "", std::string("spec: {") + where + "}"));
        w.world->settle();
        CHECK(w[0].calls == before + 1);
    }
}

TEST_CASE("extender: without feasible nodes or with one nobody is asked in vain", "[cycle]") {
    FakePlugin full{"Full"};
    full.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
    World w({filters(), prioritizes(1)}, {&full});
    CHECK(w.add("p").result == AttemptResult::Unschedulable);
    CHECK(w[0].calls == 0);
    full.filter = [](const std::string &node) {
        return node == "n2" ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}};
    };
    CHECK(w.add("q").node == "n2");
    CHECK(w[0].calls == 1);
    CHECK(w[1].calls == 0);
}

TEST_CASE("extender: its scores count ten times its weight beside those of plugins", "[cycle]") {
    FakePlugin up{"Up"};
    up.score = [](const std::string &node) { return (node.back() - '0') * std::int64_t{20}; };
    World w({prioritizes(2), ignorable(prioritizes(100))}, {&up});
    w[0].on_prioritize = [](const Names &) { return FakeExtender::Scores{{"n1", 3}, {"n2", 1}, {"elsewhere", 10}}; };
    w[1].on_prioritize = [](const Names &) -> model::Result<FakeExtender::Scores> { return model::Error{"no"}; };
    const auto &d = w.add("p");
    CHECK(d.node == "n1");
    CHECK(d.nodes.at(0).total == 20 + 3 * 2 * 10);
    CHECK(d.nodes.at(1).total == 40 + 1 * 2 * 10);
    CHECK(d.nodes.at(2).total == 60);
    CHECK(d.nodes.at(0).scores.at(1).plugin == "http://x");
    CHECK(d.nodes.at(0).scores.at(1).raw == 3);
    CHECK(d.nodes.at(0).scores.at(1).weighted == 60);
}

TEST_CASE("extender: the nominated node is asked about alone, and an error there is not the pod's", "[cycle]") {
    World w({filters()});
    std::vector<Names> asked;
    w[0].on_filter = [&](const Names &nodes) -> model::Result<Filtered> {
        asked.push_back(nodes);
        if (nodes.size() == 1) return model::Error{"out to lunch"};
        return Filtered{{"n3"}, {}, {}};
    };
    w.world->scheduler.observer().pod_added(plain_pod("p", "",
                                                      "spec: {containers: [{name: c, image: i}]}\n"
                                                      "status: {nominatedNodeName: n2}"));
    w.world->settle();
    CHECK(asked == std::vector<Names>{{"n2"}, {"n1", "n2", "n3"}});
    CHECK(w.world->last().node == "n3");
}

TEST_CASE("extender: a nominated node that it rejects and that the plugins pass again counts twice", "[cycle]") {
    World w({filters()});
    w[0].on_filter = [&](const Names &nodes) -> model::Result<Filtered> {
        return nodes.size() == 1 ? Filtered{{}, {{"n2", "too loud"}}, {}} : Filtered{{"n3"}, {{"n2", "too loud"}}, {}};
    };
    w.world->scheduler.observer().pod_added(plain_pod("p", "",
                                                      "spec: {containers: [{name: c, image: i}]}\n"
                                                      "status: {nominatedNodeName: n2}"));
    w.world->settle();
    CHECK(w.world->last().node == "n3");
    CHECK(w.world->last().evaluated_nodes == 2);  // n1 was left out in silence
    CHECK(w.add("q").start_index == 1);           // three that were feasible, and the nominated one
}

TEST_CASE("extender: while one takes its time no pod is scheduled and the world waits", "[cycle]") {
    World w({filters(), prioritizes(1)});
    w[0].late = w[1].late = true;
    auto &scheduler = w.world->scheduler;
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    CHECK(w.world->decisions.empty());
    scheduler.observer().pod_added(plain_pod("q"));
    scheduler.observer().node_added(plain_node("n4"));
    w.world->settle();
    CHECK(scheduler.cache().node_count() == 3);
    CHECK(scheduler.next_wake() == std::nullopt);
    w[0].answer();
    CHECK(scheduler.cache().node_count() == 3);
    w[1].answer();
    CHECK(scheduler.cache().node_count() == 4);
    REQUIRE(w.world->decisions.size() == 1);
    CHECK(w.world->last().pod.name == "p");
    w.world->settle();
    CHECK(w.world->decisions.size() == 1);
    CHECK(w[0].calls == 2);
}

TEST_CASE("extender: when it has answered, what the attempt brings about is not deferred", "[cycle]") {
    World w({filters()});
    w[0].late = true;
    auto &scheduler = w.world->scheduler;
    std::size_t ready = 0;
    w.bind.bind = [&](const berth_pod *, berth_status *, const berth_done *) {
        scheduler.observer().pod_added(plain_pod("q"));
        ready = scheduler.queue().active();
    };
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    CHECK_FALSE(scheduler.between_cycles());
    w[0].answer();
    CHECK(scheduler.between_cycles());
    CHECK(ready == 1);
}

TEST_CASE("extender: a pod that is deleted meanwhile does not come back", "[cycle]") {
    World w({filters()});
    w[0].late = true;
    w[0].on_filter = [](const Names &) { return Filtered{}; };
    auto &scheduler = w.world->scheduler;
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    scheduler.observer().pod_deleted(plain_pod("p"));
    w[0].answer();
    w.world->settle();
    CHECK(scheduler.queue().unschedulable() + scheduler.queue().active() + scheduler.queue().backing_off() == 0);
}

TEST_CASE("extender: when Reserve fails, the events of meanwhile come before the failure is handled", "[cycle]") {
    FakePlugin holds{"Holds"};
    holds.reserve = [](const std::string &, FakePlugin::Status status) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE, "taken");
    };
    World w({filters()}, {&holds});
    w[0].late = true;
    auto &scheduler = w.world->scheduler;
    std::optional<bool> known;
    scheduler.on_failure([&](const model::Pod &, const model::Decision &) {
        known = scheduler.find_pod("default", "p") != nullptr || scheduler.queue().waiting(*plain_pod("p")) != nullptr;
    });
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    scheduler.observer().pod_deleted(plain_pod("p"));
    w[0].answer();
    CHECK(known == false);
    CHECK(w.world->last().phase == "Reserve");
}

TEST_CASE("extender: an answer after the end of the scheduler reaches nobody", "[cycle]") {
    std::deque<std::function<void()>> waiting;
    {
        World w({filters()});
        w[0].late = true;
        w.world->scheduler.observer().pod_added(plain_pod("p"));
        w.world->settle();
        waiting = std::move(w[0].waiting);
    }
    REQUIRE(waiting.size() == 1);
    waiting.front()();
}

TEST_CASE("extender: the one that binds does it instead of the plugins", "[cycle][bind]") {
    env::ExtenderTraits binds;
    binds.binds = true;
    World w({binds});
    int plugin = 0;
    w.bind.bind = [&](const berth_pod *, berth_status *, const berth_done *) { ++plugin; };
    std::vector<std::string> bound;
    w[0].late = true;
    w[0].on_bind = [&](std::string what) -> model::Result<void> {
        bound.push_back(std::move(what));
        if (bound.size() > 1) return model::Error{"no place"};
        return {};
    };
    w.add("p");
    CHECK(w.world->scheduler.binding() == 1);
    w[0].answer();
    CHECK(w.world->scheduler.binding() == 0);
    CHECK(bound.at(0).starts_with("default/p n"));
    w.add("q");
    w[0].answer();
    CHECK(w.world->last().result == AttemptResult::Error);
    CHECK(w.world->last().phase == "Bind");
    CHECK(w.world->last().message == "no place");
    CHECK(plugin == 0);
    CHECK_FALSE(w.world->scheduler.cache().is_assumed("uid-q"));
}

TEST_CASE("extender: when one that can be ignored does not bind, a plugin does", "[cycle][bind]") {
    env::ExtenderTraits binds;
    binds.binds = true;
    World w({ignorable(binds)});
    int plugin = 0;
    w.bind.bind = [&](const berth_pod *, berth_status *, const berth_done *) { ++plugin; };
    w[0].on_bind = [&](const std::string &) -> model::Result<void> { return model::Error{"no place"}; };
    w.add("p");
    CHECK(plugin == 1);
    CHECK(w.world->scheduler.binding() == 0);
}

namespace {

/// A plugin that has the extenders choose between the pods of n1 and n2, and tells what they left or why they failed.
struct Preempting {
    FakePlugin full{"Full"};
    std::vector<std::vector<std::uint32_t>> victims;
    std::vector<std::string> left;
    bool asked = false;
    bool leaves = false;  ///< answers before the extenders do
    std::optional<World> w;

    explicit Preempting(const std::vector<env::ExtenderTraits> &traits) {
        full.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
        full.post_filter = [this](const PostFilterCall &c) {
            std::vector<plugin::ExtenderPreemption::Candidate> candidates;
            for (std::uint32_t slot : {0U, 1U}) {
                const std::uint32_t *rows = nullptr;
                auto n = model::look_ups(*c.nodes->pods).pods_of(slot, &rows);
                candidates.push_back({slot, {rows, rows + n}, slot});
            }
            auto &extenders = *w->world->services().extenders;
            asked = extenders.process_preemption(c.call, candidates, [this, c](auto code, auto error, auto found) {
                std::string text = error;
                if (code != (error.empty() ? BERTH_STATUS_SUCCESS : BERTH_STATUS_ERROR))
                    return (void)left.emplace_back("cancelled");
                for (const auto &one : found)
                    text += std::to_string(one.slot) + "/" + std::to_string(one.victims.size()) + "/" +
                            std::to_string(one.violations) + " ";
                left.push_back(text);
                answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "no room");
                if (asked) plugin::behind(*c.done).complete(c.status);
            });
            CHECK(asked);
            if (leaves) answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "no room");
            else if (left.empty()) c.status->code = BERTH_STATUS_IN_PROGRESS;
            auto none = [](auto, auto, auto) { FAIL("asked about what is none"); };
            CHECK_FALSE(extenders.process_preemption(nullptr, {}, none));
            CHECK_FALSE(extenders.process_preemption(c.call, {{7, {}, 0}}, none));
            CHECK_FALSE(extenders.process_preemption(c.call, {{0, {candidates[1].victims}, 0}}, none));
            CHECK_FALSE(extenders.process_preemption(c.call, {{0, {77}, 0}}, none));
        };
        w.emplace(traits, std::initializer_list<FakePlugin *>{&full}, 2);
        for (const auto &[pod, node] : {std::pair{"a", "n1"}, {"b", "n1"}, {"c", "n2"}})
            w->world->scheduler.observer().pod_added(
                plain_pod(pod, {}, std::string("spec: {nodeName: ") + node + ", containers: [{name: c, image: i}]}"));
    }
};

env::ExtenderTraits preempts() {
    env::ExtenderTraits traits;
    traits.url = "http://x";
    traits.preempts = true;
    return traits;
}

}  // namespace

TEST_CASE("extender: each narrows what the one before left of a preemption", "[cycle]") {
    Preempting p({preempts(), filters(), preempts()});
    std::vector<std::string> asked;
    for (auto i : {0U, 2U}) {
        (*p.w)[i].on_preempt = [&, i](const std::string &what) -> model::Result<env::Extender::Preempted> {
            asked.push_back(what);
            if (i == 0) return env::Extender::Preempted{{"n2", {{"uid-c"}, 5}}, {"n1", {{"uid-b"}, 0}}};
            return env::Extender::Preempted{{"n2", {{"uid-c"}, 2}}};
        };
    }
    p.w->add("p");
    CHECK(asked == std::vector<std::string>{"n1: a b, n2: c", "n1: b, n2: c"});
    CHECK(p.left == std::vector<std::string>{"1/1/2 "});
}

TEST_CASE("extender: a preemption waits for the one that takes its time", "[cycle]") {
    Preempting p({preempts()});
    auto &scheduler = p.w->world->scheduler;
    (*p.w)[0].late = true;
    (*p.w)[0].on_preempt = [](const std::string &) { return env::Extender::Preempted{}; };
    scheduler.observer().pod_added(plain_pod("p"));
    p.w->world->settle();
    CHECK(p.left.empty());
    CHECK(p.w->world->decisions.empty());
    (*p.w)[0].answer();
    p.w->world->settle();
    CHECK(p.left == std::vector<std::string>{""});
    CHECK(p.w->world->last().message == "0/2 nodes are available: 2 full. no room");
}

TEST_CASE("extender: who asked, and has ended PostFilter before the answer, is told so", "[cycle]") {
    Preempting p({preempts()});
    p.leaves = true;
    (*p.w)[0].late = true;
    (*p.w)[0].on_preempt = [](const std::string &) { return env::Extender::Preempted{}; };
    p.w->world->scheduler.observer().pod_added(plain_pod("p"));
    p.w->world->settle();
    CHECK(p.left.empty());
    CHECK(p.w->world->last().message == "0/2 nodes are available: 2 full. no room");
    (*p.w)[0].answer();
    p.w->world->settle();
    CHECK(p.left == std::vector<std::string>{"cancelled"});
}

TEST_CASE("extender: what it may not say of a preemption fails it, unless the extender can be ignored", "[cycle]") {
    using Preempted = env::Extender::Preempted;
    const std::vector<std::pair<model::Result<Preempted>, std::string>> wrong{
        {model::Error{"out to lunch"}, "out to lunch"},
        {Preempted{{"n9", {{"uid-a"}, 0}}}, "nodeinfo not found for node name \"n9\""},
        {Preempted{{"n1", {{"uid-c"}, 0}}},
         "extender: http://x claims to preempt pod (UID: &{uid-c}) on node: n1, but the pod is not found on that node"},
        {Preempted{{"n1", {{}, 0}}, {"n2", {{"uid-c"}, 0}}}, "expected at least one victim pod on node \"n1\""}};
    for (const auto &[said, error] : wrong) {
        Preempting p({preempts()}), forgiving({ignorable(preempts())});
        for (auto *world : {&p, &forgiving}) {
            (*world->w)[0].on_preempt = [&answer = said](const std::string &) { return answer; };
            world->w->add("p");
        }
        CHECK(p.left == std::vector<std::string>{error});
        // Only the node without victims is left out.
        CHECK(forgiving.left == std::vector<std::string>{error.starts_with("expected") ? "1/1/0 " : "0/2/0 1/1/1 "});
    }
}
