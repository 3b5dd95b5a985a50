// SPDX-License-Identifier: Apache-2.0
#include "fake_world.h"

#include <thread>

using namespace berth;
using model::AttemptResult;
using Names = std::vector<std::string>;

namespace {

/// A Reserve plugin that writes down what it is asked.
FakePlugin noting(std::string name, Names &notes) {
    FakePlugin fake{name};
    fake.reserve = [=, &notes](const std::string &, berth_status *) { notes.push_back("reserve " + name); };
    fake.unreserve = [=, &notes](const std::string &) { notes.push_back("unreserve " + name); };
    return fake;
}

FakePlugin holding(std::string name, std::uint32_t timeout_ms) {
    FakePlugin fake{std::move(name)};
    fake.permit = [=](const berth_pod *, berth_status *status) {
        status->code = BERTH_STATUS_WAIT;
        return timeout_ms;
    };
    return fake;
}

/// A PreBind plugin that answers when the test says so.
struct Slow {
    FakePlugin plugin;
    std::vector<const berth_done *> waiting;
    explicit Slow(std::string name) : plugin{std::move(name)} {
        plugin.pre_bind = [this](const berth_pod *, berth_status *status, const berth_done *done) {
            status->code = BERTH_STATUS_IN_PROGRESS;
            waiting.push_back(done);
        };
    }
    void finish(std::size_t i) { plugin::behind(*waiting[i]).complete(waiting[i]->status); }
};

FakeWorld &with_pod(FakeWorld &world, const std::string &name = "p") {
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod(name));
    world.settle();
    return world;
}

std::size_t placed(FakeWorld &world) { return world.scheduler.cache().pod_count(); }

}  // namespace

TEST_CASE("bind: a refused Reserve undoes all plugins in reverse order and the pod is forgotten", "[bind]") {
    Names notes;
    FakePlugin a = noting("A", notes), b = noting("B", notes), c = noting("C", notes), bind = binder();
    b.reserve = [](const std::string &, berth_status *status) { answer(status, BERTH_STATUS_UNSCHEDULABLE, "taken"); };
    FakeWorld world({&a, &b, &c, &bind});
    with_pod(world);
    CHECK(notes == Names{"reserve A", "unreserve C", "unreserve B", "unreserve A"});
    CHECK(placed(world) == 0);
    CHECK(world.last().result == AttemptResult::Unschedulable);
    CHECK(world.last().phase == "Reserve");
    CHECK(world.last().message == "0/1 nodes are available: 1 taken.");
    CHECK(world.last().rejected_by == Names{"B"});
    CHECK(world.last().node.empty());
    CHECK(world.scheduler.queue().unschedulable() == 1);
}

TEST_CASE("bind: a Reserve that fails is told in upstream's words and tried again", "[bind]") {
    int calls = 0;
    FakePlugin disk{"Disk"}, bind = binder();
    disk.reserve = [&](const std::string &, berth_status *status) {
        if (++calls == 1) fail_with(status, "disk on fire");
    };
    FakeWorld world({&disk, &bind});
    with_pod(world);
    CHECK(world.last().message == "running Reserve plugin \"Disk\": disk on fire");
    CHECK(world.last().reason == "SchedulerError");
    world.pass_seconds(2);
    world.settle();
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(world.last().attempt == 2);
}

TEST_CASE("bind: Permit refuses, fails, or lets through", "[bind]") {
    FakePlugin gate{"Gate"}, bind = binder();
    gate.permit = [](const berth_pod *pod, berth_status *status) {
        if (text(pod->name) == "refused") answer(status, BERTH_STATUS_UNSCHEDULABLE, "not now");
        if (text(pod->name) == "broken") fail_with(status, "no quota server");
        return 0u;
    };
    FakeWorld world({&gate, &bind});
    with_pod(world, "refused");
    CHECK(world.last().message == "0/1 nodes are available: 1 not now.");
    CHECK(world.last().phase == "Permit");
    CHECK(world.last().rejected_by == Names{"Gate"});
    with_pod(world, "broken");
    CHECK(world.last().message == "running Permit plugin \"Gate\": no quota server");
    with_pod(world, "fine");
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(placed(world) == 1);
}

TEST_CASE("bind: a pod that waits is bound when every plugin that holds it has allowed it", "[bind]") {
    FakePlugin a = holding("A", 5000), b = holding("B", 5000), bind = binder();
    FakeWorld world({&a, &b, &bind});
    with_pod(world);
    CHECK(world.last().result == AttemptResult::Waiting);
    CHECK(world.last().node == "n1");
    CHECK(placed(world) == 1);
    auto &waiting = world.scheduler.waiting_pods();
    CHECK_FALSE(waiting.allow("C", "uid-p"));
    CHECK_FALSE(waiting.allow("A", "uid-q"));
    CHECK(waiting.allow("A", "uid-p"));
    world.settle();
    CHECK(world.events.back() == "Assumed default/p");
    CHECK(waiting.allow("B", "uid-p"));
    CHECK_FALSE(waiting.reject("B", "uid-p", "too late"));
    world.settle();
    CHECK(world.events.back() == "Bound default/p");
    world.pass_seconds(10);
    world.settle();
    CHECK(world.decisions.size() == 2);
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(world.last().phase.empty());
    CHECK(world.last().attempt == 1);
}

TEST_CASE("bind: a pod that waits too long is rejected in upstream's words", "[bind]") {
    auto [timeout_ms, shown] = GENERATE(table<std::uint32_t, std::string>(
        {{500, "500ms"}, {1500, "1.5s"}, {90'000, "1m30s"}, {900'000, "15m0s"}, {3'600'000, "15m0s"}, {0, "0s"}}));
    FakePlugin gate = holding("Gate", timeout_ms), bind = binder();
    FakeWorld world({&gate, &bind});
    with_pod(world);
    world.pass_seconds(900);
    CHECK(world.decisions.size() == 2);
    CHECK(world.last().attempt == 1);
    CHECK(world.last().phase == "Permit");
    CHECK(world.last().message ==
          "0/1 nodes are available: 1 rejected due to timeout after waiting " + shown + " at plugin Gate.");
    CHECK(world.last().rejected_by == Names{"Gate"});
    CHECK(placed(world) == 0);
}

TEST_CASE("bind: the first rejection of a waiting pod wins", "[bind]") {
    Names notes;
    FakePlugin gate = holding("Gate", 5000), reserve = noting("R", notes), bind = binder();
    FakeWorld world({&gate, &reserve, &bind});
    with_pod(world);
    CHECK(world.scheduler.waiting_pods().reject("Gate", "uid-p", "the gang is not complete"));
    world.settle();
    CHECK(world.last().message == "0/1 nodes are available: 1 the gang is not complete.");
    CHECK(notes == Names{"reserve R", "unreserve R"});
    CHECK(world.scheduler.queue().unschedulable() == 1);
}

TEST_CASE("bind: what happened while a pod waited in Permit counts for it", "[bind]") {
    FakePlugin gate = holding("Gate", 5000), bind = binder();
    gate.interests = {{"Node", BERTH_EVENT_ADD, false}};
    FakeWorld world({&gate, &bind});
    with_pod(world);
    world.scheduler.observer().node_added(plain_node("n2"));
    world.scheduler.waiting_pods().reject("Gate", "uid-p", "no");
    world.clock.run();
    CHECK(world.scheduler.queue().backing_off() == 1);
}

TEST_CASE("bind: a pod that is deleted while it waits does not come back", "[bind]") {
    FakePlugin gate = holding("Gate", 5000), bind = binder();
    FakeWorld world({&gate, &bind});
    with_pod(world);
    world.scheduler.observer().pod_deleted(plain_pod("p"));
    world.settle();
    CHECK(world.last().message == "0/1 nodes are available: 1 removed.");
    CHECK(placed(world) == 0);
    CHECK_FALSE(world.scheduler.next_wake());
    CHECK(world.scheduler.binding() == 0);
}

TEST_CASE("bind: preflight decides which PreBind plugins run, and one that may not answer so is named", "[bind]") {
    int runs = 0;
    FakePlugin idle{"Idle"}, busy{"Busy"}, bind = binder();
    idle.preflight = [](berth_status *status) { return status->code = BERTH_STATUS_SKIP, 0u; };
    busy.preflight = [](berth_status *) { return 0u; };
    idle.pre_bind = [&](const berth_pod *, berth_status *, const berth_done *) { runs += 10; };
    busy.pre_bind = [&](const berth_pod *, berth_status *, const berth_done *) { runs += 1; };
    {
        FakeWorld world({&idle, &busy, &bind});
        with_pod(world);
        CHECK(runs == 1);
        CHECK(world.events.back() == "Bound default/p");
    }
    idle.preflight = [](berth_status *status) { return answer(status, BERTH_STATUS_UNSCHEDULABLE, "no"), 0u; };
    FakeWorld world({&idle, &busy, &bind});
    with_pod(world);
    CHECK(world.last().message ==
          "PreBindPreFlight Idle returned \"Unschedulable\", which is unsupported. It is supposed to return Success, "
          "Skip, or Error status");
    CHECK(placed(world) == 0);
}

TEST_CASE("bind: PreBind may end from another thread, and other pods are scheduled meanwhile", "[bind]") {
    FakePlugin slow{"Slow"}, bind = binder();
    const berth_done *waiting = nullptr;
    slow.pre_bind = [&](const berth_pod *pod, berth_status *status, const berth_done *done) {
        if (text(pod->name) != "p") return;
        status->code = BERTH_STATUS_IN_PROGRESS;
        waiting = done;
    };
    FakeWorld world({&slow, &bind});
    with_pod(world);
    CHECK(world.scheduler.binding() == 1);
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.settle();
    CHECK(world.events.back() == "Bound default/q");
    std::thread([&] { plugin::behind(*waiting).complete(waiting->status); }).join();
    world.settle();
    CHECK(world.events.back() == "Bound default/p");
    CHECK(world.scheduler.binding() == 0);
}

TEST_CASE("bind: PreBind may end from another thread before its call has returned", "[bind]") {
    FakePlugin eager{"Eager"}, bind = binder();
    std::thread worker;
    eager.pre_bind = [&](const berth_pod *, berth_status *status, const berth_done *done) {
        worker = std::thread([done] { plugin::behind(*done).complete(done->status); });
        worker.join();
        status->code = BERTH_STATUS_IN_PROGRESS;
    };
    FakeWorld world({&eager, &bind});
    with_pod(world);
    CHECK(world.events.back() == "Bound default/p");
}

TEST_CASE("bind: neighbours that may run in parallel are started together, others one after the other", "[bind]") {
    Slow a("A"), b("B"), c("C");
    a.plugin.preflight = b.plugin.preflight = [](berth_status *) { return 1u; };
    FakePlugin bind = binder();
    FakeWorld world({&a.plugin, &b.plugin, &c.plugin, &bind});
    with_pod(world);
    CHECK(a.waiting.size() + b.waiting.size() == 2);
    CHECK(c.waiting.empty());
    b.finish(0);
    world.settle();
    CHECK(c.waiting.empty());
    a.finish(0);
    world.settle();
    REQUIRE(c.waiting.size() == 1);
    c.finish(0);
    world.settle();
    CHECK(world.events.back() == "Bound default/p");
}

TEST_CASE("bind: a PreBind that fails later undoes the reservation and the pod waits as after an error", "[bind]") {
    Names notes;
    Slow slow("Slow");
    FakePlugin reserve = noting("R", notes), bind = binder();
    FakeWorld world({&reserve, &slow.plugin, &bind});
    with_pod(world);
    CHECK(world.last().result == AttemptResult::Scheduled);
    fail_with(slow.waiting[0]->status, "volume not there");
    slow.finish(0);
    world.clock.run();
    CHECK(world.last().result == AttemptResult::Error);
    CHECK(world.last().phase == "PreBind");
    CHECK(world.last().message == "running PreBind plugin \"Slow\": volume not there");
    CHECK(world.last().node.empty());
    CHECK(notes == Names{"reserve R", "unreserve R"});
    CHECK(placed(world) == 0);
    CHECK(world.scheduler.next_ready() == test_start_ns + 2'000'000'000);
}

TEST_CASE("bind: a rejection at Bind is Unschedulable and yet waits as after an error", "[bind]") {
    FakePlugin bind{"Binder"};
    bind.bind = [](const berth_pod *, berth_status *status, const berth_done *) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE, "the node said no");
    };
    FakeWorld world({&bind});
    with_pod(world);
    CHECK(world.last().result == AttemptResult::Unschedulable);
    CHECK(world.last().reason == "Unschedulable");
    CHECK(world.last().message == "the node said no");
    CHECK(world.last().rejected_by.empty());
    CHECK(world.scheduler.queue().backing_off() == 1);
}

TEST_CASE("bind: a Bind plugin that skips leaves the pod to the next one", "[bind]") {
    FakePlugin skips{"Skips"}, bind = binder();
    skips.bind = [](const berth_pod *, berth_status *status, const berth_done *) { status->code = BERTH_STATUS_SKIP; };
    {
        FakeWorld world({&skips, &bind});
        CHECK(with_pod(world).events.back() == "Bound default/p");
    }
    FakeWorld world({&skips});
    CHECK(with_pod(world).last().message == "every Bind plugin skipped the pod");
}

TEST_CASE("bind: a binding that fails wakes the pods that wait for room", "[bind]") {
    bool fail = true;
    FakePlugin room{"Room"}, bind{"Binder"};
    room.interests = {{"AssignedPod", BERTH_EVENT_DELETE, false}};
    FakeWorld *current = nullptr;
    room.filter = [&](const std::string &) {
        return placed(*current) ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}} : FilterSays{};
    };
    const berth_done *waiting = nullptr;
    bind.bind = [&](const berth_pod *, berth_status *status, const berth_done *done) {
        if (!fail) return;
        status->code = BERTH_STATUS_IN_PROGRESS;
        waiting = done;
    };
    FakeWorld world({&room, &bind});
    current = &world;
    with_pod(world, "first");
    world.scheduler.observer().pod_added(plain_pod("second"));
    world.settle();
    CHECK(world.scheduler.queue().unschedulable() == 1);
    fail = false;
    fail_with(waiting->status, "409");
    plugin::behind(*waiting).complete(waiting->status);
    world.settle();
    CHECK(world.events.back() == "Bound default/second");
}

TEST_CASE("bind: an answer given twice counts once", "[bind]") {
    Slow a("A"), b("B");
    FakePlugin bind = binder();
    FakeWorld world({&a.plugin, &b.plugin, &bind});
    with_pod(world);
    a.finish(0);
    a.finish(0);
    world.settle();
    CHECK(b.waiting.size() == 1);
    CHECK(world.scheduler.binding() == 1);
}

TEST_CASE("bind: a plugin that ends a call it has answered already is ignored", "[bind]") {
    FakePlugin hasty{"Hasty"}, bind = binder();
    Slow slow("Slow");
    hasty.pre_bind = [](const berth_pod *, berth_status *, const berth_done *done) {
        fail_with(done->status, "too late");
        plugin::behind(*done).complete(done->status);
    };
    FakeWorld world({&hasty, &slow.plugin, &bind});
    with_pod(world);
    slow.finish(0);
    world.settle();
    CHECK(world.events.back() == "Bound default/p");
}

TEST_CASE("bind: two thousand pods that wait in PreBind do not hold up the others", "[bind]") {
    FakePlugin slow{"Slow"}, bind = binder();
    std::vector<const berth_done *> waiting;
    slow.pre_bind = [&](const berth_pod *pod, berth_status *status, const berth_done *done) {
        if (text(pod->name) == "quick") return;
        status->code = BERTH_STATUS_IN_PROGRESS;
        waiting.push_back(done);
    };
    FakeWorld world({&slow, &bind});
    world.wanted = model::Detail::Summary;
    world.add_nodes(3);
    for (int i = 0; i < 2000; ++i) world.scheduler.observer().pod_added(plain_pod("p" + std::to_string(i)));
    world.scheduler.observer().pod_added(plain_pod("quick"));
    world.settle();
    CHECK(world.decisions.size() == 2001);
    CHECK(world.scheduler.binding() == 2000);
    for (const auto *done : waiting) plugin::behind(*done).complete(done->status);
    world.settle();
    CHECK(world.scheduler.binding() == 0);
    CHECK(placed(world) == 2001);
}

TEST_CASE("bind: durations are printed as Go prints them", "[bind]") {
    CHECK(bind::duration_text(0) == "0s");
    CHECK(bind::duration_text(7) == "7ns");
    CHECK(bind::duration_text(1'500) == "1.5µs");
    CHECK(bind::duration_text(20'500'000) == "20.5ms");
    CHECK(bind::duration_text(1'000'000'000) == "1s");
    CHECK(bind::duration_text(3'600'000'000'000) == "1h0m0s");
    CHECK(bind::duration_text(3'723'040'000'000) == "1h2m3.04s");
}

TEST_CASE("bind: a binding cycle goes from state to state as drawn", "[bind]") {
    using Cycle = bind::BindingCycle;
    using enum Cycle::State;
    const std::vector drawn{Reserving, WaitingOnPermit, PreBinding, Binding, Bound};
    for (const auto from : {Reserving, WaitingOnPermit, PreBinding, Binding, Bound, Failed}) {
        CHECK(Cycle::may_follow(from, Failed) == (from != Bound && from != Failed));
        for (std::size_t to = 0; to < drawn.size(); ++to)
            CHECK(Cycle::may_follow(from, drawn[to]) == (to > 0 && drawn[to - 1] == from));
    }
}
