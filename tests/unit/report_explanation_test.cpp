// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "decode/document.h"
#include "report/decision_ring.h"
#include "report/explanation.h"
#include "report/explanation_text.h"
#include "report/table.h"

#include <algorithm>

using namespace berth;

namespace {

model::Decision decision(const std::string &name) {
    model::Decision d;
    d.pod = {"default", name, "uid-" + name};
    d.profile = "default-scheduler";
    d.attempt = 1;
    d.time_ns = 1'767'225'600'000'000'000;
    d.result = model::AttemptResult::Unschedulable;
    d.phase = "Filter";
    d.message = "0/3 nodes are available: 3 Insufficient cpu.";
    d.rejected_by = {"Fit"};
    d.evaluated_nodes = 3;
    d.began_ns = 1'000'000;
    d.decided_ns = 3'500'000;
    d.rejections = {{"Fit", BERTH_STATUS_UNSCHEDULABLE, {"Insufficient cpu"}, 3}};
    return d;
}

/// `feasible` nodes with scores, the first the best, and one that was rejected.
model::DryRun dry_run_with(std::size_t feasible) {
    model::DryRun out;
    auto &d = out.decision;
    d = decision("p");
    d.result = model::AttemptResult::Scheduled;
    d.message.clear();
    d.feasible_nodes = static_cast<std::uint32_t>(feasible);
    d.evaluated_nodes = d.feasible_nodes + 1;
    d.rejections[0].nodes = 1;
    for (std::size_t i = 0; i < feasible; ++i) {
        model::NodeRecord node;
        node.name = "ip-10-0-12-" + std::to_string(i) + ".eu-central-1.compute.internal";
        node.total = 100 - static_cast<std::int64_t>(i);
        node.scored = feasible > 1;
        if (node.scored) node.scores = {{"Balanced", 40, 50, node.total - 10}, {"Images", 0, 0, 10}};
        d.nodes.insert(d.nodes.begin(), node);
    }
    d.node = d.nodes.back().name;
    model::NodeRecord full;
    full.name = "full";
    full.verdict = {BERTH_STATUS_UNSCHEDULABLE, {}, {"Insufficient cpu"}, "Fit"};
    d.nodes.insert(d.nodes.begin() + 1, full);
    return out;
}

std::string shown(const std::string &json, report::ViewOptions options = {}) {
    auto document = decode::read_document(json, "answer.json");
    REQUIRE(document);
    return report::view_of(document->value(), options);
}

bool has(const std::string &text, const std::string &part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
    return text.find(part) != text.npos;
}

}  // namespace

// promise(tenant): The number and the size of stored decisions are bounded.
TEST_CASE("decisions: the last ones are kept, the newest first, each of a bounded size", "[report]") {
    report::DecisionRing ring(3);
    for (const char *name : {"a", "b", "a", "c"}) ring.add(decision(name));
    auto all = ring.newest(10);
    REQUIRE(all.size() == 3);
    CHECK(all[0]->pod.name == "c");
    CHECK(all[2]->pod.name == "b");
    CHECK(ring.newest(2).size() == 2);
    CHECK(ring.newest(10, "default", "a").size() == 1);
    CHECK(ring.newest(10, "other", "a").empty());
    auto large = decision("large");
    large.message = std::string(4095, 'x') + "好" + std::string(100'000, 'y');
    large.rejections.assign(
        1000, {"Fit", BERTH_STATUS_UNSCHEDULABLE, std::vector<std::string>(100, std::string(9999, 'z')), 1});
    large.rejected_by.assign(1000, "somebody");
    large.nodes.resize(5000);
    large.victims = {std::vector<std::string>(100, "default/v"), 7, "why"};
    ring.add(large);
    const auto &kept = *ring.newest(1).front();
    // No half of a character stays.
    CHECK(kept.message == std::string(4095, 'x') + "…");
    CHECK(kept.rejections.size() == report::DecisionRing::most_rejections);
    CHECK(kept.rejections[0].reasons.size() == 16);
    CHECK(kept.rejections[0].reasons[0].size() < 520);
    CHECK(kept.rejected_by.size() == 16);
    CHECK(kept.nodes.empty());
    CHECK(kept.victims == model::Victims{std::vector<std::string>(10, "default/v"), 97, "why"});
}

TEST_CASE("explanation: JSON has what the record has, and who rejected how many nodes", "[report]") {
    report::DecisionRing ring;
    ring.add(decision("p"));
    auto document = decode::read_document(report::list_json({false, 1}, ring.newest(5)), "a.json");
    REQUIRE(document);
    auto root = document->value();
    CHECK(root["kind"].string() == "DecisionList");
    CHECK(root["apiVersion"].string() == "berth/v1alpha1");
    CHECK(root["leads"].boolean() == false);
    auto d = root["items"].at(0);
    CHECK(d["pod"]["name"].string() == "p");
    CHECK(d["result"].string() == "Unschedulable");
    CHECK(d["seconds"].number() == 0.0025);
    CHECK(d["rejections"].at(0)["nodes"].integer() == 3);
    CHECK(d["rejections"].at(0)["plugin"].string() == "Fit");
    CHECK(d["rejections"].at(0)["reasons"].at(0).string() == "Insufficient cpu");
    CHECK(!d["nodes"]);
}

TEST_CASE("explanation: of many nodes the best are told, and how many are left out", "[report]") {
    report::Explanation e;
    e.pod = {"default", "p", {}};
    e.now = dry_run_with(1500);
    auto document = decode::read_document(report::dry_run_json(e, 20), "a.json");
    REQUIRE(document);
    auto d = document->value()["evaluation"];
    CHECK(d["nodes"].size() == 21);
    CHECK(d["omittedNodes"].integer() == 1480);
    CHECK(d["nodes"].at(0)["name"].string() == e.now->decision.node);
    CHECK(d["nodes"].at(0)["total"].integer() == 100);
    CHECK(d["nodes"].at(19)["total"].integer() == 81);
    CHECK(d["nodes"].at(20)["verdict"]["plugin"].string() == "Fit");
    CHECK(!decode::read_document(report::dry_run_json(e, 5000), "a.json")->value()["evaluation"]["omittedNodes"]);
}

TEST_CASE("explanation: the first line is the verdict, and no line is wider than a terminal for many nodes",
          "[report]") {
    report::Explanation e;
    e.pod = {"default", "p", {}};
    e.now = dry_run_with(1500);
    auto text = shown(report::dry_run_json(e, 20));
    CHECK(text.starts_with("default/p would go to ip-10-0-12-0.eu-central-1.compute.internal\n"));
    has(text, "1,501 nodes looked at, 1,500 can take it");
    has(text, "BEST NODES (5 of 1,500)");
    has(text, "  1    100  ip-10-0-12-0.eu-central-1.compute.internal  (chosen)\n");
    has(text, "  Images    10  10  10  10  10\n");
    has(text, "      1  Fit     full     Insufficient cpu\n");
    for (std::size_t from = 0; from < text.size();) {
        const auto end = text.find('\n', from);
        CHECK(report::display_width(text.substr(from, end - from)) <= 100);
        from = end + 1;
    }
    has(shown(report::dry_run_json(e, 20), {2, true}), "40/50/90  40/50/89");
    e.now = dry_run_with(1);
    has(shown(report::dry_run_json(e, 20)), "ONLY NODE THAT TAKES IT\n  ip-10-0-12-0");
}

TEST_CASE("explanation: a pod that waits is told with who rejected it and what wakes it", "[report]") {
    report::Explanation e;
    e.by = {true, 1'767'225'600'000'000'000};
    e.pod = {"default", "p", "uid"};
    auto &s = e.scheduling_state.emplace();
    s.state = model::SchedulingState::State::Unschedulable;
    s.profile = "default-scheduler";
    s.attempts = 2;
    s.rejected_by = {"Fit"};
    s.until_ns = e.by.time_ns + 252'000'000'000;
    s.nominated_node = "n7";
    s.wakes = {{"Fit", "Node", {"Add", "UpdateNodeAllocatable"}, true}, {"Fit", "AssignedPod", {"Delete"}, false}};
    report::DecisionRing ring;
    ring.add(decision("p"));
    e.decisions = ring.newest(5);
    const auto text = shown(report::explanation_json(e, 20));
    CHECK(text.starts_with("default/p is pending: Fit rejected it, 2 attempts\n"));
    has(text, "node: added, allocatable changed  if it helps");
    has(text, "placed pod: deleted");
    has(text, "in any case it is tried again in 4 m 12 s");
    has(text, "Room is being made for it on n7: it is nominated.\n");
    s.victims = {{"default/a", "default/b"}, 3, "fewest pods"};
    has(shown(report::explanation_json(e, 20)),
        "Room is being made for it on n7: default/a, default/b and 3 more give way (fewest pods).\n");
    s.victims.pods.assign(12, "v");
    has(shown(report::explanation_json(e, 20)), "v, v, v, v, v, v, v, v, v, v and 5 more give way (fewest pods).\n");
    s.victims = {{"default/a"}, 0, ""};
    has(shown(report::explanation_json(e, 20)), "Room is being made for it on n7: default/a gives way.\n");
    s.victims = {{"default/a"}, 1, "clear\x1b[2J"};
    has(shown(report::explanation_json(e, 20)), "on n7: default/a and 1 more give way (clear");
    CHECK(shown(report::explanation_json(e, 20)).find('\x1b') == std::string::npos);
    has(text, "0/3 nodes are available: 3 Insufficient cpu.");
    has(text, "2.5 ms");
    e.by.leads = false;
    has(shown(report::explanation_json(e, 20)), "does not lead");
    // What a terminal would obey is no news.
    e.pod.name = "p\x1b[2J";
    CHECK(shown(report::explanation_json(e, 20)).find('\x1b') == std::string::npos);
}
