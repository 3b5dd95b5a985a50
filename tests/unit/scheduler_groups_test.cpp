// SPDX-License-Identifier: Apache-2.0
#include "fake_world.h"
#include "plugin/meter.h"
#include "pod_groups.h"

#include <map>
#include <set>

using namespace berth;

namespace {

using Texts = std::vector<std::string>;

SchedulerSettings with_groups(plugin::Meter *meter = nullptr) {
    config::Configuration configuration;
    configuration.release = *config::Release::of("1.37");
    configuration.schedules_groups = true;
    SchedulerSettings settings;
    settings.meter = meter;
    settings.queue = queue::Settings(configuration);
    return settings;
}

/// Attempts as metrics count them: an end without a beginning is none.
struct Attempts : plugin::CallMeter {
    std::set<std::string, std::less<>> open;
    Texts ended;
    void called(const plugin::Instance &, plugin::CalledPoint, std::size_t, std::int64_t) override {}
    void attempt_began(std::string_view uid) override { open.emplace(uid); }
    void attempt_ended(std::string_view uid, std::string_view, std::string_view result) override {
        if (const auto at = open.find(uid); at != open.end()) {
            ended.push_back(*at + " " + std::string(result));
            open.erase(at);
        }
    }
};

/// A node takes one pod, and a group has to have as many as its gang says.
struct Gangs {
    FakePlugin room{"Room"}, gang{"Gang"}, bind = binder();
    std::map<std::string, int> on;  ///< pods by node
    Texts asked;

    Gangs() {
        room.filter = [this](const std::string &node) {
            return on[node] == 0 ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"no room"}};
        };
        room.reserve = [this](const std::string &node, berth_status *) { ++on[node]; };
        room.unreserve = [this](const std::string &node) { --on[node]; };
        gang.placement_feasible = [this](const berth_pod_group *group, std::uint64_t remaining, std::uint64_t scheduled,
                                         berth_status *status) {
            const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(group->min_count, 1));
            asked.push_back(std::to_string(scheduled) + "+" + std::to_string(remaining));
            if (scheduled + remaining < least) answer(status, BERTH_STATUS_UNSCHEDULABLE, "too few");
            else if (scheduled < least) answer(status, BERTH_STATUS_WAIT, "not yet");
        };
    }
};

struct GroupWorld : FakeWorld {
    Texts conditions;

    explicit GroupWorld(Gangs &gangs, plugin::Meter *meter = nullptr)
        : FakeWorld({&gangs.room, &gangs.gang, &gangs.bind}, with_groups(meter)) {
        scheduler.on_group([this](const model::PodGroup &group, const model::GroupCondition &condition) {
            conditions.push_back(std::string(group.name()) + (condition.holds ? " True " : " False ") +
                                 condition.reason + ": " + condition.message);
        });
    }
    void group(const std::string &name, const std::string &policy, const std::string &more = {}) {
        scheduler.observer().object_changed(model::pod_group_kind(), nullptr, group_object(name, policy, more));
    }
    void pods(const std::string &group, std::initializer_list<const char *> names, const std::string &more = {}) {
        for (const auto *name : names) scheduler.observer().pod_added(member(name, group, more));
    }
    Texts results() const {
        Texts out;
        for (const auto &d : decisions)
            out.push_back(d.pod.name + " " + std::string(model::result_name(d.result)) +
                          (d.node.empty() ? "" : " " + d.node) + (d.message.empty() ? "" : ": " + d.message));
        return out;
    }
};

}  // namespace

TEST_CASE("scheduler: a gang that fits is placed in one cycle", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(3);
    world.group("g", "gang: {minCount: 3}");
    world.pods("g", {"a", "b", "c"});
    world.settle();
    CHECK(world.decisions.size() >= 3);
    CHECK(world.conditions.back() == "g True Scheduled: ");
    CHECK(gangs.on["n1"] + gangs.on["n2"] + gangs.on["n3"] == 3);
    CHECK(world.scheduler.cache().pod_count() == 3);
}

TEST_CASE("scheduler: a gang that does not fit takes no node, and each pod says why", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(2);
    world.group("g", "gang: {minCount: 3}");
    // The group is there with all of its pods: nothing is tried before.
    world.scheduler.observer().pod_added(member("a", "g"));
    world.scheduler.observer().pod_added(member("b", "g"));
    world.scheduler.observer().pod_added(member("c", "g"));
    world.scheduler.schedule_one();
    CHECK(gangs.asked == Texts{"0+3", "1+2", "2+1", "2+0"});
    const auto all = world.results();
    REQUIRE(all.size() == 3);
    CHECK(all[0] == "a Unschedulable: pod group is unschedulable, too few, ");
    CHECK(all[1] == "b Unschedulable: pod group is unschedulable, too few, ");
    CHECK(all[2] == "c Unschedulable: 0/2 nodes are available: 2 no room.");
    CHECK(world.conditions == Texts{"g False Unschedulable: too few, "});
    CHECK(world.scheduler.cache().pod_count() == 0);
    CHECK(gangs.on["n1"] + gangs.on["n2"] == 0);
    CHECK(world.scheduler.queue().backing_off() == 3);
}

TEST_CASE("scheduler: a gang without enough pods is refused before the first of them", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(1);
    world.group("g", "gang: {minCount: 3}");
    world.pods("g", {"a"});
    world.settle();
    CHECK(world.results() == Texts{"a Unschedulable: pod group is unschedulable, too few"});
    CHECK(world.conditions == Texts{"g False Unschedulable: pod group is unschedulable, too few, "});
}

TEST_CASE("scheduler: of a basic group those pods are placed that fit", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(1);
    world.group("g", "basic: {}");
    world.pods("g", {"a", "b"});
    world.scheduler.schedule_one();
    CHECK(world.results() == Texts{"a Scheduled n1", "b Unschedulable: 0/1 nodes are available: 1 no room."});
    CHECK(world.conditions == Texts{"g True Scheduled: "});
}

TEST_CASE("scheduler: a pod that comes late is placed beside its gang", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(3);
    world.group("g", "gang: {minCount: 2}");
    world.pods("g", {"a", "b"});
    world.settle();
    gangs.asked.clear();
    world.pods("g", {"late"});
    world.settle();
    CHECK(gangs.asked == Texts{"2+1", "3+0"});
    CHECK(world.scheduler.cache().pod_count() == 3);
}

TEST_CASE("scheduler: pods of one group have one priority, scheduler and policy of preemption", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(3);
    world.group("g", "basic: {}");
    SECTION("priority") {
        world.pods("g", {"a"}, "priority: 3, ");
        world.scheduler.schedule_one();
        CHECK(world.conditions ==
              Texts{"g False SchedulerError: all pods in a single pod group should have the same priority as the pod "
                    "group's priority, got 3 and 0"});
    }
    SECTION("policy") {
        world.pods("g", {"a"});
        world.pods("g", {"b"}, "preemptionPolicy: Never, ");
        world.scheduler.schedule_one();
        CHECK(world.conditions == Texts{"g False SchedulerError: all pods in a single pod group should have the same "
                                        "preemption policy, got Never and PreemptLowerPriority"});
    }
    CHECK(world.scheduler.cache().pod_count() == 0);
    CHECK(world.decisions.back().result == model::AttemptResult::Error);
}

TEST_CASE("scheduler: what the status of a group says already is not written again", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(1);
    auto with = [](const std::string &holds, const std::string &reason) {
        return ", status: {conditions: [{type: PodGroupInitiallyScheduled, status: '" + holds + "', reason: " + reason +
               ", message: ''}]}";
    };
    SECTION("the same") { world.group("g", "basic: {}", with("True", "Scheduled")); }
    SECTION("placed once") {
        gangs.on["n1"] = 1;
        world.group("g", "basic: {}", with("True", "Scheduled"));
    }
    world.pods("g", {"a"});
    world.scheduler.schedule_one();
    CHECK(world.conditions.empty());
}

TEST_CASE("scheduler: a PodGroup that cannot be read counts as none", "[scheduler]") {
    Gangs gangs;
    GroupWorld world(gangs);
    world.add_nodes(1);
    world.group("g", "basic: {}, gang: {minCount: 1}");
    world.pods("g", {"a"});
    world.settle();
    CHECK(world.decisions.empty());
    CHECK(world.scheduler.queue().incomplete() == 1);
}

TEST_CASE("scheduler: a pod counts in its group until PreEnqueue has seen the rest of it", "[scheduler]") {
    Gangs gangs;
    Texts counted;
    std::function<std::uint64_t()> pods = [] { return std::uint64_t{0}; };
    gangs.gang.pre_enqueue = [&](const berth_pod *pod, berth_status *) {
        counted.push_back(text(pod->name) + std::to_string(pods()));
    };
    GroupWorld world(gangs);
    pods = [&] {
        berth_pod_group group{};
        (void)world.scheduler.cache().groups().describe("default", "g", group);
        return group.pods;
    };
    world.group("g", "gang: {minCount: 5}");
    world.pods("g", {"a", "b"});
    counted.clear();
    world.scheduler.observer().pod_deleted(member("a", "g"));
    CHECK(counted == Texts{"b2"});
    CHECK(pods() == 1);
}

TEST_CASE("scheduler: a pod holds no room on the node of its status while its group is in its cycle", "[scheduler]") {
    Gangs gangs;
    Texts held;
    const cluster::Nominations *nominations = nullptr;
    gangs.gang.pre_filter = [&](const berth_nodes *, berth_restrict *, berth_status *) {
        for (const auto &one : nominations->on("n1"))
            held.push_back(std::string(one->name()) + " " + std::to_string(one->effective().cpu));
    };
    GroupWorld world(gangs);
    nominations = &world.scheduler.nominations();
    world.add_nodes(2);
    world.group("g", "basic: {}");
    world.pods("g", {"a"});
    world.scheduler.observer().pod_added(
        plain_pod("b", "",
                  "spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i, resources: {requests: "
                  "{cpu: 2}}}]}\nstatus: {nominatedNodeName: n1}"));
    CHECK(nominations->on("n1").front()->effective().cpu == 2000);
    world.settle();
    CHECK(held == Texts{"b 0", "b 0"});
}

TEST_CASE("scheduler: each pod of a group that fails counts as an attempt, also those that were not tried",
          "[scheduler]") {
    Gangs gangs;
    Attempts attempts;
    GroupWorld world(gangs, &attempts);
    world.add_nodes(1);
    world.group("g", "gang: {minCount: 3}");
    world.pods("g", {"a", "b", "c", "d"});
    world.scheduler.schedule_one();
    CHECK(attempts.ended ==
          Texts{"uid-a unschedulable", "uid-b unschedulable", "uid-c unschedulable", "uid-d unschedulable"});
    CHECK(attempts.open.empty());
}

TEST_CASE("scheduler: without the gate there are no PodGroups, although a plugin watches them", "[scheduler]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    world.scheduler.observer().object_changed(model::pod_group_kind(), nullptr, group_object("g", "basic: {}"));
    CHECK(world.scheduler.cache().groups().find("default/g") == nullptr);
}
