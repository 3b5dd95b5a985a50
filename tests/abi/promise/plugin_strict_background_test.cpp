// SPDX-License-Identifier: Apache-2.0
// What --plugin-checks=strict says of tasks, of what plugins prepare of objects, and of how they sign pods.
#include "strict_world.h"

using namespace strict_world;

namespace {

/// The log after two pods, which are placed.
Lines after_two(const std::string &fault, plugin::Checks checks = plugin::Checks::Strict) {
    World world("strict_" + fault, everywhere, checks);
    for (const auto *pod : {"p0", "p1"}) world.add(pod);
    CHECK(world.decisions.size() == 2);
    for (const auto &d : world.decisions) {
        CHECK(d.result == model::AttemptResult::Scheduled);
        CHECK(d.message.empty());
    }
    world.scheduler.reset();
    return world.log.lines;
}

const std::string in_task = "plugin \"Tea\" broke the plugin ABI in a task: it ";

}  // namespace

TEST_CASE("strict task: a sound plugin notices nothing, and binds when its task has ended", "[plugin][bind]") {
    CHECK(after_two("task_sound") == Lines{});
    CHECK(after_two("task_sound", plugin::Checks::Basic) == Lines{});
    CHECK(after_two("task_in_task") == Lines{});
    World world("strict_task_throws", everywhere);
    world.add("p0");
    CHECK(world.decisions.back().message == "running PreBind plugin \"Tea\": no tea");
    CHECK(world.log.lines == Lines{});
}

TEST_CASE("strict task: the end of the scheduler ends tasks, and the calls that wait for them", "[plugin][bind]") {
    World world("strict_task_sound", everywhere);
    world.scheduler->observer().pod_added(berth::plain_pod("p0"));
    while (world.scheduler->schedule_one()) {
    }
    CHECK(world.scheduler->pending_calls().size() == 1);
    world.scheduler.reset();
    world.clock.run();
    CHECK(world.log.lines == Lines{});
}

TEST_CASE("strict task: what is not for a task is named, on whatever thread it runs", "[plugin][bind]") {
    CHECK(after_two("task_declares").at(0) ==
          in_task + "called declare of berth.host.columns/1 on a thread that is not the loop's");
    CHECK(after_two("task_lists").at(0) == in_task + "called list of berth.host.cluster/1");
    CHECK(after_two("task_sends").at(0) ==
          in_task + "called send of berth.host.client/1 on a thread that is not the loop's");
    CHECK(after_two("task_uses_call").at(0) ==
          in_task + "used intern_reasons on a thread that is not that of the call");
}

TEST_CASE("strict task: one that is begun in the wrong place is named", "[plugin][cycle]") {
    const std::string filter = "running \"Tea\" filter plugin: ", submit = "called submit of berth.host.task/1 ";
    CHECK(told("task_in_filter", "Filter", filter) == submit + "in a call that may run on several threads");
    CHECK(told("task_on_other_thread", "Filter", filter) == submit + "on a thread that is not the loop's");
    CHECK(after_two("task_in_create") ==
          Lines{"plugin \"Tea\" broke the plugin ABI outside of its calls: it " + submit + "during create"});
}

TEST_CASE("strict prepare: an object is prepared once per version, assumed copies included", "[plugin][cycle]") {
    CHECK(after_two("prepare_sound") == Lines{});
    CHECK(after_two("prepare_sound", plugin::Checks::Basic) == Lines{});
}

TEST_CASE("strict prepare: what cannot be prepared is the error of the pod at hand", "[plugin][cycle]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        World world("strict_prepare_fails", everywhere, checks);
        world.add("p0");
        CHECK(world.decisions.back().result == model::AttemptResult::Error);
        CHECK(world.decisions.back().message == "running PreFilter plugin \"Tea\": no terms in p0");
        CHECK(world.log.lines == Lines{});
    }
}

TEST_CASE("strict prepare: asking at the wrong time or for a stranger is named", "[plugin][cycle]") {
    const std::string get = "called get of berth.host.prepared/1 ";
    CHECK(told("prepared_in_filter", "Filter", "running \"Tea\" filter plugin: ") ==
          get + "in a call that may run on several threads");
    CHECK(told("prepared_of_stranger", "PreFilter", "running PreFilter plugin \"Tea\": ", 2) ==
          get + "for an object that neither belongs to a current call nor is retained");
    World world("strict_prepare_declares", everywhere);
    world.add("p0");
    CHECK(world.decisions.back().message ==
          "running PreFilter plugin \"Tea\": plugin \"Tea\" broke the plugin ABI at Prepare: it called declare of "
          "berth.host.columns/1, which is for create, PreEnqueue, PreFilter and PreScore");
}

namespace {

/// The first line of the log after at most so many pods.
std::string first_line(const std::string &fault, int pods) {
    World world("strict_" + fault, everywhere);
    for (int i = 0; i < pods && world.log.lines.empty(); ++i) world.add("p" + std::to_string(i));
    return world.log.lines.empty() ? "" : world.log.lines.front();
}

}  // namespace

TEST_CASE("strict sign: one that signs all it looks at, or nothing, is not named", "[plugin][cycle]") {
    CHECK(first_line("sign_sound", 60).empty());
    CHECK(first_line("sign_throws", 60) == "sign threw: no");
}

TEST_CASE("strict sign: one that looks at more than it signs is named", "[plugin][cycle]") {
    const auto judged = first_line("sign_forgets_in_filter", 200), scored = first_line("sign_forgets_in_score", 200);
    INFO(judged << "\n" << scored);
    const std::string head = "plugin \"Tea\" broke the plugin ABI outside of its calls: it signed pod \"default/p";
    CHECK(judged.starts_with(head));
    const auto other = judged.find("as it did another one, but judges node \"n1\" in another way: ");
    REQUIRE(other != std::string::npos);
    CHECK((judged.ends_with(": Unschedulable \"no tea\", not Success") ||
           judged.ends_with(": Success, not Unschedulable \"no tea\"")));
    CHECK(scored.starts_with(head));
    CHECK((scored.ends_with("in another way: 5, not 7") || scored.ends_with("in another way: 7, not 5")));
}
