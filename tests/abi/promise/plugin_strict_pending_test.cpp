// SPDX-License-Identifier: Apache-2.0
// What --plugin-checks=strict says of a plugin that asks wrongly for the pending pods.
#include "strict_world.h"

using namespace strict_world;

namespace {

const std::string count = "called count of berth.host.pending_pods/draft1 ";
const std::string visit = "visit of berth.host.pending_pods/draft1";

/// Of the second pod; the first one waits.
std::string at_pre_filter(const std::string &fault) {
    return told(fault, "PreFilter", "running PreFilter plugin \"Tea\": ", 2);
}

}  // namespace

TEST_CASE("strict pending: a sound plugin sees what waits and notices nothing", "[plugin][queue]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        World world("strict_pending_sound", everywhere, checks);
        for (const auto *pod : {"p0", "p1"}) world.add(pod);
        REQUIRE(world.decisions.size() == 2);
        CHECK(world.decisions.back().message.empty());
        world.scheduler.reset();
        CHECK(world.log.lines == Lines{});
    }
}

TEST_CASE("strict pending: wrong arguments are named", "[plugin][queue]") {
    CHECK(at_pre_filter("pending_places") == count + "for the places 32");
    CHECK(at_pre_filter("pending_without_number") == count + "without a place for the number");
    CHECK(at_pre_filter("pending_without_version") ==
          "called version of berth.host.pending_pods/draft1 without a place for the number");
    CHECK(at_pre_filter("pending_without_function") == "called " + visit + " without a function");
}

TEST_CASE("strict pending: without the strict checks another thread is refused too", "[plugin][queue]") {
    World world("strict_pending_on_other_thread", everywhere, plugin::Checks::Basic);
    for (const auto *pod : {"p0", "p1"}) world.add(pod);
    REQUIRE(world.decisions.size() == 2);
    CHECK(world.decisions.back().message.empty());
}

TEST_CASE("strict pending: the wrong thread and the wrong time are named", "[plugin][queue]") {
    CHECK(at_pre_filter("pending_on_other_thread") == count + "on a thread that is not the loop's");
    CHECK(told("pending_in_filter", "Filter", "running \"Tea\" filter plugin: ", 2) ==
          count + "in a call that may run on several threads");
    const std::string outside = "plugin \"Tea\" broke the plugin ABI outside of its calls: it ";
    const auto changes = count + "in PreEnqueue, QueueSort or a hint, while the queue changes";
    CHECK(log_of("pending_in_pre_enqueue", everywhere) == Lines{broke("PreEnqueue") + "p\": it " + changes});
    for (const auto *fault : {"pending_at_create", "pending_at_destroy"})
        CHECK(log_of(fault, everywhere) == Lines{outside + count + "while the instance is made or ends"});
}

TEST_CASE("strict pending: who changes the queue within a visit, or keeps what it showed, is named",
          "[plugin][queue]") {
    World world("strict_pending_activates", everywhere);
    for (const auto *pod : {"p0", "p1"}) world.add(pod);
    REQUIRE(world.decisions.size() == 3);  // p0 is tried again, in the end
    CHECK(world.decisions[1].message ==
          "running PreFilter plugin \"Tea\": " + broke("PreFilter") + "p1\": it changed the queue within " + visit);
    for (const auto *fault : {"pending_keeps_pod", "pending_keeps_plugin"})
        CHECK(at_pre_filter(fault) == "passed a text that it had kept from an earlier call");
}
