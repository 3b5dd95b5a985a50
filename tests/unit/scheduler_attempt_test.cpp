// SPDX-License-Identifier: Apache-2.0
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;

TEST_CASE("scheduler: a pod is filtered, scored, assumed, bound and reported", "[cycle][bind][queue]") {
    std::vector<std::string> said;
    FakePlugin only{"OnlyB"};
    only.filter = [](const std::string &node) {
        return node == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"not this one"}} : FilterSays{};
    };
    FakePlugin likes{"LikesN3"};
    likes.score = [](const std::string &node) { return node == "n3" ? 90 : 10; };
    FakePlugin bind = binder();
    bind.post_bind = [&](const berth_pod *pod) { said.push_back("bound to " + text(pod->node_name)); };
    FakeWorld world({&only, &likes, &bind});
    world.add_nodes(3);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();

    REQUIRE(world.decisions.size() == 1);
    const auto &d = world.last();
    CHECK(d.result == AttemptResult::Scheduled);
    CHECK(d.node == "n3");
    CHECK(d.attempt == 1);
    CHECK(d.evaluated_nodes == 3);
    CHECK(d.feasible_nodes == 2);
    REQUIRE(d.nodes.size() == 3);
    CHECK(d.nodes[0].verdict.plugin == "OnlyB");
    CHECK(d.nodes[2].total == 90);
    CHECK(said == std::vector<std::string>{"bound to n3"});
    CHECK(world.events == std::vector<std::string>{"Added n1", "Added n2", "Added n3", "Added default/p",
                                                   "Assumed default/p", "Bound default/p"});
    CHECK(world.scheduler.cache().is_assumed("uid-p"));
    CHECK(world.scheduler.binding() == 0);
}

TEST_CASE("scheduler: a scheduling cycle goes from state to state as drawn", "[scheduler]") {
    using Attempt = scheduler::AttemptState;
    using enum Attempt::State;
    const std::set<std::pair<Attempt::State, Attempt::State>> drawn{
        {Idle, Searching},      {Searching, AwaitingExtenders}, {AwaitingExtenders, Searching},
        {Searching, Reserving}, {Searching, PostFiltering},     {Searching, Failing},
        {Reserving, Idle},      {Reserving, Failing},           {PostFiltering, Failing},
        {Failing, Idle}};
    const std::vector all{Idle, Searching, AwaitingExtenders, PostFiltering, Reserving, Failing};
    for (const auto from : all)
        for (const auto to : all) CHECK(Attempt::may_follow(from, to) == drawn.contains({from, to}));
}

TEST_CASE("scheduler: an attempt is suspended while extenders or PostFilter plugins are awaited", "[scheduler]") {
    scheduler::AttemptState attempt;
    using enum scheduler::AttemptState::State;
    CHECK_FALSE(attempt.suspended());
    for (const auto next :
         {Searching, AwaitingExtenders, Searching, PostFiltering, Failing, Idle, Searching, Reserving, Idle}) {
        attempt.enter(next);
        CHECK(attempt.is(next));
        CHECK(attempt.suspended() == (next == AwaitingExtenders || next == PostFiltering));
    }
}

TEST_CASE("scheduler: deferred events are handled once, in their order", "[scheduler]") {
    scheduler::DeferredEvents events;
    std::string handled;
    for (const char name : {'a', 'b', 'c'}) events.add([&handled, name] { handled += name; });
    CHECK(handled.empty());
    events.replay();
    CHECK(handled == "abc");
    events.replay();
    CHECK(handled == "abc");
}

TEST_CASE("scheduler: an event that is deferred anew is not lost", "[scheduler]") {
    scheduler::DeferredEvents events;
    int handled = 0;
    std::function<void()> event = [&] {
        if (++handled == 1) events.add(event);
    };
    events.add(event);
    events.replay();
    CHECK(handled == 1);
    events.replay();
    CHECK(handled == 2);
}
