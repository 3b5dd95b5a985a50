// SPDX-License-Identifier: Apache-2.0
#include "cli/serving_metrics.h"

#include "catch.h"
#include "cli/throttle.h"

using namespace berth;
using namespace std::chrono_literals;

TEST_CASE("serving metrics: Prometheus' text, with labels that nobody outside chooses", "[cli]") {
    const auto text = cli::serving_metrics({1, 2, 3, 4, 5, 6});
    for (const char *line :
         {"berth_serving_connections{client=\"known\"} 2\n", "{client=\"unknown\"} 1\n",
          "\nberth_serving_connections_accepted_total 3\n", "{reason=\"too_many\"} 4\n", "{reason=\"too_slow\"} 5\n",
          "\nberth_serving_requests_refused_total 6\n", "# TYPE berth_serving_connections gauge\n"})
        CHECK(text.find(line) != text.npos);
    CHECK(text.ends_with("\n"));
}

// promise(peer): Log lines that a client can trigger are rate-limited and counted.
TEST_CASE("throttle: each kind is said now and then", "[cli]") {
    cli::Throttle throttle(10s, 60s);
    const auto now = cli::Throttle::Clock::now();
    CHECK(throttle.say("token", "a", now) == 0);
    CHECK(throttle.say("right", "a", now) == 0);
    for (int i = 1; i <= 3; ++i) CHECK_FALSE(throttle.say("token", std::to_string(i), now + 9s));
    CHECK(throttle.say("token", "b", now + 10s) == 3);
    CHECK_FALSE(throttle.say("token", "b", now + 30s));
    CHECK(throttle.say("token", "c", now + 31s) == 1);
    CHECK(throttle.say("right", "a", now + 60s) == 0);
}
