// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.h"

#include "catch.h"

using namespace berth;

namespace {

report::PendingPod pending(const std::string &name, const std::string &message) {
    return {{"default", name, name}, model::AttemptResult::Unschedulable, message};
}

/// The part of the tables that says what is pending.
std::string pending_text(std::vector<report::PendingPod> pods, bool all = false) {
    report::Simulation s;
    s.pending = std::move(pods);
    const auto text = report::to_text(s, all);
    return text.substr(text.find("PENDING"));
}

}  // namespace

TEST_CASE("report: pods of a StatefulSet whose claims are missing are one group", "[report]") {
    std::vector<report::PendingPod> pods;
    for (int i = 0; i < 8; ++i) {
        const auto n = std::to_string(i);
        pods.push_back(pending("db-" + n, "persistentvolumeclaim \"data-db-" + n + "\" not found"));
    }
    CHECK(pending_text(pods) ==
          "PENDING, and why\n"
          "  8 pods: persistentvolumeclaim \"data-db-0\" not found  (and \"data-db-1\", \"data-db-2\", \"data-db-3\", "
          "\"data-db-4\", \"data-db-5\", … 2 more)\n"
          "    default/db-0, default/db-1, default/db-2, default/db-3, default/db-4, … 3 more\n");
    pods.resize(2);
    CHECK(pending_text(pods) ==
          "PENDING, and why\n"
          "  2 pods: persistentvolumeclaim \"data-db-0\" not found  (and \"data-db-1\")\n"
          "    default/db-0, default/db-1\n");
    CHECK(pending_text(pods, true) ==
          "PENDING, and why\n"
          "  1 pod: persistentvolumeclaim \"data-db-0\" not found\n    default/db-0\n"
          "  1 pod: persistentvolumeclaim \"data-db-1\" not found\n    default/db-1\n");
}

TEST_CASE("report: other words, or quotes that do not end, are other groups; other counts are not", "[report]") {
    CHECK(pending_text({pending("a", "0/3 nodes are available: 2 Insufficient cpu."),
                        pending("b", "0/3 nodes are available: 3 Insufficient cpu.")}) ==
          "PENDING, and why\n"
          "  2 pods: 0/3 nodes are available: 2 Insufficient cpu.  (and with other counts)\n"
          "    default/a, default/b\n");
    CHECK(pending_text({pending("a", "1 claim \"x\""), pending("b", "2 claim \"y\"")}) ==
          "PENDING, and why\n"
          "  2 pods: 1 claim \"x\"  (and with other counts)  (and \"y\")\n"
          "    default/a, default/b\n");
    CHECK(pending_text({pending("a", "claim \"x\" not found"), pending("b", "claim \"y\" is lost"),
                        pending("c", "claim \"z")}) ==
          "PENDING, and why\n"
          "  1 pod: claim \"x\" not found\n    default/a\n"
          "  1 pod: claim \"y\" is lost\n    default/b\n"
          "  1 pod: claim \"z\n    default/c\n");
}
