// SPDX-License-Identifier: Apache-2.0
#include "offline/simulated.h"

#include "catch.h"
#include "config/read.h"
#include "paths.h"

using namespace berth;

TEST_CASE("simulated: pods wait as long as in a live cluster of the same configuration", "[offline]") {
    constexpr std::int64_t second = 1'000'000'000;
    auto configuration = config::built_in();
    configuration.pod_initial_backoff_seconds = 3;
    configuration.pod_max_backoff_seconds = 7;
    configuration.longest_unschedulable = std::chrono::seconds{90};
    const offline::SimulateOptions options;
    const std::optional<sim::Scenario> none;
    offline::Simulated simulated(options, none, configuration, [](const auto &) {});
    auto catalog = plugin::Catalog::open({{paths::plugins()}, {}, true});
    REQUIRE(catalog);
    REQUIRE(simulated.prepare(*catalog));
    const auto waits = simulated.scheduler().settings().queue;
    CHECK(waits.backoff.initial_ns == 3 * second);
    CHECK(waits.backoff.max_ns == 7 * second);
    CHECK(waits.longest_unschedulable_ns == 90 * second);
}
