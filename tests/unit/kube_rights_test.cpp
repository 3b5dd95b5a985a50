// SPDX-License-Identifier: Apache-2.0
#include "kube/rights.h"

#include "fake_transport.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

const kube::Right binding{"", "pods/binding", {}, {}, "create"};
const kube::Right lease{"coordination.k8s.io", "leases", "berth", "harbour", "update"};

struct World {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    kube::Rights rights{transport, clock};
    std::optional<std::vector<kube::Right>> missing;

    void ask(std::vector<kube::Right> asked) {
        rights.ask(std::move(asked), [this](std::vector<kube::Right> m) { missing = std::move(m); });
    }
    void answer(int status, const std::string &body) {
        transport.answer(status, body);
        clock.run();
    }
    void allow(bool yes) { answer(201, std::string(R"({"status":{"allowed":)") + (yes ? "true}}" : "false}}")); }
    void pass_seconds(std::int64_t s) { clock.advance_to(clock.now_ns() + s * 1'000'000'000); }
};

}  // namespace

TEST_CASE("rights: the question, word for word", "[kube]") {
    World world;
    world.ask({binding, lease});
    CHECK(world.transport.last().request.method == "POST");
    CHECK(world.transport.path() == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    CHECK(world.transport.last().request.body ==
          R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":)"
          R"({"verb":"create","group":"","resource":"pods","subresource":"binding"}}})");
    world.allow(true);
    CHECK(
        world.transport.last().request.body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":)"
        R"({"verb":"update","group":"coordination.k8s.io","resource":"leases","name":"berth","namespace":"harbour"}}})");
    CHECK_FALSE(world.missing);
    world.allow(true);
    REQUIRE(world.missing);
    CHECK(world.missing->empty());
}

TEST_CASE("rights: only what is denied for five seconds is missing", "[kube]") {
    World world;
    world.ask({binding, lease});
    world.allow(false);
    world.allow(false);
    for (int second = 1; second < 5; ++second) {
        CHECK_FALSE(world.missing);
        world.pass_seconds(1);
        world.allow(false);
        world.allow(second > 2);  // the second one is allowed by and by, and not asked again
        if (second > 2) break;
    }
    REQUIRE_FALSE(world.missing);
    const auto asked = world.transport.sent.size();
    for (int second = 4; second <= 5; ++second) {
        world.pass_seconds(1);
        world.allow(false);
    }
    CHECK(world.transport.sent.size() == asked + 2);
    REQUIRE(world.missing);
    CHECK(*world.missing == std::vector{binding});
}

TEST_CASE("rights: of a server that does not say it is not said that they are missing", "[kube]") {
    World world;
    world.ask({binding, lease});
    world.answer(403, R"({"kind":"Status","message":"forbidden"})");
    world.answer(201, "no JSON");
    REQUIRE(world.missing);
    CHECK(world.missing->empty());
}

TEST_CASE("rights: a server that is away is asked again until it answers", "[kube]") {
    World world;
    world.ask({binding, lease});
    world.allow(false);
    for (int second = 0; second < 20; ++second) {
        world.answer(second % 2 == 0 ? 0 : 503, "away");
        CHECK_FALSE(world.missing);
        const auto asked = world.transport.sent.size();
        world.pass_seconds(1);
        REQUIRE(world.transport.sent.size() == asked + 1);  // no storm
        world.allow(false);
    }
    world.allow(true);
    REQUIRE(world.missing);
    CHECK(*world.missing == std::vector{binding});
}
