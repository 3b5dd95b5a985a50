// SPDX-License-Identifier: Apache-2.0
#include "report/health.h"

#include "catch.h"

#include <thread>

using namespace berth;
using report::Health;

TEST_CASE("health: the texts are those of kube-scheduler", "[report]") {
    std::string trouble;
    Health health;
    health.add("shutdown", Health::Readyz, [] { return std::string(); });
    health.add("sched-handler-sync", Health::Readyz, [&] { return trouble; });
    health.add("ping", Health::Healthz | Health::Livez, [] { return std::string(); });
    CHECK(health.answer(Health::Readyz, {}, false).body == "ok");
    CHECK(health.answer(Health::Readyz, {}, true).body ==
          "[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
    CHECK(health.answer(Health::Livez, {}, true).body == "[+]ping ok\nlivez check passed\n");
    CHECK(health.answer(Health::Healthz, {}, true).body == "[+]ping ok\nhealthz check passed\n");
    CHECK(health.answer(Health::Readyz, {"shutdown", "b", "a"}, true).body ==
          "[+]shutdown excluded: ok\n[+]sched-handler-sync ok\n"
          "warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\nreadyz check passed\n");
    trouble = "handlers are not fully synchronized";
    auto failed = health.answer(Health::Readyz, {}, false);
    CHECK(failed.status == 500);
    CHECK(failed.body == "[+]shutdown ok\n[-]sched-handler-sync failed: reason withheld\nreadyz check failed\n");
    CHECK(failed.failures == "[-]sched-handler-sync failed: handlers are not fully synchronized\n");
    CHECK(health.answer(Health::Readyz, {"sched-handler-sync"}, false).body == "ok");
    CHECK(health.answer(Health::Livez, {}, false).body == "ok");
}

TEST_CASE("health: a note says something and fails nothing", "[report]") {
    std::string said;
    Health health;
    health.add("a", Health::Readyz, [] { return std::string(); });
    health.add_note("n", Health::Readyz, [&] { return said; });
    CHECK(health.answer(Health::Readyz, {}, true).body == "[+]a ok\n[+]n ok\nreadyz check passed\n");
    said = "the last change was refused";
    CHECK(health.answer(Health::Readyz, {}, false).body == "ok");
    CHECK(health.answer(Health::Readyz, {}, true).body ==
          "[+]a ok\n[+]n ok: the last change was refused\nreadyz check passed\n");
    CHECK(health.answer(Health::Readyz, "n").body == "ok: the last change was refused");
}

TEST_CASE("health: one check by its name", "[report]") {
    Health health;
    health.add("a", Health::Readyz, [] { return std::string("broken"); });
    CHECK(health.answer(Health::Readyz, "a").body == "internal server error: broken\n");
    CHECK(health.answer(Health::Readyz, "a").status == 500);
    health.add("a", Health::Readyz, [] { return std::string(); });
    CHECK(health.answer(Health::Readyz, "a").body == "ok");
    CHECK(health.answer(Health::Livez, "a").status == 404);
}

TEST_CASE("health: a loop that does not turn is noticed", "[report]") {
    using namespace std::chrono_literals;
    report::Heartbeat heart;
    CHECK(heart.check(10s).empty());
    CHECK(heart.ask());
    CHECK_FALSE(heart.ask());  // once is enough
    std::this_thread::sleep_for(20ms);
    CHECK(heart.check(10ms) == "the scheduling loop has not turned for 0 s");
    heart.beat();
    CHECK(heart.check(10s).empty());
    CHECK(heart.ask());
}
