// SPDX-License-Identifier: Apache-2.0
#include "api/throttle.h"

#include "catch.h"

using namespace berth;
using namespace std::chrono_literals;

// promise(peer): Log lines that a client can trigger are rate-limited and counted.
TEST_CASE("throttle: lines of one kind are written at a limited rate", "[api]") {
    api::Throttle throttle(10s, 60s);
    const auto now = api::Throttle::Clock::now();
    CHECK(throttle.say("token", "a", now) == 0);
    CHECK(throttle.say("right", "a", now) == 0);
    for (int i = 1; i <= 3; ++i) CHECK_FALSE(throttle.say("token", std::to_string(i), now + 9s));
    CHECK(throttle.say("token", "b", now + 10s) == 3);
    CHECK_FALSE(throttle.say("token", "b", now + 30s));
    CHECK(throttle.say("token", "c", now + 31s) == 1);
    CHECK(throttle.say("right", "a", now + 60s) == 0);
}
