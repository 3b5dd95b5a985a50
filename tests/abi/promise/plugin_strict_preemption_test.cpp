// SPDX-License-Identifier: Apache-2.0
// What --plugin-checks=strict says of a PostFilter plugin that breaks the ABI.
#include "strict_world.h"
#include "unit/fake_extender.h"

using namespace strict_world;

namespace {

const std::string making_room =
    "multiPoint: {enabled: [{name: Tea}]}, postFilter: {disabled: [{name: '*'}], enabled: [{name: Tea}]}";
const std::string full = "0/2 nodes are available: 2 full. ";

/// One pod is placed on each node.
struct Full : World {
    explicit Full(const std::string &fault) : World("strict_" + fault, making_room) {
        for (const std::string node : {"n1", "n2"})
            scheduler->observer().pod_added(berth::plain_pod(
                "on-" + node, {}, "spec: {nodeName: " + node + ", containers: [{name: c, image: i}]}"));
    }
    /// What the last attempt says after "…broke the plugin ABI at PostFilter for pod "default/p…": it ".
    std::string last() {
        const auto &d = decisions.back();
        CHECK(d.result == model::AttemptResult::Unschedulable);
        const auto head = full + broke("PostFilter") + d.pod.name + "\": it ";
        if (!d.message.starts_with(head)) return d.message;
        CHECK(std::count(log.lines.begin(), log.lines.end(), d.message.substr(full.size())) == 1);
        return d.message.substr(head.size());
    }
};

std::string at_post_filter(const std::string &fault, int pods = 1) {
    Full world(fault);
    for (int i = 0; i < pods; ++i) world.add("p" + std::to_string(i));
    REQUIRE(world.decisions.size() == static_cast<std::size_t>(pods));
    return world.last();
}

/// The lines of the log that name another point.
Lines logged(const std::string &fault, const std::string &point) {
    Full world(fault);
    world.add("p0");
    world.scheduler.reset();
    Lines out;
    const std::string head = broke(point) + "p0\": it ";
    for (const auto &line : world.log.lines)
        if (line.starts_with(head)) out.push_back(line.substr(head.size()));
    return out;
}

}  // namespace

TEST_CASE("strict preemption: a sound plugin notices nothing", "[plugin][cycle]") {
    Full world("makes_no_room");
    for (const auto *pod : {"p0", "p1"}) world.add(pod);
    CHECK(world.last() == full + "no room");
    world.scheduler.reset();
    CHECK(world.log.lines == Lines{});
}

TEST_CASE("strict preemption: a call that is ended twice, at the wrong time or never is named", "[plugin][cycle]") {
    CHECK(at_post_filter("ends_twice") == "ended a call twice (PostFilter for pod \"default/p0\")");
    CHECK(at_post_filter("ends_and_answers") == "ended the call with done and answered it at once");
    CHECK(at_post_filter("late_done", 2) ==
          "ended a call that it had answered already (PostFilter for pod \"default/p0\")");
    Full world("never_ends");
    world.add("p0");
    world.add("p1");
    CHECK(world.decisions.empty());
    world.clock.advance_to(world.clock.now_ns() + 61'000'000'000);
    CHECK(world.scheduler->pending_calls() ==
          Lines{"plugin \"Tea\" has not ended PostFilter for pod \"default/p0\" after 61 s: no pod is scheduled until "
                "it does"});
    world.scheduler.reset();
    CHECK(world.log.lines == Lines{broke("PostFilter") + "p0\": it answered IN_PROGRESS and never ended the call"});
}

TEST_CASE("strict preemption: a call that waits when the scheduler ends is cancelled, and may be ended in destroy",
          "[plugin][cycle]") {
    for (auto checks : {plugin::Checks::Basic, plugin::Checks::Strict}) {
        World world("strict_ends_in_destroy", making_room, checks);
        world.add("p0");
        CHECK(world.decisions.empty());
        world.scheduler.reset();
        CHECK(world.log.lines == Lines{});
        CHECK(world.decisions.empty());
    }
}

TEST_CASE("strict preemption: who waits for an extender when the scheduler ends owes no answer", "[plugin][cycle]") {
    berth::env::ExtenderTraits traits;
    traits.preempts = true;
    berth::Scheduler::Extenders extenders;
    auto &extender =
        static_cast<berth::FakeExtender &>(*extenders.emplace_back(std::make_unique<berth::FakeExtender>(traits)));
    extender.late = true;
    extender.on_preempt = [](const std::string &) { return berth::env::Extender::Preempted{}; };
    World world("strict_asks_extenders", making_room, plugin::Checks::Strict, std::move(extenders));
    world.add("p0");
    CHECK(world.decisions.empty());
    CHECK(extender.waiting.size() == 1);
    const auto late = std::move(extender.waiting.front());
    world.scheduler.reset();
    CHECK(world.log.lines == Lines{});
    late();  // under a sanitizer: it touches nothing that is gone
}

TEST_CASE("strict preemption: what is of an earlier call, or only to be read, is named", "[plugin][cycle]") {
    CHECK(at_post_filter("writes_outcome") == "changed outcome->code[], which is only to be read");
    CHECK(at_post_filter("late_nominate", 2) == "used nominate of an earlier call (PostFilter for pod \"default/p0\")");
    CHECK(at_post_filter("late_outcome", 2) ==
          "used outcome_slots of an earlier call (PostFilter for pod \"default/p0\")");
}

TEST_CASE("strict preemption: victims that are none, or named at the wrong time, are named and not taken",
          "[plugin][cycle]") {
    const std::string name = "name of berth.host.victims/draft1 ";
    const std::string no_pods = "called " + name + "with rows that are not 1 to 10,000 different pods on nodes";
    CHECK(at_post_filter("names_late", 2) == "used " + name + "of an earlier call (PostFilter for pod \"default/p0\")");
    CHECK(at_post_filter("names_twice") == no_pods);
    CHECK(at_post_filter("names_in_trial") == no_pods);
    CHECK(at_post_filter("names_on_other_thread") == "used " + name + "on a thread that is not that of the call");
}

TEST_CASE("strict preemption: a trial is one of the call at hand, and is closed in it", "[plugin][cycle]") {
    CHECK(at_post_filter("uses_closed_trial", 2) ==
          "called filter of berth.host.runner/1 for a trial that it does not have open");
    CHECK(at_post_filter("state_of_closed_trial", 2) ==
          "called state of berth.host.trial_state/draft1 for a trial that it does not have open");
    CHECK(at_post_filter("stale_trial_state", 2) ==
          "called get of berth.host.state/1 for the state of a trial that it does not have open");
    CHECK(at_post_filter("state_on_other_thread") ==
          "called state of berth.host.trial_state/draft1 on a thread that is not the loop's");
    CHECK(at_post_filter("opens_for_other_pod") ==
          "called open of berth.host.runner/1 with arguments that do not belong to the current PostFilter call");
    CHECK(at_post_filter("asks_on_other_thread") ==
          "called filter of berth.host.runner/1 on a thread that is not the loop's");
    // In the words of the basic checks.
    CHECK(at_post_filter("leaves_trial_open") ==
          full + "plugin \"Tea\" answered at PostFilter with its trial of node \"n1\" open");
    CHECK(told("opens_in_pre_filter", "PreFilter", "running PreFilter plugin \"Tea\": ", 1, making_room) ==
          "called open of berth.host.runner/1 with arguments that do not belong to the current PostFilter call");
    // Filter is asked in two cuts.
    const std::string asks = "called filter of berth.host.runner/1 in a call that may run on several threads";
    CHECK(logged("asks_in_filter", "Filter") == Lines{asks});
}

TEST_CASE("strict preemption: AddPod and RemovePod are held to the rules of their thread and time", "[plugin][cycle]") {
    CHECK(logged("declares_in_remove_pod", "RemovePod") ==
          Lines{"called declare of berth.host.columns/1, which is for create, PreEnqueue, PreFilter and PreScore"});
    CHECK(logged("puts_in_add_pod", "AddPod").at(0) ==
          "called put of berth.host.state/1 in a call that may run on several threads");
    CHECK(logged("keeps_removed_pod", "AddPod") == Lines{"passed a text that it had kept from an earlier call"});
}

TEST_CASE("strict preemption: services that are used on the wrong thread, or within a visit, are named",
          "[plugin][cycle]") {
    CHECK(at_post_filter("activates_on_other_thread") ==
          "called activate of berth.host.activator/1 on a thread that is not the loop's");
    CHECK(at_post_filter("cancels_on_other_thread") ==
          "called cancel of berth.host.pods_in_pre_bind/draft1 on a thread that is not the loop's");
    CHECK(at_post_filter("visits_on_other_thread") ==
          "called visit of berth.host.nominator/1 on a thread that is not the loop's");
    CHECK(at_post_filter("narrows_on_other_thread") ==
          "called narrow of berth.host.extenders/draft1 on a thread that is not the loop's");
    CHECK(at_post_filter("narrows_what_is_none") ==
          "called narrow of berth.host.extenders/draft1 for an invalid candidate");
    CHECK(at_post_filter("narrows_without_function") ==
          "called narrow of berth.host.extenders/draft1 without a function");
    CHECK(told("narrows_in_pre_filter", "PreFilter", "running PreFilter plugin \"Tea\": ", 1, making_room) ==
          "called narrow of berth.host.extenders/draft1 with a call that is not the current PostFilter call");
    CHECK(logged("nominates_in_filter", "Filter").at(0) ==
          "called remove of berth.host.nominator/1 in a call that may run on several threads");
    Full world("removes_while_visiting");
    world.scheduler->observer().pod_added(
        berth::plain_pod("promised", {}, "spec: {containers: [{name: c, image: i}]}\nstatus: {nominatedNodeName: n1}"));
    world.add("p0");
    CHECK(std::ranges::count(world.log.lines,
                             broke("visit of berth.host.nominator/1") +
                                 "promised\": it called remove of berth.host.nominator/1 within a visit") ==
          2);  // by each of the two pods
    CHECK(told("changes_since_tomorrow", "PreFilter", "running PreFilter plugin \"Tea\": ", 1, making_room)
              .ends_with(", which is later than that of the call"));
}

TEST_CASE("strict preemption: an event that is none, or about a stranger, is named and not written", "[plugin]") {
    const std::string call = "called event of berth.host.recorder/1 ";
    CHECK(at_post_filter("event_without_reason") == "wrote an event with the reason \"\", expected 1 to 128 bytes");
    CHECK(at_post_filter("event_of_no_type") ==
          "wrote an event of type \"Alarm\", which is neither \"Normal\" nor \"Warning\"");
    CHECK(at_post_filter("event_of_stranger", 2) ==
          call + "for an object that neither belongs to a current call nor is retained");
    CHECK(at_post_filter("event_on_other_thread") == call + "on a thread that is not the loop's");
    Full world("event_without_reason");
    world.add("p0");
    CHECK(world.recorder.notes.empty());
}
