// SPDX-License-Identifier: Apache-2.0
// What --plugin-checks=strict says of a plugin that declares selective watches wrongly.
#include "strict_world.h"

using namespace strict_world;

namespace {

const std::string declaring = "called declare of berth.host.selective_watches/draft1 ";

std::string at_pre_filter(const std::string &fault) {
    return told(fault, "PreFilter", "running PreFilter plugin \"Tea\": ");
}

}  // namespace

TEST_CASE("strict selective watches: a sound plugin notices nothing", "[plugin]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        World world("strict_selects_sound", everywhere, checks);
        world.add("p0");
        REQUIRE(world.decisions.size() == 1);
        CHECK(world.decisions.back().message.empty());
        world.scheduler.reset();
        CHECK(world.log.lines == Lines{});
    }
}

TEST_CASE("strict selective watches: a wrong declaration is named", "[plugin]") {
    CHECK(at_pre_filter("selects_late") == declaring + "after create");
    CHECK(log_of("selects_without_sink", everywhere) ==
          Lines{"plugin \"Tea\" broke the plugin ABI outside of its calls: it " + declaring + "without a sink"});
    plugin_world::World world({{"Tea", plugin_world::hostile("declares_selected_nothing"), {}, {}}});
    world.checks = plugin::Checks::Strict;
    CHECK(world.refusal("profiles: [{plugins: {filter: {enabled: [{name: Tea}]}}}]")
              .ends_with("it declares to watch a berth_watch that this host cannot read"));
    CHECK(world.log.lines ==
          Lines{"plugin \"Tea\" broke the plugin ABI outside of its calls: it " + declaring + "without a berth_watch"});
}
