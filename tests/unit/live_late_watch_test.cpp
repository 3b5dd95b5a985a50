// SPDX-License-Identifier: Apache-2.0
// A plugin that keeps pods waiting is told of while it does.
#include "fake_world.h"
#include "live/late_watch.h"
#include "plugin_world.h"

using namespace berth;
using Lines = std::vector<std::string>;

TEST_CASE("late watch: a binding that does not end is in the log, by the pod that waited longest", "[live][bind]") {
    FakePlugin slow{"Slow"};
    std::vector<const berth_done *> bindings;
    slow.bind = [&](const berth_pod *, berth_status *status, const berth_done *done) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        bindings.push_back(done);
    };
    FakeWorld w({&slow});
    plugin_world::Log log;
    live::LateWatch watch(w.clock, log, w.scheduler);
    watch.start();
    w.add_nodes(1);
    w.scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    w.pass_seconds(20);
    w.scheduler.observer().pod_added(plain_pod("a"));
    w.settle();
    w.pass_seconds(10);
    CHECK(log.lines == Lines{"plugin \"Slow\" has not ended Bind for pod \"default/p\" after 30 s"});
    w.pass_seconds(30);
    REQUIRE(log.lines.size() == 2);
    CHECK(log.lines[1] == "plugin \"Slow\" has not ended Bind for pod \"default/p\" after 60 s, nor for 1 other pod");
    for (const auto *done : bindings) plugin::behind(*done).complete(done->status);
    w.settle();
    w.pass_seconds(60);
    CHECK(log.lines.size() == 2);
    CHECK(w.scheduler.pending_calls().empty());
}
