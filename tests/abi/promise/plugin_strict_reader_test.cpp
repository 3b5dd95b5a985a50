// SPDX-License-Identifier: Apache-2.0
// What --plugin-checks=strict says of a plugin that reads wrongly.
#include "strict_world.h"

using namespace strict_world;

namespace {

const std::string reading = "called read of berth.host.reader/draft1 ";

std::string at_pre_filter(const std::string &fault) {
    return told(fault, "PreFilter", "running PreFilter plugin \"Tea\": ");
}

}  // namespace

TEST_CASE("strict reader: a sound plugin reads and notices nothing, also while it ends", "[plugin]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic})
        for (const auto *library : {"strict_reader_sound", "strict_reader_at_destroy"}) {
            World world(library, everywhere, checks);
            world.add("p0");
            REQUIRE(world.decisions.size() == 1);
            CHECK(world.decisions.back().message.empty());
            world.scheduler.reset();
            CHECK(world.log.lines == Lines{});
        }
}

TEST_CASE("strict reader: wrong arguments are named", "[plugin]") {
    CHECK(at_pre_filter("reader_without_function") == reading + "without a function");
    CHECK(at_pre_filter("reader_without_read") == reading + "without a berth_read");
    CHECK(
        log_of("reader_without_sink", everywhere) ==
        Lines{"plugin \"Tea\" broke the plugin ABI outside of its calls: it called declare of berth.host.reader/draft1 "
              "without a sink"});
}

TEST_CASE("strict reader: the wrong thread and the wrong time are named", "[plugin]") {
    CHECK(at_pre_filter("reader_on_other_thread") == reading + "on a thread that is not the loop's");
    CHECK(at_pre_filter("reader_cancels_on_other_thread") ==
          "called cancel of berth.host.reader/draft1 on a thread that is not the loop's");
    CHECK(at_pre_filter("reader_declares_late") == "called declare of berth.host.reader/draft1 after create");
    CHECK(told("reader_in_filter", "Filter", "running \"Tea\" filter plugin: ") ==
          reading + "in a call that may run on several threads");
}
