// SPDX-License-Identifier: Apache-2.0
#include "report/pending.h"

#include "object_text.h"

using namespace berth;
using report::pending_text;

namespace {

report::PendingPod pending(const std::string &name, const std::string &message) {
    return {{"default", name, name}, model::AttemptResult::Unschedulable, message};
}

const char *waiting = R"({kind: WaitingPods, counts: {active: 1, backingOff: 0, unschedulable: 2, gated: 1}, omitted: 3,
  items: [{pod: {namespace: a, name: p}, state: Unschedulable, attempts: 2, message: "0/1 nodes are available"},
          {pod: {namespace: a, name: q}, state: Unschedulable, attempts: 1, rejectedBy: [NodePorts, NodeName]},
          {pod: {namespace: b, name: r}, state: Gated, gatedBy: SchedulingGates},
          {pod: {namespace: b, name: s}, state: Active, attempts: 0}]})";

}  // namespace

TEST_CASE("report: pods of a StatefulSet whose claims are missing are one group", "[report]") {
    std::vector<report::PendingPod> pods;
    for (int i = 0; i < 8; ++i) {
        const auto n = std::to_string(i);
        pods.push_back(pending("db-" + n, "persistentvolumeclaim \"data-db-" + n + "\" not found"));
    }
    CHECK(pending_text(pods, false) ==
          "PENDING, and why\n"
          "  8 pods: persistentvolumeclaim \"data-db-0\" not found  (and \"data-db-1\", \"data-db-2\", \"data-db-3\", "
          "\"data-db-4\", \"data-db-5\", … 2 more)\n"
          "    default/db-0, default/db-1, default/db-2, default/db-3, default/db-4, … 3 more\n");
    pods.resize(2);
    CHECK(pending_text(pods, false) ==
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
                        pending("b", "0/3 nodes are available: 3 Insufficient cpu.")},
                       false) ==
          "PENDING, and why\n"
          "  2 pods: 0/3 nodes are available: 2 Insufficient cpu.  (and with other counts)\n"
          "    default/a, default/b\n");
    CHECK(pending_text({pending("a", "1 claim \"x\""), pending("b", "2 claim \"y\"")}, false) ==
          "PENDING, and why\n"
          "  2 pods: 1 claim \"x\"  (and with other counts)  (and \"y\")\n"
          "    default/a, default/b\n");
    CHECK(pending_text(
              {pending("a", "claim \"x\" not found"), pending("b", "claim \"y\" is lost"), pending("c", "claim \"z")},
              false) ==
          "PENDING, and why\n"
          "  1 pod: claim \"x\" not found\n    default/a\n"
          "  1 pod: claim \"y\" is lost\n    default/b\n"
          "  1 pod: claim \"z\n    default/c\n");
}

TEST_CASE("report: the first pod of each group is advised, and not more than twenty", "[report]") {
    std::vector<std::string> called;
    auto advise = [&](const model::PodRef &pod) {
        called.push_back(pod.name);
        if (pod.name == "a") return std::vector<std::string>{"1 more cpu on n1"};
        return pod.name == "b" ? std::vector<std::string>{"uncordon n1", "label zone=\x1b[1m on n2"}
                               : std::vector<std::string>{};
    };
    CHECK(pending_text(
              {pending("a", "0/3 full"), pending("a2", "0/3 full"), pending("b", "closed"), pending("c", "unknown")},
              false, advise) ==
          "PENDING, and why\n"
          "  2 pods: 0/3 full\n    default/a, default/a2\n    default/a would fit with: 1 more cpu on n1\n"
          "  1 pod: closed\n    default/b\n    default/b would fit with one of:\n      uncordon n1\n"
          "      label zone=\\u001b[1m on n2\n"
          "  1 pod: unknown\n    default/c\n");
    CHECK(called == std::vector<std::string>{"a", "b", "c"});
    called.clear();
    std::vector<report::PendingPod> many;
    for (char c = 'A'; c < 'A' + 30; ++c) many.push_back(pending(std::string(1, c), "reason " + std::string(1, c)));
    CHECK(pending_text(many, true, advise).find("reason " + std::string(1, 'A' + 29)) != std::string::npos);
    CHECK(called.size() == report::most_advised);
}

TEST_CASE("report: pending pods of a running scheduler, all or those of a namespace", "[report]") {
    const auto tree = tree_of(waiting);
    CHECK(report::waiting_text(tree->value(), "", false, {}) ==
          "1 active, 0 in backoff, 2 unschedulable, 1 gated\n"
          "  3 more pods that began to wait later: not in this list\n\n"
          "PENDING, and why\n"
          "  1 pod: 0/1 nodes are available\n    a/p\n"
          "  1 pod: rejected by NodePorts, NodeName\n    a/q\n"
          "  1 pod: gated by SchedulingGates\n    b/r\n"
          "  1 pod: not tried yet\n    b/s\n");
    CHECK(report::pending_of(tree->value(), "b").size() == 2);
    CHECK(report::waiting_text(tree->value(), "c", false, {}) ==
          "1 active, 0 in backoff, 2 unschedulable, 1 gated\n"
          "  3 more pods that began to wait later: not in this list\n"
          "None of those in this list is in namespace c.\n");
    // Those that the answer leaves out may be in it.
    CHECK_FALSE(report::nothing_waits(tree->value(), "c"));
    CHECK(report::nothing_waits(tree_of("{items: []}")->value(), ""));
    CHECK(report::waiting_text(tree_of("{items: []}")->value(), "c", false, {})
              .find("No pod in namespace c is pending.") != std::string::npos);
    CHECK(report::waiting_text(tree_of("{leads: false}")->value(), "", false, {}).find("No pod is pending.\n") !=
          std::string::npos);
}
