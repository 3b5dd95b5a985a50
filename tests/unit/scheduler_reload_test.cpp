// SPDX-License-Identifier: Apache-2.0
// Other profiles take the place of those in force, between two cycles.
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;

namespace {

/// The profiles and what tells whether they have ended.
struct Profiles {
    std::vector<plugin::Profile> list;
    std::weak_ptr<const model::Tree> alive;

    Profiles(std::initializer_list<FakePlugin *> fakes, const std::string &name = "default-scheduler") {
        add(fakes, name);
        auto marker = std::make_shared<model::Tree>();
        alive = marker;
        list.front().instances.front()->args = marker;
    }
    void add(std::initializer_list<FakePlugin *> fakes, const std::string &name) {
        list.push_back(fake_profile(fakes, name));
    }
};

FakePlugin likes(const std::string &node) {
    FakePlugin fake{"Likes"};
    fake.score = [node](const std::string &one) { return one == node ? 90 : 10; };
    return fake;
}

FakePlugin refuses(const std::string &why) {
    FakePlugin fake{"Refuses"};
    fake.filter = [why](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {why}}; };
    return fake;
}

const std::string of_other = "spec: {schedulerName: other, containers: [{name: c, image: i}]}";

}  // namespace

TEST_CASE("reload: new pods are placed by the new profiles, and the old ones end at the next cycle", "[cycle]") {
    FakePlugin bind = binder(), n1 = likes("n1"), n2 = likes("n2");
    FakeWorld world({&bind});
    world.add_nodes(2);
    Profiles first({&n1, &bind}), second({&n2, &bind});
    int retired = 0;
    world.scheduler.on_retired([&] { ++retired; });
    world.scheduler.use(std::move(first.list));
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.settle();
    CHECK(world.last().node == "n1");
    CHECK(retired == 1);
    world.scheduler.use(std::move(second.list));
    CHECK_FALSE(first.alive.expired());
    world.scheduler.observer().pod_added(plain_pod("b"));
    world.settle();
    CHECK(world.last().node == "n2");
    CHECK(first.alive.expired());
    CHECK_FALSE(second.alive.expired());
    CHECK(retired == 2);
}

TEST_CASE("reload: of two before the next cycle only the later one counts", "[cycle]") {
    FakePlugin bind = binder(), n1 = likes("n1"), n2 = likes("n2");
    FakeWorld world({&bind});
    world.add_nodes(2);
    Profiles first({&n1, &bind}), second({&n2, &bind});
    world.scheduler.use(std::move(first.list));
    world.scheduler.use(std::move(second.list));
    CHECK(first.alive.expired());
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.settle();
    CHECK(world.last().node == "n2");
}

TEST_CASE("reload: a pod that waits in Permit is bound by the profile that holds it, which lives until then",
          "[cycle][bind]") {
    std::vector<std::string> said;
    FakePlugin holds{"Holds"};
    holds.permit = [](const berth_pod *, berth_status *status) {
        status->code = BERTH_STATUS_WAIT;
        return 60'000u;
    };
    FakePlugin old_bind = binder();
    old_bind.post_bind = [&](const berth_pod *pod) { said.push_back("old bound " + text(pod->name)); };
    FakePlugin new_bind = binder();
    new_bind.post_bind = [&](const berth_pod *pod) { said.push_back("new bound " + text(pod->name)); };
    FakeWorld world({&new_bind});
    world.add_nodes(1);
    Profiles first({&holds, &old_bind}), second({&new_bind});
    world.scheduler.use(std::move(first.list));
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.settle();
    CHECK(world.last().result == AttemptResult::Waiting);
    world.scheduler.use(std::move(second.list));
    world.scheduler.observer().pod_added(plain_pod("b"));
    world.settle();
    CHECK(said == std::vector<std::string>{"new bound b"});
    CHECK_FALSE(first.alive.expired());
    CHECK(world.scheduler.waiting_pods().allow("Holds", "uid-a"));
    world.settle();
    CHECK(said == std::vector<std::string>{"new bound b", "old bound a"});
    CHECK(first.alive.expired());
    CHECK(world.scheduler.cache().is_assumed("uid-a"));
}

TEST_CASE("reload: a pod that could not be bound by the old profile is tried by the new one", "[cycle][bind]") {
    const berth_done *done = nullptr;
    berth_status *late = nullptr;
    FakePlugin slow = binder();
    slow.bind = [&](const berth_pod *, berth_status *status, const berth_done *given) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        done = given;
        late = given->status;
    };
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.add_nodes(1);
    Profiles first({&slow});
    world.scheduler.use(std::move(first.list));
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.settle();
    REQUIRE(done);

    SECTION("at once, without a backoff") {
        Profiles second({&bind});
        world.scheduler.use(std::move(second.list));
        world.settle();
        fail_with(late, "no");
        plugin::behind(*done).complete(late);
        world.settle();
        REQUIRE(world.decisions.size() >= 2);
        CHECK(world.last().result == AttemptResult::Scheduled);
        CHECK(world.last().attempt == 2);
    }
    SECTION("or by nobody, if there is none of its name") {
        Profiles second({&bind}, "other");
        world.scheduler.use(std::move(second.list));
        world.settle();
        fail_with(late, "no");
        plugin::behind(*done).complete(late);
        world.settle();
        CHECK(world.last().result == AttemptResult::Error);
        CHECK_FALSE(world.scheduler.cache().is_assumed("uid-a"));
        Profiles third({&bind});
        world.scheduler.use(std::move(third.list));
        world.settle();
        CHECK(world.last().result == AttemptResult::Scheduled);
    }
    SECTION("unless it was deleted meanwhile") {
        Profiles second({&bind}, "other");
        world.scheduler.use(std::move(second.list));
        world.settle();
        world.scheduler.observer().pod_deleted(plain_pod("a"));
        CHECK_FALSE(world.scheduler.cache().is_assumed("uid-a"));
        fail_with(late, "no");
        plugin::behind(*done).complete(late);
        world.settle();
        CHECK(world.scheduler.binding() == 0);
    }
    CHECK(first.alive.expired());
}

TEST_CASE("reload: pods of a name that is served no more leave the queue, and those of a new one enter it", "[cycle]") {
    FakePlugin bind = binder(), closed = refuses("closed");
    FakeWorld world({&closed, &bind});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.scheduler.observer().pod_added(plain_pod("b", {}, of_other));
    auto gone = plain_pod("c", {}, of_other);
    world.scheduler.observer().pod_added(gone);
    world.scheduler.observer().pod_deleted(gone);
    world.settle();
    CHECK(world.decisions.size() == 1);
    world.scheduler.use(Profiles({&bind}, "other").list);
    world.settle();
    REQUIRE(world.decisions.size() == 2);
    CHECK(world.last().pod.name == "b");
    CHECK(world.last().result == AttemptResult::Scheduled);
    CHECK(world.scheduler.queue().unschedulable() == 0);
    // It was not told that this one left, and yet does not lose it.
    Profiles both({&bind}, "other");
    both.add({&bind}, "default-scheduler");
    world.scheduler.use(std::move(both.list));
    world.settle();
    REQUIRE(world.decisions.size() == 3);
    CHECK(world.last().pod.name == "a");
    CHECK(world.last().result == AttemptResult::Scheduled);
}

TEST_CASE("reload: whoever was rejected, gated or waited is tried again at once", "[cycle][queue]") {
    FakePlugin bind = binder(), closed = refuses("closed");
    closed.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (text(pod->name) == "gated") answer(status, BERTH_STATUS_UNSCHEDULABLE, "not yet");
    };
    FakeWorld world({&closed, &bind});
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("gated"));
    world.scheduler.observer().pod_added(plain_pod("rejected"));
    world.settle();
    CHECK(world.scheduler.queue().gated() == 1);
    CHECK(world.scheduler.queue().unschedulable() == 1);
    world.scheduler.use(Profiles({&bind}).list);
    const auto now = world.clock.now_ns();
    world.settle();
    CHECK(world.clock.now_ns() == now);
    REQUIRE(world.decisions.size() == 4);
    CHECK(world.decisions[2].pod.name == "gated");
    CHECK(world.decisions[2].result == AttemptResult::Scheduled);
    CHECK(world.decisions[3].pod.name == "rejected");
    CHECK(world.decisions[3].attempt == 2);
}

TEST_CASE("reload: another QueueSort sorts those that wait anew", "[cycle][queue]") {
    FakePlugin bind = binder(), by_name{"ByName"}, by_name_down{"ByNameDown"};
    by_name.less = [](const berth_pod *a, const berth_pod *b) { return text(a->name) < text(b->name); };
    by_name_down.less = [](const berth_pod *a, const berth_pod *b) { return text(a->name) > text(b->name); };
    by_name_down.sort_key = [](const berth_pod *pod) {
        return std::string(1, static_cast<char>(255 - text(pod->name)[0]));
    };
    FakeWorld world({&by_name, &bind});
    world.add_nodes(1);
    for (const auto *name : {"b", "c", "a"}) world.scheduler.observer().pod_added(plain_pod(name));
    world.scheduler.use(Profiles({&by_name_down, &bind}).list);
    world.settle();
    std::string order;
    for (const auto &d : world.decisions) order += d.pod.name;
    CHECK(order == "cba");
}

TEST_CASE("reload: waits for the end of an attempt that takes its time, and that pod is tried again", "[cycle]") {
    const berth_done *done = nullptr;
    FakePlugin closed = refuses("closed"), bind = binder();
    closed.post_filter = [&](const PostFilterCall &call) {
        call.status->code = BERTH_STATUS_IN_PROGRESS;
        done = call.done;
    };
    FakeWorld world({&bind});
    world.add_nodes(1);
    Profiles first({&closed, &bind});
    world.scheduler.use(std::move(first.list));
    world.scheduler.observer().pod_added(plain_pod("a"));
    world.settle();
    REQUIRE(done);
    world.scheduler.use(Profiles({&bind}).list);
    world.scheduler.observer().pod_added(plain_pod("b"));
    world.settle();
    CHECK(world.decisions.empty());
    CHECK_FALSE(first.alive.expired());
    done->status->code = BERTH_STATUS_UNSCHEDULABLE;
    plugin::behind(*done).complete(done->status);
    world.settle();
    CHECK(first.alive.expired());
    REQUIRE(world.decisions.size() == 3);
    CHECK(world.decisions[0].result == AttemptResult::Unschedulable);
    CHECK(world.decisions[1].result == AttemptResult::Scheduled);
    CHECK(world.decisions[2].result == AttemptResult::Scheduled);
}

TEST_CASE("scheduler: it is at rest when no pod is under way and each that it placed was seen", "[cycle]") {
    const berth_done *done = nullptr;
    FakePlugin bind{"Binder"};
    bind.bind = [&](const berth_pod *, berth_status *status, const berth_done *d) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        done = d;
    };
    FakeWorld world({&bind});
    world.add_nodes(1);
    CHECK(world.scheduler.quiescent());
    const auto pod = plain_pod("a");
    world.scheduler.observer().pod_added(pod);
    world.settle();
    REQUIRE(done);
    CHECK_FALSE(world.scheduler.quiescent());
    done->status->code = BERTH_STATUS_SUCCESS;
    plugin::behind(*done).complete(done->status);
    world.settle();
    CHECK_FALSE(world.scheduler.quiescent());
    world.scheduler.observer().pod_updated(pod, model::assumed_copy(pod, "n1"));
    CHECK(world.scheduler.quiescent());
    world.scheduler.use(Profiles({&bind}).list);
    CHECK_FALSE(world.scheduler.quiescent());
    world.settle();
    CHECK(world.scheduler.quiescent());
    CHECK(world.scheduler.wind_down());
}

TEST_CASE("scheduler: another one goes on counting where it ends", "[cycle]") {
    FakePlugin bind = binder();
    SchedulerSettings begun;
    begun.seed = 7;
    FakeWorld before({&bind}, begun);
    before.add_nodes(1);
    for (const auto *name : {"a", "b"}) before.scheduler.observer().pod_added(plain_pod(name));
    before.settle();
    const auto settings = before.scheduler.settings();
    CHECK(settings.seed == 7);
    FakeWorld after({&bind}, settings);
    after.wanted = model::Detail::Summary;
    after.add_nodes(1);
    after.scheduler.observer().pod_added(plain_pod("c"));
    after.settle();
    CHECK(after.last().cycle == before.last().cycle + 1);
    CHECK(after.last().seq > before.last().seq);
    CHECK(after.last().seq == settings.decisions + 1);
}
