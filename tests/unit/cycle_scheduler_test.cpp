// SPDX-License-Identifier: Apache-2.0
#include "fake_world.h"

using namespace berth;
using model::AttemptResult;

TEST_CASE("scheduler: a pod is filtered, scored, assumed, bound and reported", "[cycle][bind][queue]") {
    std::vector<std::string> said;
    FakePlugin only{"OnlyB"};
    only.filter = [](const std::string &node) {
        return node == "n1" ? FilterSays{BERTH_UNSCHEDULABLE, {"not this one"}} : FilterSays{};
    };
    FakePlugin likes{"LikesN3"};
    likes.score = [](const std::string &node) { return node == "n3" ? 90 : 10; };
    FakePlugin bind = binder();
    bind.post_bind = [&](const berth_pod *pod) { said.push_back("bound to " + text(pod->node_name)); };
    FakeWorld world({&only, &likes, &bind});
    world.add_nodes(3);
    world.scheduler.pod_added(plain_pod("p"));
    world.settle();

    REQUIRE(world.decisions.size() == 1);
    const auto &d = world.last();
    CHECK(d.result == AttemptResult::Scheduled);
    CHECK(d.node == "n3");
    CHECK(d.attempt == 1);
    CHECK(d.evaluated_nodes == 3);
    CHECK(d.feasible_nodes == 2);
    REQUIRE(d.nodes.size() == 3);
    CHECK(d.nodes[0].verdict.plugin == "OnlyB");
    CHECK(d.nodes[2].total == 90);
    CHECK(said == std::vector<std::string>{"bound to n3"});
    CHECK(world.events == std::vector<std::string>{"Added n1", "Added n2", "Added n3", "Added default/p",
                                                   "Assumed default/p", "Bound default/p"});
    CHECK(world.scheduler.cache().is_assumed("uid-p"));
    CHECK(world.scheduler.binding() == 0);
}
