// SPDX-License-Identifier: Apache-2.0
#include "model/build.h"
#include "model/decision.h"

#include "catch.h"
#include "decode/write.h"

using namespace berth::model;

namespace {

std::string json(const Decision &decision, Detail detail) {
    Arena arena;
    const auto value = to_value(arena, decision, detail);
    return berth::decode::to_json(Value{&value});
}

Status status(std::int32_t code, std::string plugin, std::vector<std::string> reasons) {
    Status s;
    s.code = code;
    s.plugin = std::move(plugin);
    s.reasons = std::move(reasons);
    return s;
}

Decision rejected() {
    Decision d;
    d.seq = 42;
    d.pod = {"default", "web-1", "u1"};
    d.profile = "default-scheduler";
    d.attempt = 1;
    d.cycle = 17;
    d.time_ns = 1767225600'000000000;
    d.result = AttemptResult::Unschedulable;
    d.phase = "Filter";
    d.reason = "Unschedulable";
    d.message = "0/2 nodes are available: 1 Insufficient cpu.";
    d.rejected_by = {"NodeResourcesFit"};
    d.evaluated_nodes = 2;
    d.start_index = 1;
    d.pre_filter = {{"NodeAffinity", status(BERTH_STATUS_SKIP, "NodeAffinity", {}), false, {}},
                    {"MaxPods", {}, true, {"n1"}}};
    NodeRecord n1;
    n1.name = "n1";
    n1.verdict = status(BERTH_STATUS_UNSCHEDULABLE, "NodeResourcesFit", {"Insufficient cpu", "Too many pods"});
    NodeRecord n2;
    n2.name = "n2";
    n2.verdict = status(BERTH_STATUS_ERROR, "Broken", {});
    n2.verdict.error = "went wrong";
    d.nodes = {n1, n2};
    return d;
}

}  // namespace

TEST_CASE("decision: a summary has the documented members in the documented order", "[model]") {
    CHECK(json(rejected(), Detail::Summary) ==
          R"({"seq":42,"pod":{"namespace":"default","name":"web-1","uid":"u1"},"profile":"default-scheduler",)"
          R"("attempt":1,"cycle":17,"time":"2026-01-01T00:00:00.000000Z","result":"Unschedulable","phase":"Filter",)"
          R"("reason":"Unschedulable","message":"0/2 nodes are available: 1 Insufficient cpu.",)"
          R"("rejectedBy":["NodeResourcesFit"],"evaluatedNodes":2,"feasibleNodes":0,"startIndex":1})");
}

TEST_CASE("decision: more detail adds what PreFilter and every node said", "[model]") {
    const auto summary = json(rejected(), Detail::Summary);
    const auto expected = summary.substr(0, summary.size() - 1) +
                          R"(,"preFilter":[{"plugin":"NodeAffinity","status":"Skip"},)"
                          R"({"plugin":"MaxPods","status":"Success","nodes":["n1"]}],)"
                          R"("nodes":[{"name":"n1","verdict":{"plugin":"NodeResourcesFit","status":"Unschedulable",)"
                          R"("reasons":["Insufficient cpu","Too many pods"]}},)"
                          R"({"name":"n2","verdict":{"plugin":"Broken","status":"Error","reasons":["went wrong"]}}]})";
    CHECK(json(rejected(), Detail::Nodes) == expected);
    CHECK(json(rejected(), Detail::Events) == expected);
}

TEST_CASE("decision: who gives way stands beside the nominated node, and at the plugin that named them", "[model]") {
    auto d = rejected();
    d.pre_filter.clear(), d.nodes.clear();
    d.nominated_node = "n1";
    d.victims = {{"default/a", "other/b"}, 3, "fewest pods"};
    CHECK(json(d, Detail::Summary)
              .ends_with(R"("rejectedBy":["NodeResourcesFit"],"nominatedNode":"n1","victims":["default/a","other/b"],)"
                         R"("moreVictims":3,"victimsReason":"fewest pods","evaluatedNodes":2,"feasibleNodes":0,)"
                         R"("startIndex":1})"));
    d.post_filter = {{"Room", {}, "n1", {{"default/a"}, 0, ""}}, {"Silent", {}, std::nullopt, {}}};
    CHECK(json(d, Detail::Nodes)
              .ends_with(R"("startIndex":1,"postFilter":[{"plugin":"Room","status":"Success","nominatedNode":"n1",)"
                         R"("victims":["default/a"]},{"plugin":"Silent","status":"Success"}]})"));
}

TEST_CASE("decision: a scored node shows each plugin's scores and their sum", "[model]") {
    Decision d;
    d.pod = {"a", "b", ""};
    d.result = AttemptResult::Scheduled;
    d.node = "n1";
    d.evaluated_nodes = d.feasible_nodes = 2;
    NodeRecord scored;
    scored.name = "n1";
    scored.scored = true;
    scored.scores = {{"ImageLocality", 12, 50, 100}};
    scored.total = 100;
    NodeRecord plain;
    plain.name = "n2";
    d.nodes = {scored, plain};
    CHECK(json(d, Detail::Nodes) ==
          R"({"seq":0,"pod":{"namespace":"a","name":"b"},"attempt":0,"cycle":0,"time":"1970-01-01T00:00:00.000000Z",)"
          R"("result":"Scheduled","node":"n1","evaluatedNodes":2,"feasibleNodes":2,"startIndex":0,)"
          R"("nodes":[{"name":"n1","scores":[{"plugin":"ImageLocality","raw":12,"normalized":50,"weighted":100}],)"
          R"("total":100},{"name":"n2"}]})");
}

TEST_CASE("decision: an event between decisions names its object", "[model]") {
    Arena arena;
    auto value = to_value(arena, DecisionEvent{7, "Bound", "Pod", "default", "web-1", {}});
    CHECK(berth::decode::to_json(Value{&value}) ==
          R"({"seq":7,"event":{"type":"Bound","kind":"Pod","namespace":"default","name":"web-1"}})");
    value = to_value(arena, DecisionEvent{8, "Added", "Node", "", "n1", {}});
    CHECK(berth::decode::to_json(Value{&value}) == R"({"seq":8,"event":{"type":"Added","kind":"Node","name":"n1"}})");
    auto tree = std::make_shared<Tree>();
    ObjectBuilder object(tree->arena);
    tree->root = object.add("kind", std::string_view{"Pod"}).value();
    value = to_value(arena, DecisionEvent{9, "Modified", "Pod", "default", "web-1", tree});
    CHECK(berth::decode::to_json(Value{&value}) == R"({"seq":9,"event":{"type":"Modified","kind":"Pod",)"
                                                   R"("namespace":"default","name":"web-1","object":{"kind":"Pod"}}})");
}

TEST_CASE("decision: results go by these names", "[model]") {
    CHECK(result_name(AttemptResult::Scheduled) == "Scheduled");
    CHECK(result_name(AttemptResult::Unschedulable) == "Unschedulable");
    CHECK(result_name(AttemptResult::Waiting) == "Waiting");
    CHECK(result_name(AttemptResult::Gated) == "Gated");
    CHECK(result_name(AttemptResult::Error) == "Error");
}
