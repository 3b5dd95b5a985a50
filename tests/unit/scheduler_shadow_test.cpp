// SPDX-License-Identifier: Apache-2.0
// Another configuration that is asked about the same attempts: Scheduler::use_shadow (host/scheduler/shadow.h).
#include "fake_world.h"

#include <thread>

using namespace berth;
using model::Agreement;

namespace {

FilterSays no(const std::string &why) { return {BERTH_STATUS_UNSCHEDULABLE, {why}}; }

std::vector<plugin::Profile> profiles_of(std::initializer_list<FakePlugin *> fakes) {
    std::vector<plugin::Profile> out;
    out.push_back(fake_profile(fakes));
    return out;
}

std::uint64_t counted(const FakeWorld &world, Agreement agreement) {
    return world.scheduler.shadow()->counts().of(agreement);
}

}  // namespace

TEST_CASE("shadow: its gates do not see what waits, its other plugins do", "[cycle][queue]") {
    FakePlugin real{"Real"}, other{"Other"}, bind = binder();
    plugin::Services services;
    int gates = 0, looks = 0;
    other.pre_enqueue = [&](const berth_pod *, berth_status *) {
        ++gates;
        CHECK_FALSE(services.pending_pods->count(BERTH_PENDING_ACTIVE));
    };
    other.pre_filter = [&](const berth_nodes *, berth_restrict *, berth_status *) {
        ++looks;
        CHECK(services.pending_pods->count(BERTH_PENDING_ACTIVE) == 0u);
    };
    FakeWorld world({&real, &bind});
    services = world.services();
    world.add_nodes(1);
    world.scheduler.use_shadow(profiles_of({&other, &bind}), {});
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(gates == 1);
    CHECK(looks == 1);
}

TEST_CASE("shadow: what it would do is told apart, and nothing comes of it", "[cycle]") {
    FakePlugin real{"Real"}, other{"Other"}, bind = binder();
    std::vector<std::string> said;
    other.reserve = [&](const std::string &, berth_status *) { said.emplace_back("reserve"); };
    other.permit = [&](const berth_pod *, berth_status *) { return said.emplace_back("permit"), 0u; };
    other.post_filter = [&](const PostFilterCall &c) { said.emplace_back("post filter"), c.nominate("n1"); };
    std::string here, there;  // the node that alone takes the pod; "": each does; "none": none does
    auto only = [](const std::string &wanted) {
        return [&wanted](const std::string &node) {
            return wanted.empty() || wanted == node ? FilterSays{} : no("not " + wanted);
        };
    };
    real.filter = only(here);
    other.filter = only(there);
    FakeWorld world({&real, &bind});
    world.add_nodes(2);
    world.scheduler.use_shadow(profiles_of({&other, &bind}), {});
    int serial = 0;
    auto compared = [&](const std::string &a, const std::string &b) {
        here = a, there = b;
        const auto before = world.scheduler.shadow()->counts();
        world.scheduler.observer().pod_added(plain_pod("p" + std::to_string(++serial)));
        world.settle();
        const auto now = world.scheduler.shadow()->counts();
        REQUIRE(now.compared() == before.compared() + 1);
        for (std::size_t i = 0; i < model::agreements; ++i)
            if (now.attempts[i] != before.attempts[i]) return static_cast<Agreement>(i);
        return Agreement::Skipped;
    };
    CHECK(compared("n1", "n1") == Agreement::Same);
    CHECK(compared("", "") == Agreement::Same);  // chance decides, and alike
    CHECK(compared("n1", "n2") == Agreement::OtherNode);
    CHECK(compared("n1", "none") == Agreement::OnlyReal);
    CHECK(compared("none", "n2") == Agreement::OnlyShadow);
    CHECK(compared("none", "neither") == Agreement::OtherReasons);
    const auto differences = world.scheduler.shadow()->newest(2);
    REQUIRE(differences.size() == 2);
    CHECK(differences[0]->pod.name == "p6");
    CHECK(differences[0]->real.message == "0/2 nodes are available: 2 not none.");
    CHECK(differences[0]->shadow.message == "0/2 nodes are available: 2 not neither.");
    CHECK(differences[0]->shadow.rejected_by == std::vector<std::string>{"Other"});
    CHECK(differences[1]->real.node.empty());
    CHECK(differences[1]->shadow.node == "n2");
    CHECK(world.scheduler.shadow()->newest(9).size() == 4);
    CHECK(said.empty());
    CHECK(world.decisions.size() == 6);
    CHECK(world.scheduler.nominations().empty());
}

TEST_CASE("shadow: a plugin of its that fails or holds pods back costs the real attempt nothing", "[cycle]") {
    FakePlugin real{"Real"}, other{"Other"}, bind = binder();
    real.filter = other.filter = [](const std::string &) { return FilterSays{}; };
    FakeWorld world({&real, &bind});
    world.add_nodes(2);
    world.scheduler.use_shadow(profiles_of({&other, &bind}), {});
    auto schedule = [&](const char *name) {
        world.scheduler.observer().pod_added(plain_pod(name));
        world.settle();
        CHECK(world.last().pod.name == name);
        CHECK(world.last().result == model::AttemptResult::Scheduled);
    };
    other.filter = [](const std::string &) -> FilterSays { throw std::runtime_error("no tea"); };
    schedule("throws");
    CHECK(counted(world, Agreement::Error) == 1);
    other.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_IN_PROGRESS, {}}; };
    schedule("later");
    CHECK(counted(world, Agreement::Error) == 2);
    CHECK(world.scheduler.shadow()->newest(1).front()->shadow.phase == "Filter");
    FakePlugin gate{"Gate"};
    gate.pre_enqueue = [](const berth_pod *, berth_status *status) {
        status->code = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE;
    };
    world.scheduler.use_shadow(profiles_of({&gate, &bind}), {});
    schedule("gated");
    CHECK(counted(world, Agreement::OnlyReal) == 1);
    CHECK(world.scheduler.shadow()->newest(1).front()->shadow.phase == "PreEnqueue");
    CHECK(world.scheduler.shadow()->all_counts().compared() == 3);
    CHECK(world.scheduler.shadow()->counts().compared() == 1);
}

TEST_CASE("shadow: while it has taken more than its share it is not asked", "[cycle]") {
    FakePlugin real{"Real"}, slow{"Slow"}, bind = binder();
    real.filter = [](const std::string &) { return FilterSays{}; };
    slow.filter = [](const std::string &) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return FilterSays{};
    };
    FakeWorld world({&real, &bind});
    world.add_nodes(10);
    world.scheduler.use_shadow(profiles_of({&slow, &bind}), {.budget_percent = 50});
    auto schedule = [&](int pods) {
        static int serial = 0;
        for (int i = 0; i < pods; ++i) {
            world.scheduler.observer().pod_added(plain_pod("p" + std::to_string(++serial)));
            world.settle();
        }
    };
    constexpr int pods = 20;
    schedule(pods);
    const auto counts = world.scheduler.shadow()->counts();
    CHECK(world.decisions.size() == pods);
    CHECK(counts.compared() >= 1);
    CHECK(counts.of(Agreement::Skipped) >= pods / 2);
    CHECK(counts.compared() + counts.of(Agreement::Skipped) == pods);
    // Without a limit each is compared, however long that takes.
    world.scheduler.use_shadow(profiles_of({&slow, &bind}), {});
    schedule(3);
    CHECK(world.scheduler.shadow()->counts().compared() == 3);
    CHECK(world.scheduler.shadow()->counts().shadow_ns > world.scheduler.shadow()->counts().real_ns);
    world.scheduler.pause_shadow();
    schedule(1);
    CHECK(world.scheduler.shadow()->counts().compared() == 3);
}

TEST_CASE("shadow: what a dry run of it tells is its own, and without profiles it is asked nothing", "[cycle]") {
    FakePlugin real{"Real"}, other{"Other"}, bind = binder();
    real.filter = [](const std::string &node) { return node == "n1" ? FilterSays{} : no("real"); };
    other.filter = [](const std::string &node) { return node == "n2" ? FilterSays{} : no("other"); };
    FakeWorld world({&real, &bind});
    world.add_nodes(3);
    const auto pod = plain_pod("p");
    CHECK(world.scheduler.dry_runs().run_shadow(pod).decision.message == "no profile is called \"default-scheduler\"");
    world.scheduler.use_shadow(profiles_of({&other, &bind}), {});
    CHECK(world.scheduler.dry_runs().run(pod).decision.node == "n1");
    const auto theirs = world.scheduler.dry_runs().run_shadow(pod).decision;
    CHECK(theirs.node == "n2");
    CHECK_FALSE(theirs.nodes.empty());
    CHECK(world.scheduler.shadow()->counts().compared() == 0);
    CHECK(world.decisions.empty());
    world.scheduler.use_shadow({}, {});
    world.scheduler.observer().pod_added(pod);
    world.settle();
    CHECK(world.last().node == "n1");
    CHECK(world.scheduler.shadow()->counts().compared() == 0);
}
