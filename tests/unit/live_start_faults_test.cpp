// SPDX-License-Identifier: Apache-2.0
// Rights that are missing and kinds that are not there, as the operator is told of them.
#include "live/start_faults.h"

#include "catch.h"
#include "object_text.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

const kube::Right list_pods{"", "pods", {}, {}, "list"}, watch_pods{"", "pods", {}, {}, "watch"};
const kube::Right patch_claims{"", "persistentvolumeclaims", {}, {}, "patch"};
const kube::Right update_lease{"coordination.k8s.io", "leases", "berth", "harbour", "update"};
const live::NeededRights needed{
    {list_pods, {{false, "the scheduler"}, {true, "Spread"}}},
    {watch_pods, {{false, "the scheduler"}, {true, "Spread"}, {true, "Affinity"}}},
    {patch_claims, {{true, "VolumeBinding"}}},
    {update_lease, {{false, "leader election"}}},
};

struct World : env::Log {
    sim::VirtualClock clock{0};
    std::vector<std::string> logged;
    std::optional<std::string> told;
    live::StartFaults faults{clock, *this, [this](std::string text) { told = std::move(text); }};

    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity severity, int, std::string_view message, const Pairs &pairs,
               std::source_location) override {
        CHECK(severity == env::Severity::Error);
        logged.push_back(std::string(message) + ": " + pairs.at(0).second);
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}

    void missing(const std::vector<kube::Right> &rights) {
        faults.missing(needed, rights, [](const kube::Right &one) { return one.resource == "pods"; });
    }
};

const std::string claims_text =
    "plugin VolumeBinding may not patch persistentvolumeclaims: add to the scheduler's ClusterRole the rule "
    "{apiGroups: [\"\"], resources: [persistentvolumeclaims], verbs: [patch]}";
const std::string lease_text =
    "leader election may not update leases berth of coordination.k8s.io in namespace harbour: add to the scheduler's "
    "Role in namespace harbour the rule {apiGroups: [\"coordination.k8s.io\"], resources: [leases], resourceNames: "
    "[berth], verbs: [update]}";
const std::string pods_text =
    "the scheduler; plugins Affinity, Spread may not list, watch pods: add to the scheduler's ClusterRole the rule "
    "{apiGroups: [\"\"], resources: [pods], verbs: [list, watch]}";

}  // namespace

TEST_CASE("start faults: what is missing to write is told in the log, all of it", "[live]") {
    World world;
    world.faults.expect(2);
    world.missing({patch_claims, update_lease});
    world.faults.well();
    world.clock.advance_to(60'000'000'000);
    CHECK(world.logged == std::vector{"A right is missing: " + lease_text, "A right is missing: " + claims_text});
    CHECK_FALSE(world.told);
}

TEST_CASE("start faults: without a kind to watch Berth ends, and everything is told at once, in order", "[live]") {
    World world;
    world.faults.expect(3);
    auto crd = live::unwatchable({model::kind_of("example.com", "v1", "moorings"), {"Mooring"}}, 404, "HTTP 404");
    SECTION("when all have answered") {
        world.faults.unwatchable({crd});
        world.missing({patch_claims, list_pods, update_lease, watch_pods});
        CHECK_FALSE(world.told);
        world.faults.well();
    }
    SECTION("or after twelve seconds") {
        world.missing({patch_claims, list_pods, update_lease, watch_pods});
        world.faults.unwatchable({crd});
        world.clock.advance_to(11'000'000'000);
        CHECK_FALSE(world.told);
        world.clock.advance_to(12'000'000'000);
    }
    REQUIRE(world.told);
    CHECK(*world.told ==
          "4 things are missing (berth config rbac prints every right):\n" + lease_text +
              "\nplugin Mooring: watching example.com/v1/moorings, as declared, is not possible: HTTP 404; install the "
              "CustomResourceDefinition moorings.example.com with version v1\n" +
              claims_text + "\n" + pods_text);
}

TEST_CASE("start faults: a kind that was refused is told with the server's words, and not twice", "[live]") {
    World world;
    world.faults.expect(2);
    world.missing({list_pods, watch_pods});
    world.faults.unwatchable({live::unwatchable({model::kind_of("", "v1", "pods"), {}}, 403, "HTTP 403: no")});
    REQUIRE(world.told);
    CHECK(*world.told ==
          "the scheduler: watching v1/pods is not possible: HTTP 403: no; add to the scheduler's ClusterRole the rule "
          "{apiGroups: [\"\"], resources: [pods], verbs: [list, watch]}");
    CHECK(world.logged.empty());
}
