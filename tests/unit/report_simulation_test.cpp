// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.h"

#include "catch.h"
#include "decode/write.h"
#include "report/comparison.h"

using namespace berth;

namespace {

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
