// SPDX-License-Identifier: Apache-2.0
// berth.host.cancellation/draft1, with a library in C whose memory each callback frees.
#include "strict_world.h"

using namespace strict_world;

namespace {

constexpr std::int64_t second = 1'000'000'000;
const std::string reason = "running PreBind plugin \"Tea\": pod does not exist any more: pod \"p\" not found";

/// A pod p waits in PreBind.
struct Waiting : World {
    explicit Waiting(plugin::Checks checks) : World("cancellation", everywhere, checks) { add("p"); }

    void run() {
        while (clock.run() || scheduler->schedule_one() || answer()) {
        }
    }
    void pass(std::int64_t ns) {
        clock.advance_to(clock.now_ns() + ns);
        run();
    }
};

Lines misused(const std::string &fault, std::initializer_list<const char *> pods = {"p"}) {
    World world("strict_cancellation_" + fault, everywhere);
    for (const auto *pod : pods) world.add(pod);
    world.scheduler.reset();
    return world.log.lines;
}

}  // namespace

TEST_CASE("cancellation: a plugin is told in the next turn that its pod was deleted", "[plugin][bind]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        Waiting s(checks);
        CHECK(s.scheduler->pending_calls().size() == 1);
        CHECK(s.log.lines == Lines{});
        s.scheduler->observer().pod_deleted(berth::plain_pod("p"));
        CHECK(s.log.lines == Lines{});
        const auto now = s.clock.now_ns();
        s.run();
        CHECK(s.clock.now_ns() == now);
        CHECK(s.log.lines == Lines{"p cancellation 0", "p timer -6"});
        CHECK(s.scheduler->pending_calls().empty());
        CHECK(s.decisions.back().message == reason);
        s.pass(4 * second);
        CHECK(s.log.lines.size() == 2);
    }
}

TEST_CASE("cancellation: a call that ends without it ends the wait", "[plugin][bind]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        Waiting s(checks);
        s.pass(3 * second);
        CHECK(s.log.lines == Lines{"p timer 0", "p cancellation -6"});
        s.add("now");
        CHECK(s.log.lines.back() == "now cancellation -6");
        CHECK(s.log.lines.size() == 3);
    }
}

TEST_CASE("cancellation: an instance that ends is told, and may end its calls", "[plugin][bind]") {
    for (auto checks : {plugin::Checks::Strict, plugin::Checks::Basic}) {
        Waiting s(checks);
        s.scheduler.reset();
        CHECK(s.log.lines == Lines{"p timer -6", "p cancellation -6"});
    }
}

TEST_CASE("cancellation: misuse is named, and refused", "[plugin][bind]") {
    const std::string after = "it called after of berth.host.cancellation/draft1 ";
    const std::string ours = "plugin \"Tea\" broke the plugin ABI at ";
    CHECK(misused("in_preflight").at(0) ==
          ours + "PreBindPreFlight for pod \"default/p\": " + after + "for a call that cannot be answered later");
    CHECK(misused("without_function").at(0) == ours + "PreBind for pod \"default/p\": " + after + "without a function");
    CHECK(
        misused("of_earlier_call", {"p", "q"}).at(0) ==
        ours +
            "PreBind for pod \"default/q\": it used the berth_call of an earlier call (PreBind for pod \"default/p\")");
    CHECK(misused("of_own_call").at(0) ==
          ours + "PreBind for pod \"default/p\": " + after + "for a call that it was not given");
    CHECK(misused("on_other_thread").at(0) ==
          ours + "PreBind for pod \"default/p\": " + after + "on a thread that is not the loop's");
    // What comes only when a call is over keeps nobody from ending it.
    CHECK(misused("never_ends") ==
          Lines{ours + "PreBind for pod \"default/p\": it answered IN_PROGRESS and never ended the call"});
}
