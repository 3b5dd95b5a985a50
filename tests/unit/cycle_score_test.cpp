// SPDX-License-Identifier: Apache-2.0
#include "fake_world.h"

#include <set>

using namespace berth;
using model::AttemptResult;

namespace {

FakePlugin scorer(std::string name, std::function<std::int64_t(std::string)> score) {
    FakePlugin fake{std::move(name)};
    fake.score = std::move(score);
    return fake;
}

std::int64_t number(const std::string &node) { return node.back() - '0'; }

const model::Decision &try_pod(FakeWorld &world, int nodes) {
    world.add_nodes(nodes);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.scheduler.schedule_one();
    return world.last();
}

std::vector<std::int64_t> normalized(std::vector<std::int64_t> scores, bool reverse) {
    cycle::normalize_scores(scores, reverse);
    return scores;
}

using Scores = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("score: the standard formula scales by the greatest score with truncation", "[cycle]") {
    CHECK(normalized({1, 2, 3}, false) == Scores{33, 66, 100});
    CHECK(normalized({1, 2, 3}, true) == Scores{67, 34, 0});
    CHECK(normalized({0, 0}, false) == Scores{0, 0});
    CHECK(normalized({0, 0}, true) == Scores{100, 100});
}

TEST_CASE("score: weighted scores add up and the greatest total wins", "[cycle]") {
    FakePlugin up = scorer("Up", number), down = scorer("Down", [](const std::string &n) { return 9 - number(n); }),
               bind = binder();
    down.weight = 3;
    FakeWorld world({&up, &down, &bind});
    const auto &d = try_pod(world, 3);
    CHECK(d.node == "n1");
    const auto &node = d.nodes.at(1);
    CHECK(node.scored);
    CHECK(node.total == 2 + 3 * 7);
    CHECK(node.scores.at(1).plugin == "Down");
    CHECK(node.scores.at(1).raw == 7);
    CHECK(node.scores.at(1).weighted == 21);
}

TEST_CASE("score: raw and normalized scores are told apart", "[cycle]") {
    FakePlugin big = scorer("Big", [](const std::string &n) { return 1000 * number(n); }), bind = binder();
    big.normalize_mode = BERTH_NORMALIZE_REVERSE;
    FakeWorld world({&big, &bind});
    const auto &d = try_pod(world, 2);
    CHECK(d.node == "n1");
    CHECK(d.nodes.at(0).scores.at(0).raw == 1000);
    CHECK(d.nodes.at(0).scores.at(0).normalized == 50);
}

TEST_CASE("score: a PreScore that skips leaves out its Score", "[cycle]") {
    FakePlugin skips = scorer("Skips", [](const std::string &) -> std::int64_t { return 100; }),
               up = scorer("Up", number), bind = binder();
    skips.pre_score = [](std::uint64_t, berth_status *status) { answer(status, BERTH_STATUS_SKIP); };
    FakeWorld world({&skips, &up, &bind});
    const auto &d = try_pod(world, 3);
    CHECK(d.node == "n3");
    CHECK(d.nodes.at(2).total == 3);
    CHECK(d.nodes.at(2).scores.size() == 1);
}

TEST_CASE("score: a single feasible node is not scored", "[cycle]") {
    FakePlugin up = scorer("Up", [](const std::string &) -> std::int64_t { throw std::logic_error("scored"); }),
               bind = binder();
    FakeWorld world({&up, &bind});
    CHECK(try_pod(world, 1).result == AttemptResult::Scheduled);
    CHECK_FALSE(world.last().nodes.at(0).scored);
}

TEST_CASE("score: a score out of range after normalizing fails the attempt in upstream's words", "[cycle]") {
    auto score = GENERATE(as<std::int64_t>{}, -1, 101);
    FakePlugin wild = scorer("Wild", [=](const std::string &) { return score; });
    FakeWorld world({&wild});
    CHECK(try_pod(world, 2).message ==
          "applying score defaultWeights on Score plugins: plugin \"Wild\" returns an invalid score " +
              std::to_string(score) + ", it should in the range of [0, 100] after normalizing");
    CHECK(world.last().phase == "Score");
    CHECK(world.last().reason == "SchedulerError");
}

TEST_CASE("score: failures are told in upstream's words", "[cycle]") {
    FakePlugin bad{"Bad"};
    std::string expected;
    SECTION("PreScore") {
        bad.pre_score = [](std::uint64_t, berth_status *s) { fail_with(s, "no index"); };
        expected = "running PreScore plugin \"Bad\": no index";
    }
    SECTION("a rejection at PreScore is a failure too") {
        bad.pre_score = [](std::uint64_t, berth_status *s) { answer(s, BERTH_STATUS_UNSCHEDULABLE, "no"); };
        expected = "running PreScore plugin \"Bad\": no";
    }
    SECTION("Score") {
        bad.score_status = [](berth_status *s) { fail_with(s, "no index"); };
        expected = "running Score plugins: plugin \"Bad\" failed with: no index";
    }
    SECTION("NormalizeScore") {
        bad.score = number;
        bad.normalize = [](std::int64_t *, std::uint64_t, berth_status *s) { fail_with(s, "no index"); };
        expected = "running Normalize on Score plugins: plugin \"Bad\" failed with: no index";
    }
    FakePlugin up = scorer("Up", number);
    FakeWorld world({&bad, &up});
    CHECK(try_pod(world, 2).message == expected);
    CHECK(world.last().result == AttemptResult::Error);
}

TEST_CASE("score: among equals the seed decides, the same way each time", "[cycle]") {
    auto places = [](std::uint64_t seed) {
        FakePlugin same = scorer("Same", [](const std::string &) { return 7; }), bind = binder();
        SchedulerSettings settings;
        settings.seed = seed;
        FakeWorld world({&same, &bind}, settings);
        world.add_nodes(8);
        for (int i = 0; i < 40; ++i) world.scheduler.observer().pod_added(plain_pod("p" + std::to_string(i)));
        world.settle();
        std::vector<std::string> nodes;
        for (const auto &d : world.decisions) nodes.push_back(d.node);
        return nodes;
    };
    auto nodes = places(1);
    CHECK(nodes == places(1));
    CHECK(nodes != places(2));
    CHECK(std::set<std::string>(nodes.begin(), nodes.end()).size() == 8);
}
