// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "sim/virtual_clock.h"

#include <string>

using berth::sim::VirtualClock;

TEST_CASE("virtual clock: time stands still until it is told to pass", "[sim]") {
    VirtualClock clock(1000);
    bool rang = false;
    clock.after(5, [&] { rang = true; });
    CHECK_FALSE(clock.run());
    CHECK(clock.now_ns() == 1000);
    CHECK(clock.next_timer() == 1005);
    clock.advance_to(1004);
    CHECK_FALSE(rang);
    clock.advance_to(1005);
    CHECK(rang);
    CHECK(clock.monotonic_ns() == 5);
    CHECK_FALSE(clock.next_timer());
    clock.advance_to(3);
    CHECK(clock.now_ns() == 1005);
}

TEST_CASE("virtual clock: timers run at their own time, equal ones in order, and may set others", "[sim]") {
    VirtualClock clock(0);
    std::string order;
    clock.after(20, [&] { order += "c@" + std::to_string(clock.now_ns()) + " "; });
    clock.after(10, [&] { order += "a@" + std::to_string(clock.now_ns()) + " "; });
    clock.after(10, [&] {
        order += "b@" + std::to_string(clock.now_ns()) + " ";
        clock.post([&] { order += "posted@" + std::to_string(clock.now_ns()) + " "; });
        clock.after(5, [&] { order += "late@" + std::to_string(clock.now_ns()) + " "; });
    });
    clock.advance_to(100);
    CHECK(order == "a@10 b@10 posted@10 late@15 c@20 ");
    CHECK(clock.now_ns() == 100);
}

TEST_CASE("sim: a timer later than time itself comes at its end", "[sim]") {
    berth::sim::VirtualClock clock(1'767'225'600'000'000'000);
    clock.after(INT64_MAX, [] {});
    CHECK(clock.next_timer() == INT64_MAX);
}
