// SPDX-License-Identifier: Apache-2.0
// What the scheduler answers when it is asked about a pod: Scheduler::dry_run, scheduling_state, find_pod.
#include "fake_world.h"
#include "plugin/meter.h"

using namespace berth;
using State = model::SchedulingState::State;

namespace {

FilterSays no(const std::string &why) { return {BERTH_STATUS_UNSCHEDULABLE, {why}}; }

}  // namespace

TEST_CASE("dry run: it says what then happens, over and over", "[cycle]") {
    // More nodes than are visited for one pod, and all of them equal: chance and the place where the visit begins
    // count.
    FakePlugin even{"Even"}, odd{"Odd"}, bind = binder();
    even.score = [](const std::string &) { return 50; };
    odd.filter = [](const std::string &node) { return node.ends_with("7") ? no("sevens") : FilterSays{}; };
    SchedulerSettings settings;
    settings.seed = 11;
    FakeWorld world({&odd, &even, &bind}, settings);
    world.add_nodes(300);
    for (int i = 0; i < 40; ++i) {
        auto pod = plain_pod("p" + std::to_string(i));
        const auto said = world.scheduler.dry_runs().run(pod).decision;
        const auto again = world.scheduler.dry_runs().run(pod).decision;
        world.scheduler.observer().pod_added(pod);
        world.settle();
        const auto &d = world.last();
        REQUIRE(d.result == model::AttemptResult::Scheduled);
        CHECK(said.node == d.node);
        CHECK(again.node == d.node);
        CHECK(said.evaluated_nodes == d.evaluated_nodes);
        CHECK(said.start_index == d.start_index);
        CHECK(said.nodes.size() == d.nodes.size());
        REQUIRE(said.rejections.size() == 1);
        CHECK(said.rejections[0].plugin == "Odd");
        CHECK(said.rejections[0].nodes == said.evaluated_nodes - said.feasible_nodes);
    }
    CHECK(world.decisions.size() == 40);
}

TEST_CASE("dry run: nobody hears of it, and nothing is reserved, bound or evicted", "[cycle]") {
    std::vector<std::string> said;
    FakePlugin all{"All"}, bind = binder();
    all.filter = [](const std::string &) { return no("full"); };
    all.post_filter = [&](const PostFilterCall &c) { said.emplace_back("post filter"), c.nominate("n1"); };
    all.reserve = [&](const std::string &, berth_status *) { said.emplace_back("reserve"); };
    all.permit = [&](const berth_pod *, berth_status *) { return said.emplace_back("permit"), 0u; };
    FakeWorld world({&all, &bind});
    world.add_nodes(2);
    const auto events = world.events;
    auto out = world.scheduler.dry_runs().run(plain_pod("p"));
    CHECK(out.decision.result == model::AttemptResult::Unschedulable);
    CHECK(out.decision.message == "0/2 nodes are available: 2 full.");
    CHECK(out.decision.rejected_by == std::vector<std::string>{"All"});
    CHECK(out.not_called == std::vector<std::string>{"PostFilter of All"});
    all.filter = [](const std::string &) { return FilterSays{}; };
    CHECK(world.scheduler.dry_runs().run(plain_pod("p")).decision.result == model::AttemptResult::Scheduled);
    world.settle();
    CHECK(said.empty());
    CHECK(world.decisions.empty());
    CHECK(world.events == events);
    CHECK(world.scheduler.nominations().empty());
    CHECK(world.scheduler.cache().pod_count() == 0);
    CHECK(world.scheduler.find_pod("default", "p") == nullptr);
}

TEST_CASE("dry run: its pod does not wait meanwhile, and its gates do not see what waits", "[cycle][queue]") {
    constexpr std::uint32_t places = BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE;
    FakePlugin some{"Some"}, bind = binder();
    plugin::Services services;
    std::vector<std::string> shown;
    auto look = [&] {
        shown.clear();
        const bool closed = services.pending_pods->visit(places, [&](const berth_pending_pod &pod) {
            shown.push_back(text(pod.pod->name));
            return true;
        }) == plugin::PendingPods::Visited::Closed;
        const auto counted = services.pending_pods->count(places);
        CHECK(counted.has_value() != closed);
        CHECK(services.pending_pods->version().has_value() != closed);
        if (counted) CHECK(*counted == shown.size());
        return !closed;
    };
    int gates = 0, looks = 0;
    some.pre_enqueue = [&](const berth_pod *, berth_status *) {
        ++gates;
        CHECK_FALSE(look());
    };
    some.pre_filter = [&](const berth_nodes *, berth_restrict *, berth_status *) {
        ++looks;
        CHECK(look());
    };
    some.filter = [](const std::string &) { return no("full"); };
    FakeWorld world({&some, &bind});
    services = world.services();
    world.add_nodes(1);
    for (const auto *name : {"p", "q"}) world.scheduler.observer().pod_added(plain_pod(name));
    world.settle();
    REQUIRE(look());
    REQUIRE(shown.size() == 2);
    gates = looks = 0;
    world.scheduler.dry_runs().run(world.scheduler.find_pod("default", "p"));
    CHECK(gates == 1);
    CHECK(looks == 1);
    CHECK(shown == std::vector<std::string>{"q"});
    CHECK(look());
    CHECK(shown.size() == 2);
}

TEST_CASE("dry run: what plugins do counts nowhere", "[cycle]") {
    struct Counting : plugin::Meter {
        int calls = 0;
        void use(std::span<const plugin::Profile>) override {}
        void called(const plugin::Instance &, plugin::CalledPoint, std::size_t, std::int64_t) override { ++calls; }
        void evaluated(const plugin::Instance &, plugin::CalledPoint, std::size_t) override { ++calls; }
        void rejected(const plugin::Instance &, plugin::CalledPoint, std::size_t) override { ++calls; }
        void point_ended(std::string_view, plugin::CalledPoint, std::int32_t, std::int64_t) override { ++calls; }
        void attempt_began(std::string_view) override { ++calls; }
        void attempt_searched(std::string_view) override { ++calls; }
        void attempt_ended(std::string_view, std::string_view, std::string_view) override { ++calls; }
        void bound(std::uint32_t, std::int64_t) override { ++calls; }
        void began(std::string_view, plugin::CalledPoint) override { ++calls; }
        void ended(std::string_view, std::string_view, plugin::CalledPoint, std::int32_t) override { ++calls; }
        void entered(std::string_view, std::string_view, std::string_view) override { ++calls; }
    } meter;
    bool in_dry_run = false;
    FakePlugin some{"Some"}, bind = binder();
    const plugin::CallEnvironment *calls = nullptr;
    some.filter = [&](const std::string &) { return in_dry_run = calls->in_dry_run(), FilterSays{}; };
    SchedulerSettings settings;
    settings.meter = &meter;
    FakeWorld world({&some, &bind}, settings);
    calls = &world.scheduler.calls();
    world.add_nodes(2);
    meter.calls = 0;
    world.scheduler.dry_runs().run(plain_pod("p"));
    CHECK(meter.calls == 0);
    CHECK(in_dry_run);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(meter.calls > 0);
    CHECK(!in_dry_run);
}

TEST_CASE("dry run: a gate holds the pod, a plugin that throws fails it, and an unknown profile is named", "[cycle]") {
    FakePlugin gate{"Gate"}, bind = binder();
    bool broken = false;
    gate.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (text(pod->name) == "held") answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "not yet");
    };
    gate.filter = [&](const std::string &) -> FilterSays {
        if (broken) throw std::runtime_error("boom");
        return {};
    };
    FakeWorld world({&gate, &bind});
    world.add_nodes(1);
    auto held = world.scheduler.dry_runs().run(plain_pod("held")).decision;
    CHECK(held.result == model::AttemptResult::Gated);
    CHECK(held.message == "not yet");
    CHECK(held.rejected_by == std::vector<std::string>{"Gate"});
    broken = true;
    auto failed = world.scheduler.dry_runs().run(plain_pod("p")).decision;
    CHECK(failed.result == model::AttemptResult::Error);
    CHECK(failed.message.find("boom") != std::string::npos);
    auto stranger = plain_pod("s", {}, "spec: {schedulerName: other, containers: [{name: c, image: i}]}");
    CHECK(world.scheduler.dry_runs().run(stranger).decision.message == "no profile is called \"other\"");
    CHECK(world.scheduler.profile_names() == std::vector<std::string>{"default-scheduler"});
}

TEST_CASE("scheduling state: where a pod waits, who rejected it and what would wake it", "[cycle][queue]") {
    bool full = true;
    FakePlugin fit{"Fit"}, bind = binder();
    fit.filter = [&](const std::string &) { return full ? no("full") : FilterSays{}; };
    fit.hint = [](const berth_event *, const berth_pod *) { return BERTH_HINT_QUEUE; };
    fit.interests = {{"Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_TAINT, true},
                     {"AssignedPod", BERTH_EVENT_DELETE, false}};
    FakeWorld world({&fit, &bind});
    world.add_nodes(1);
    auto pod = plain_pod("p");
    world.scheduler.observer().pod_added(pod);
    CHECK(world.scheduler.scheduling_state(pod).state == State::Active);
    world.settle();
    auto s = world.scheduler.scheduling_state(world.scheduler.find_pod("default", "p"));
    CHECK(s.state == State::Unschedulable);
    CHECK(s.attempts == 1);
    CHECK(s.rejected_by == std::vector<std::string>{"Fit"});
    CHECK(s.until_ns == world.clock.now_ns() + 300'000'000'000);
    REQUIRE(s.wakes.size() == 2);
    CHECK(s.wakes[0].plugin == "Fit");
    CHECK(s.wakes[0].resource == "Node");
    CHECK(s.wakes[0].actions == std::vector<std::string_view>{"Add", "UpdateNodeTaint"});
    CHECK(s.wakes[0].looks);
    CHECK(s.wakes[1].actions == std::vector<std::string_view>{"Delete"});
    CHECK(!s.wakes[1].looks);

    world.scheduler.observer().node_added(plain_node("n2"));
    s = world.scheduler.scheduling_state(pod);
    CHECK(s.state == State::BackingOff);
    CHECK(s.wakes.empty());
    full = false;
    world.pass_seconds(2);
    world.settle();
    auto bound = world.scheduler.find_pod("default", "p");
    REQUIRE(bound);
    CHECK(world.scheduler.scheduling_state(bound).state == State::Placed);
    CHECK(world.scheduler.scheduling_state(bound).node == bound->node_name());
    auto placed = plain_pod("q", {}, "spec: {nodeName: n1, containers: [{name: c, image: i}]}");
    world.scheduler.observer().pod_added(placed);
    auto found = world.scheduler.find_pod("default", "q");
    REQUIRE(found);
    CHECK(found->uid() == "uid-q");
    CHECK(world.scheduler.scheduling_state(found).state == State::Placed);
    auto other = plain_pod("o", {}, "spec: {schedulerName: other, containers: [{name: c, image: i}]}");
    world.scheduler.observer().pod_added(other);
    CHECK(world.scheduler.scheduling_state(other).state == State::NotOurs);
    CHECK(world.scheduler.find_pod("default", "nobody") == nullptr);
}

TEST_CASE("scheduling state: a pod that waits in Permit has a node", "[cycle][bind]") {
    FakePlugin slow{"Slow"}, bind = binder();
    slow.permit = [](const berth_pod *, berth_status *status) {
        status->code = BERTH_STATUS_WAIT;
        return 60'000u;
    };
    FakeWorld world({&slow, &bind});
    world.add_nodes(1);
    auto pod = plain_pod("p");
    world.scheduler.observer().pod_added(pod);
    world.settle();
    auto s = world.scheduler.scheduling_state(pod);
    CHECK(s.state == State::Waiting);
    CHECK(s.node == "n1");
    CHECK(s.attempts == 1);
}
