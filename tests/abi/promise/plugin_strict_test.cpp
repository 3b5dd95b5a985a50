// SPDX-License-Identifier: Apache-2.0
// --plugin-checks=strict names what a plugin does against the ABI, each in one sentence; sound plugins notice nothing.
#include "strict_world.h"

#include "plugin/violations.h"

using namespace strict_world;

namespace {

std::string at_filter(const std::string &fault, int pods = 1) {
    return told(fault, "Filter", "running \"Tea\" filter plugin: ", pods);
}
std::string at_score(const std::string &fault) {
    return told(fault, "Score", "running Score plugins: plugin \"Tea\" failed with: ");
}

}  // namespace

TEST_CASE("strict: a sound plugin notices nothing", "[plugin][cycle]") {
    World world("strict_sound", everywhere);
    for (const auto *pod : {"p0", "p1", "p2"}) world.add(pod);
    world.scheduler.reset();
    REQUIRE(world.decisions.size() == 3);
    for (const auto &d : world.decisions) CHECK(d.result == model::AttemptResult::Scheduled);
    CHECK(world.log.lines.empty());
}

TEST_CASE("strict: memory that is not there is NULL, and no exception", "[plugin][cycle]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        World world("strict_scratch_too_much", everywhere, checks);
        world.add("p0");
        CHECK(world.decisions.front().result == model::AttemptResult::Scheduled);
        CHECK(world.log.lines.empty());
    }
    CHECK(at_filter("stale_scratch") == "used scratch of an earlier call (Filter for pod \"default/p0\")");
}

TEST_CASE("strict: without it nobody looks", "[plugin][cycle]") {
    World world("strict_filter_batch", everywhere, plugin::Checks::Basic);
    world.add("p0");
    CHECK(world.decisions.front().result == model::AttemptResult::Scheduled);
    World off("filter_bad_reasons", everywhere, plugin::Checks::Off);
    off.add("p0");
    CHECK(off.decisions.front().result == model::AttemptResult::Unschedulable);
}

TEST_CASE("strict: a write beyond what was lent is named", "[plugin][cycle]") {
    CHECK(at_filter("code_overrun") == "wrote beyond the 2 entries of code[]");
    CHECK(at_filter("code_underrun") == "wrote before the beginning of code[]");
    CHECK(at_filter("reasons_overrun") == "wrote beyond the 2 entries of reasons[]");
    CHECK(at_filter("scratch_overrun") == "wrote beyond the 8 bytes of scratch");
    CHECK(at_filter("scratch_align") == "asked for scratch memory aligned to 3, which is no power of two up to 64");
    CHECK(at_filter("writes_slots") == "changed slots[], which is only to be read");
    CHECK(at_score("score_overrun") == "wrote beyond the 2 entries of out[]");
    CHECK(told("normalize_overrun", "NormalizeScore",
               "running Normalize on Score plugins: plugin \"Tea\" failed with: ") ==
          "wrote beyond the 2 entries of inout[]");
}

TEST_CASE("strict: a service that is called on the wrong thread or at the wrong time is named", "[plugin][cycle]") {
    CHECK(at_filter("other_thread") == "called declare of berth.host.columns/1 on a thread that is not the loop's");
    CHECK(at_filter("sends_on_other_thread") ==
          "called send of berth.host.client/1 on a thread that is not the loop's");
    CHECK(at_filter("reasons_on_other_thread") == "used intern_reasons on a thread that is not that of the call");
    CHECK(at_filter("declare_in_filter") ==
          "called declare of berth.host.columns/1, which is for create, PreEnqueue, PreFilter and PreScore");
    CHECK(at_filter("changes_in_filter") ==
          "called changes of berth.host.delta/1 in a call that may run on several threads");
    CHECK(at_filter("put_in_filter") == "called put of berth.host.state/1 in a call that may run on several threads");
    CHECK(at_filter("key_in_filter") == "called key of berth.host.state/1 after create");
    CHECK(at_filter("kind_in_filter") == "called kind of berth.host.cluster/1 after create");
    CHECK(at_filter("subscribe_in_filter") == "called subscribe of berth.host.cluster/1 after create");
    CHECK(at_filter("gets_undeclared") ==
          "called get of berth.host.cluster/1 for a kind that it did not declare to watch");
    CHECK(at_filter("unknown_key") == "called get of berth.host.state/1 with key 4711, which it never got");
}

TEST_CASE("strict: what a plugin does outside of its calls is named too", "[plugin]") {
    World world("strict_declare_in_timer", everywhere);
    world.add("p0");
    CHECK(world.decisions.front().result == model::AttemptResult::Scheduled);
    CHECK(world.log.lines.empty());
    world.clock.advance_to(world.clock.now_ns() + 1);
    world.clock.run();
    CHECK(world.log.lines == Lines{"plugin \"Tea\" broke the plugin ABI outside of its calls: it called declare of "
                                   "berth.host.columns/1, which "
                                   "is for create, PreEnqueue, PreFilter and PreScore"});
}

TEST_CASE("strict: what basic checks find is told in the same words", "[plugin][cycle]") {
    for (const auto *library : {"filter_99", "filter_wait", "filter_not_evaluated", "filter_bad_reasons"}) {
        World basic(library, everywhere, plugin::Checks::Basic), strict(library, everywhere);
        basic.add("p0");
        strict.add("p0");
        CHECK(strict.decisions.front().result == model::AttemptResult::Error);
        CHECK(strict.decisions.front().message == basic.decisions.front().message);
    }
}

TEST_CASE("strict: what is found is counted, by basic checks too", "[plugin][cycle]") {
    auto counted = [](const std::string &library, plugin::Checks checks) {
        const auto before = plugin::violations().count;
        {
            World world(library, everywhere, checks);
            world.add("p0");
        }
        return plugin::violations().count - before;
    };
    for (auto checks : {plugin::Checks::Basic, plugin::Checks::Strict}) {
        for (const auto *library : {"filter_99", "filter_wait", "filter_not_evaluated", "filter_bad_reasons",
                                    "throws_in_filter", "throws_in_destroy", "asks_late"}) {
            CAPTURE(library);
            CHECK(counted(library, checks) > 0);
        }
        for (const auto *library : {"sound", "throws_wrapped"}) CHECK(counted(library, checks) == 0);
    }
    CHECK_FALSE(plugin::violations().first.empty());
}

TEST_CASE("strict: who uses a handle of long ago is named, whatever stands there now", "[plugin][cycle]") {
    constexpr int more_calls_than_are_remembered = 40;
    CHECK(at_filter("stale_call", more_calls_than_are_remembered) ==
          "used intern_reasons of a call that it was not given, or that ended long ago");
    World world("strict_stale_call", everywhere);
    for (int i = 0; i < more_calls_than_are_remembered; ++i) world.add("p" + std::to_string(i));
    REQUIRE(!world.log.lines.empty());
    for (const auto &line : world.log.lines) CHECK(line.starts_with("plugin \"Tea\" broke"));
}

TEST_CASE("strict: what is kept from an earlier call is named when it is used", "[plugin][cycle]") {
    CHECK(at_filter("stale_call") == "used intern_reasons of an earlier call (Filter for pod \"default/p0\")");
    CHECK(at_filter("stale_random") == "used the berth_call of an earlier call (Filter for pod \"default/p0\")");
    CHECK(at_filter("stale_state") == "used the berth_state of an earlier call (Filter for pod \"default/p0\")");
    CHECK(at_filter("stale_nodes") == "used find of the nodes of an earlier call (Filter for pod \"default/p0\")");
    CHECK(at_filter("stale_column", 2) == "read a column that it was not given in this attempt, nor at create");
    CHECK(at_filter("stale_text") == "passed a text that it had kept from an earlier call");
    CHECK(at_filter("stale_pod") == "passed a text that it had kept from an earlier call");
    CHECK(at_filter("stale_object") ==
          "called get of berth.host.object/1 for an object that neither belongs to a current call nor is retained");
    CHECK(at_filter("stale_found") ==
          "called get of berth.host.object/1 for an object that neither belongs to a current call nor is retained");
    CHECK(at_filter("releases_unretained") == "released an object that it had not retained");
}

TEST_CASE("strict: an answer that depends on how the batch is cut is named", "[plugin][cycle]") {
    CHECK(at_filter("filter_batch") == "answered Unschedulable for node \"n1\" in one batch and Success in another");
    CHECK(at_filter("filter_reasons_batch") == "gave other reasons for node \"n2\" in another batch");
    CHECK(at_score("score_batch") == "scored node \"n2\" 1 in one batch and 0 in another");
    CHECK(at_score("score_part") == "answered Success for one batch and Unschedulable for a part of it");
    CHECK(at_score("score_range") == "scored node \"n1\" 101, which is not in 0 to 100, and does not normalize");
}

TEST_CASE("strict: a PreFilter that narrows and skips is named", "[plugin][cycle]") {
    CHECK(told("skip_and_narrow", "PreFilter", "running PreFilter plugin \"Tea\": ") ==
          "narrowed the nodes and answered Skip");
}

TEST_CASE("strict: a second unreserve does no harm, or is named", "[plugin][bind]") {
    CHECK(log_of("unreserve_once", everywhere) ==
          Lines{broke("Unreserve") + "p\": it threw char const*: no tea left when called a second time"});
}

TEST_CASE("strict: an order that is none is named", "[plugin][queue]") {
    auto has = [](const Lines &lines, const std::string &line) {
        CAPTURE(lines);
        return std::count(lines.begin(), lines.end(), line) > 0;
    };
    CHECK(has(log_of("key_against_less", sorting, 2),
              broke("QueueSort") + "pp\": it orders it and pod \"default/p\" by sort_key in another way than by less"));
    CHECK(has(log_of("key_overrun", sorting), broke("QueueSort") + "p\": it wrote beyond the 32 entries of key[]"));
    World world("strict_less_both", sorting);
    for (const auto *pod : {"p", "pp"}) world.scheduler->observer().pod_added(berth::plain_pod(pod));
    CHECK(has(world.log.lines, broke("QueueSort") + "pp\": it puts it before itself"));
}

TEST_CASE("strict: a call that is ended twice, or at the wrong time, is named", "[plugin][bind]") {
    CHECK(told("done_twice", "Bind", "running Bind plugin \"Tea\": ", 1, binding) ==
          "ended a call twice (Bind for pod \"default/p0\")");
    CHECK(told("done_and_answer", "Bind", "running Bind plugin \"Tea\": ", 1, binding) ==
          "ended the call with done and answered it at once");
    CHECK(log_of("done_late", binding) ==
          Lines{broke("PostBind") + "p\": it ended a call that it had answered already (Bind for pod \"default/p\")"});
}

TEST_CASE("strict: what is never given back is named at the end", "[plugin][bind]") {
    CHECK(log_of("done_never", binding) ==
          Lines{broke("Bind") + "p\": it answered IN_PROGRESS and never ended the call"});
    CHECK(log_of("leaks_object", everywhere) ==
          Lines{"plugin \"Tea\" broke the plugin ABI: it ended without releasing 2 objects that it had retained"});
}

TEST_CASE("strict: a hint that is none is named and wakes the pod", "[plugin][queue]") {
    World world("strict_hint_9", everywhere);
    world.add("p0");
    CHECK_FALSE(world.scheduler->next_ready());
    world.scheduler->observer().node_added(berth::plain_node("n3"));
    CHECK(world.scheduler->next_ready());
    CHECK(world.log.lines ==
          Lines{broke("QueueingHint") + "p0\": it answered 9 for pod \"default/p0\", which is none of skip, queue and "
                                        "error (0 to 2)"});
}
