// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.h"

#include "catch.h"
#include "decode/write.h"
#include "report/comparison.h"

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

report::Simulation with_gaps() {
    report::Simulation s;
    s.placed_before = 4;
    s.without_node = 8;
    s.input.missing = {{"nodes", 3, 8, "pods on them are not counted", {"n1", "n2"}},
                       {"csinodes", std::nullopt, 1'200, "volume limits are ignored", {}}};
    s.input.command = "kubectl get nodes,pods,csinodes -A -o yaml > cluster.yaml";
    s.input.skipped = {2, 1, {"a.json:1:1"}};
    return s;
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

TEST_CASE("report: what the input lacks stands before what came of it", "[report]") {
    const auto text = report::to_text(with_gaps(), false);
    CHECK(text.starts_with("Cluster: 0 nodes, 4 placed pods, 0 pods to place, 8 on missing nodes\n"));
    CHECK(text.find("\nMISSING from the input\n"
                    "  RESOURCE  MISSING   PODS  EFFECT                        SUCH AS\n"
                    "  nodes           3      8  pods on them are not counted  n1, n2, …\n"
                    "  csinodes      any  1,200  volume limits are ignored\n"
                    "  To include them: kubectl get nodes,pods,csinodes -A -o yaml > cluster.yaml\n"
                    "\nUTILISATION\n") != std::string::npos);
    CHECK(report::to_text(report::Simulation{}, false).find("MISSING") == std::string::npos);
}

TEST_CASE("report: programs read what the input lacks and what was left out", "[report]") {
    const auto tree = report::to_tree(with_gaps(), model::Detail::Summary);
    CHECK(decode::to_json(tree->value()["input"]) ==
          R"({"missing":[{"resource":"nodes","count":3,"pods":8,"effect":"pods on them are not counted",)"
          R"("first":["n1","n2"]},{"resource":"csinodes","pods":1200,"effect":"volume limits are ignored",)"
          R"("first":[]}],"command":"kubectl get nodes,pods,csinodes -A -o yaml > cluster.yaml",)"
          R"("skipped":{"documents":2,"files":1,"first":["a.json:1:1"]}})");
    CHECK(decode::to_json(tree->value()["summary"]["pods"]) == "12");
    CHECK(decode::to_json(tree->value()["summary"]["placedBefore"]) == "4");
    CHECK(decode::to_json(tree->value()["summary"]["onMissingNodes"]) == "8");
    CHECK(!report::to_tree(report::Simulation{}, model::Detail::Summary)->value()["input"]);
}

TEST_CASE("report: a comparison says what the input lacks once, or for which configuration", "[report]") {
    const auto one = report::compared("a.yaml", with_gaps()), other = report::compared("b.yaml", with_gaps()),
               whole = report::compared("c.yaml", {});
    const auto both = report::to_text({one, other});
    CHECK(both.find("\n\nMISSING from the input\n") != std::string::npos);
    CHECK(both.find("MISSING from") == both.rfind("MISSING from"));
    CHECK(report::to_text({one, whole, other}).find("\n\nWith a.yaml, b.yaml: MISSING from the input\n") !=
          std::string::npos);
    const auto tree = report::to_tree({one, whole});
    CHECK(tree->value()["configurations"].at(0)["input"]["missing"].size() == 2);
    CHECK(!tree->value()["configurations"].at(1)["input"]);
}
