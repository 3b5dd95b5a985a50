// SPDX-License-Identifier: Apache-2.0
#include "report/condition.h"

#include "pod_groups.h"

using namespace berth;

namespace {

constexpr std::int64_t now_ns = 1'767'225'600'250'000'000;  // 2026-01-01T00:00:00.25Z

model::PodPtr pod(const std::string &status, const std::string &generation = "generation: 1") {
    return pod_of("metadata: {name: p, namespace: default, uid: u, " + generation +
                  "}\nspec: {containers: [{name: c, image: i}]}\nstatus: " + status);
}

model::Decision failure(const std::string &message, bool rejected = true, const std::string &phase = "Filter") {
    model::Decision d;
    d.result = rejected ? model::AttemptResult::Unschedulable : model::AttemptResult::Error;
    d.reason = rejected ? "Unschedulable" : "SchedulerError";
    d.message = message;
    d.phase = phase;
    return d;
}

std::string patch(const model::PodPtr &p, const model::Decision &d) {
    return report::condition_patch(*p, d, now_ns).value_or("nothing");
}

const std::string known =
    "{conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: m, "
    "observedGeneration: 1, lastProbeTime: null, lastTransitionTime: '2025-01-01T00:00:00Z'}]}";

}  // namespace

TEST_CASE("condition: the first failure adds the whole condition", "[report]") {
    CHECK(
        patch(pod("{}"), failure("0/1 nodes are available: 1 \"x\".")) ==
        R"({"metadata":{"uid":"u"},"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z",)"
        R"("message":"0/1 nodes are available: 1 \"x\".","observedGeneration":1,"reason":"Unschedulable",)"
        R"("status":"False","type":"PodScheduled"}]}})");
    CHECK(
        patch(pod("{}", "labels: {}"), failure("m")) ==
        R"({"metadata":{"uid":"u"},"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z",)"
        R"("message":"m","reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})");
}

TEST_CASE("condition: the same words again send nothing", "[report]") {
    CHECK(patch(pod(known), failure("m")) == "nothing");
}

TEST_CASE("condition: only what changed is sent, and the transition time stays", "[report]") {
    CHECK(patch(pod(known), failure("other")) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
          R"("conditions":[{"message":"other","type":"PodScheduled"}]}})");
    CHECK(patch(pod(known), failure("broken", false)) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
          R"("conditions":[{"message":"broken","reason":"SchedulerError","type":"PodScheduled"}]}})");
    CHECK(patch(pod(known, "generation: 2"), failure("other")) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
          R"("conditions":[{"message":"other","observedGeneration":2,"type":"PodScheduled"}]}})");
    CHECK(patch(pod("{conditions: [{type: PodScheduled, status: 'True'}]}"), failure("m")) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
          R"("conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"m","observedGeneration":1,)"
          R"("reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})");
}

TEST_CASE("condition: a probe time that somebody gave it is taken away", "[report]") {
    auto probed = known;
    probed.replace(probed.find("lastProbeTime: null"), 19, "lastProbeTime: '2025-01-01T00:00:00Z'");
    CHECK(patch(pod(probed), failure("m")) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
          R"("conditions":[{"lastProbeTime":null,"type":"PodScheduled"}]}})");
}

TEST_CASE("condition: beside others it keeps its place", "[report]") {
    CHECK(
        patch(pod("{conditions: [{type: Ready, status: 'False'}]}"), failure("m")) ==
        R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],)"
        R"("conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z","message":"m",)"
        R"("observedGeneration":1,"reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})");
}

TEST_CASE("condition: condition and nomination go out in one patch", "[report]") {
    auto nominated = pod("{nominatedNodeName: n1, " + known.substr(1));
    auto d = failure("m");
    CHECK(patch(nominated, d) == "nothing");
    d.nomination = "n1";
    CHECK(patch(nominated, d) == "nothing");
    d.nomination = "";
    CHECK(patch(nominated, d) == R"({"metadata":{"uid":"u"},"status":{"nominatedNodeName":null}})");
    CHECK(patch(pod(known), d) == "nothing");
    d.nomination = "n2";
    CHECK(patch(nominated, d) == R"({"metadata":{"uid":"u"},"status":{"nominatedNodeName":"n2"}})");
    d.message = "x";
    CHECK(patch(pod(known), d) ==
          R"({"metadata":{"uid":"u"},"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":)"
          R"([{"message":"x","type":"PodScheduled"}],"nominatedNodeName":"n2"}})");
}

TEST_CASE("condition: the node of a pod that waits is a patch of its own", "[report]") {
    CHECK(report::nomination_patch(*pod("{}"), "n1") ==
          R"({"metadata":{"uid":"u"},"status":{"nominatedNodeName":"n1"}})");
    CHECK_FALSE(report::nomination_patch(*pod("{nominatedNodeName: n1}"), "n1"));
}

TEST_CASE("condition: the request is a strategic merge patch of pods/status", "[report]") {
    auto request = report::status_request(*pod("{}"), "{}");
    CHECK(request.verb == env::Verb::Patch);
    CHECK(request.content_type == "application/strategic-merge-patch+json");
    CHECK(request.resource == "pods");
    CHECK(request.subresource == "status");
    CHECK(request.name_space == "default");
    CHECK(request.name == "p");
}

TEST_CASE("condition: an answer that says that the pod is another one by now", "[report]") {
    CHECK(report::is_gone({404, "pods \"p\" not found"}));
    CHECK(report::is_gone({422, R"(Pod "p" is invalid: metadata.uid: Invalid value: "u": field is immutable)"}));
    CHECK_FALSE(report::is_gone({422, R"(Pod "p" is invalid: status.nominatedNodeName: Forbidden)"}));
    CHECK(report::is_gone({409, "Precondition failed: UID in precondition: u, UID in object meta: v"}));
    CHECK_FALSE(report::is_gone({409, "the object has been modified"}));
    CHECK_FALSE(report::is_gone({200, "{}"}));
}

TEST_CASE("condition: of a pod group, the first one whole and then what differs", "[report]") {
    auto body = [](const model::PodGroupPtr &group, const model::GroupCondition &now) {
        const auto request = report::group_request(*group, now, now_ns);
        CHECK(request.group == "scheduling.k8s.io");
        CHECK(request.resource + "/" + request.subresource == "podgroups/status");
        CHECK(request.name_space + "/" + request.name == "default/g");
        return request.body;
    };
    CHECK(
        body(pod_group("g"), {true, "Scheduled", "", 3}) ==
        R"({"metadata":{"uid":"g-g"},"status":{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"",)"
        R"("observedGeneration":3,"reason":"Scheduled","status":"True","type":"PodGroupInitiallyScheduled"}]}})");
    const auto before = pod_group("g", "basic: {}",
                                  ", status: {conditions: [{type: PodGroupInitiallyScheduled, status: 'False', reason: "
                                  "Unschedulable, message: m}]}");
    CHECK(
        body(before, {false, "Unschedulable", "n", 0}) ==
        R"({"metadata":{"uid":"g-g"},"status":{"$setElementOrder/conditions":[{"type":"PodGroupInitiallyScheduled"}],)"
        R"("conditions":[{"message":"n","type":"PodGroupInitiallyScheduled"}]}})");
}
