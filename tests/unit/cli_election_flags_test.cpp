// SPDX-License-Identifier: Apache-2.0
#include "cli/election_flags.h"

#include "catch.h"

#include <CLI/CLI.hpp>

using namespace berth;
using namespace std::chrono_literals;

namespace {

struct Line {
    cli::ElectionFlags flags;
    CLI::App app{"", "berth"};
    config::LeaderElection election;

    explicit Line(const std::string &text) {
        flags.add(app);
        app.parse(text);
    }
    std::string fault() {
        auto applied = flags.apply(election);
        return applied ? "" : applied.error().text;
    }
};

}  // namespace

TEST_CASE("election flags: what is not given leaves the configuration as it is", "[cli]") {
    Line line("");
    line.election.leader_elect = false;
    line.election.retry_period = 1s;
    CHECK(line.fault().empty());
    CHECK_FALSE(line.election.leader_elect);
    CHECK(line.election.retry_period == 1s);
}

TEST_CASE("election flags: what is given overrides it", "[cli]") {
    Line line(
        "--leader-elect --leader-elect-lease-duration 1m30s --leader-elect-renew-deadline=20s "
        "--leader-elect-retry-period 1s --leader-elect-resource-lock leases --leader-elect-resource-name berth "
        "--leader-elect-resource-namespace=harbour");
    line.election.leader_elect = false;
    CHECK(line.fault().empty());
    CHECK(line.election.leader_elect);
    CHECK(line.election.lease_duration == 90s);
    CHECK(line.election.renew_deadline == 20s);
    CHECK(line.election.retry_period == 1s);
    CHECK(line.election.resource_name == "berth");
    CHECK(line.election.resource_namespace == "harbour");
    for (const char *text : {"--leader-elect=false", "--leader-elect=0", "--leader-elect=False"}) {
        Line off(text);
        CHECK(off.fault().empty());
        CHECK_FALSE(off.election.leader_elect);
    }
}

TEST_CASE("election flags: what cannot be is refused", "[cli]") {
    CHECK_THROWS_WITH(Line("--leader-elect-retry-period 2"),
                      "--leader-elect-retry-period: expected a duration such as 15s or 1m30s, got \"2\"");
    CHECK(Line("--leader-elect-lease-duration=5s").fault() ==
          "leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline`, after "
          "--leader-elect-lease-duration");
    CHECK(Line("--leader-elect-resource-lock=endpoints").fault() ==
          "leaderElection.resourceLock: Invalid value: \"endpoints\": resourceLock value must be \"leases\", after "
          "--leader-elect-resource-lock");
    CHECK(Line("--leader-elect=false --leader-elect-lease-duration=5s").fault().empty());
}
