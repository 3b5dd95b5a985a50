// SPDX-License-Identifier: Apache-2.0
// The evaluator of preemptions for plugin authors, over the testing kit's host with trials.
#include "catch.h"
#include "fake_trials.h"

#include <berth/preemption_evaluator.hpp>

#include <memory>
#include <optional>

using namespace berth;
using namespace berth::preemption;
using Names = std::vector<std::string>;

namespace {

/// Every function may be replaced by a test.
struct Choices : Interface {
    std::function<std::string(const Preemptor &)> eligible{};
    std::function<OffsetAndNumCandidates(std::size_t)> offset{};
    std::function<bool(const PlacedPods &, std::uint32_t)> eligible_pod{};
    std::function<bool(const PotentialVictim &, const PotentialVictim &)> more_important{};
    std::function<Verdict(const NodeTrial &)> fits{}, select{};
    std::vector<ScoreFunc> scores{};
    std::function<std::string(const Candidate &)> why{};

    std::string pod_eligible_to_preempt_others(const Preemptor &p) override {
        return eligible ? eligible(p) : Interface::pod_eligible_to_preempt_others(p);
    }
    OffsetAndNumCandidates offset_and_num_candidates(const Preemptor &p, std::size_t n) override {
        return offset ? offset(n) : Interface::offset_and_num_candidates(p, n);
    }
    bool is_eligible_pod(const Preemptor &p, const PlacedPods &pods, std::uint32_t row) override {
        return eligible_pod ? eligible_pod(pods, row) : Interface::is_eligible_pod(p, pods, row);
    }
    bool more_important_pod(const PotentialVictim &a, const PotentialVictim &b) override {
        return more_important ? more_important(a, b) : Interface::more_important_pod(a, b);
    }
    Verdict feasible(const NodeTrial &node) override { return fits ? fits(node) : Interface::feasible(node); }
    Verdict select_victims_on_node(const NodeTrial &node) override {
        return select ? select(node) : Interface::select_victims_on_node(node);
    }
    std::vector<ScoreFunc> ordered_score_funcs() override { return scores; }
    std::string reason(const Candidate &c) override { return why ? why(c) : Interface::reason(c); }
};

std::string node(const std::string &name) {
    return "---\nkind: Node\nmetadata: {name: " + name + "}\nstatus: {allocatable: {cpu: 4, pods: 110}}\n";
}
std::string pod(const std::string &name, int priority, int cpu, const std::string &on, const std::string &more = {}) {
    return "---\nkind: Pod\nmetadata: {name: " + name + more + "}\nspec: {priority: " + std::to_string(priority) +
           (on.empty() ? "" : ", nodeName: " + on) +
           ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) + "}}}]}\n";
}
/// Of the pods with the label app=NAME.
std::string budget(const std::string &name) {
    return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + name +
           ", namespace: default}\nspec: {selector: {matchLabels: {app: " + name +
           "}}}\nstatus: {disruptionsAllowed: 0}\n";
}

/// An attempt to make room for the pod "ship".
struct World {
    testing::Cluster cluster;
    FakeTrials trials{cluster};
    Host host{trials.raw()};
    std::optional<Evaluator<Choices>> evaluator;
    testing::Answer late;  ///< once it is there
    testing::LateSlot call{1, late, [](const auto &) {}};
    std::optional<testing::Nominated> nominated;
    testing::State state;

    explicit World(const std::string &yaml, const Choices &choices = {}, std::uint32_t kubernetes = 36)
        : cluster(yaml) {
        cluster.kubernetes = kubernetes;
        evaluator.emplace(host, "Quota", choices, "quota");
        evaluator->declare(Declare{host.raw(), trials.kit.declare_sink()});
        trials.kit.begin();
    }
    ~World() { trials.kit.end(); }
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    Verdict verdict(std::int32_t code = BERTH_STATUS_UNSCHEDULABLE) {
        const auto *nodes = cluster.nodes();
        const testing::OutcomeSlot outcome(nodes, code);
        nominated.emplace(testing::Nominated{nodes->pods});
        return evaluator->preempt(Call{call.call.raw(), &host}, State{state.handle(), &host},
                                  Pod{cluster.pod("ship"), &host}, Nodes{nodes, &host}, Outcome{outcome.raw(), &host},
                                  Nomination{nominated->handle(), &host}, Done{&call.done, &host});
    }
    /// The texts; the nominated node and its victims if it succeeds.
    std::string run() {
        const auto v = verdict();
        return v.code() == BERTH_STATUS_SUCCESS ? made() : text_of(v);
    }
    std::string made() const {
        std::string out = nominated->node.value_or("") + ":";
        for (const auto &victim : nominated->victims) out += " " + victim.substr(victim.find('/') + 1);
        return out;
    }
};

/// One node with three pods that a pod of priority 10 may evict.
std::string crowded(int cpu) {
    return node("n1") + pod("a", 3, 1, "n1") + pod("b", 2, 1, "n1", ", labels: {app: b}") + pod("c", 1, 2, "n1") +
           budget("b") + pod("ship", 10, cpu, "");
}
const std::string two_nodes =
    node("n1") + pod("a", 5, 4, "n1") + node("n2") + pod("b", 1, 4, "n2") + pod("ship", 10, 4, "");

}  // namespace

TEST_CASE("evaluator: a pod that may not preempt tries no node", "[sdk]") {
    World never(node("n1") + pod("a", 1, 4, "n1") +
                "---\nkind: Pod\nmetadata: {name: ship}\nspec: {priority: 9, preemptionPolicy: Never}\n");
    CHECK(never.run() == "quota: not eligible due to preemptionPolicy=Never.");
    Choices choices;
    choices.eligible = [](const auto &p) { return "no quota for " + std::string(p.pod.name()); };
    World refused(two_nodes, choices);
    CHECK(refused.run() == "quota: no quota for ship");
    CHECK(refused.trials.asked.empty());
    choices.eligible = [](const auto &) -> std::string { throw std::runtime_error("the ledger is lost"); };
    CHECK_THROWS_WITH(World(two_nodes, choices).run(),
                      "quota: pod_eligible_to_preempt_others threw: the ledger is lost");
    choices.eligible = [](const auto &) -> std::string { throw 7; };
    CHECK_THROWS_WITH(World(two_nodes, choices).run(),
                      "quota: pod_eligible_to_preempt_others threw what is no std::exception");
}

TEST_CASE("evaluator: pods that a budget protects are put back first, then the others, by importance", "[sdk]") {
    World two(crowded(2));
    CHECK(two.run() == "n1: c");
    CHECK(two.trials.asked == Names{"try n1", "remove a", "remove b", "remove c", "filter: fits", "add b",
                                    "filter: fits", "add a", "filter: fits", "add c", "filter: full", "remove c"});
    CHECK(two.trials.candidates.at(0).violations == 0);
    World three(crowded(3));
    CHECK(three.run() == "n1: a c");  // b stays, though it is less important than a
    World four(crowded(4));
    CHECK(four.run() == "n1: a b c");
    CHECK(four.trials.candidates.at(0).violations == 1);
}

TEST_CASE("evaluator: the policy says which pods may be victims, and which of them stay", "[sdk]") {
    Choices choices;
    choices.eligible_pod = [](const auto &pods, auto row) { return pods[row].name() != "c"; };
    CHECK(World(crowded(2), choices).run() == "n1: a b");  // c stays, and both others have to go
    choices.eligible_pod = [](const auto &, auto) { return false; };
    World none(crowded(2), choices);
    CHECK(none.run() == "quota: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
    CHECK(none.trials.asked.empty());
    Choices reversed;
    reversed.more_important = [](const auto &a, const auto &b) { return a.priority < b.priority; };
    CHECK(World(crowded(1)).run() == "n1: c");
    CHECK(World(crowded(1), reversed).run() == "n1: a");
    Choices strict;
    strict.fits = [](const NodeTrial &trial) {
        return trial.preemptor().pod.name() == "ship" ? unschedulable("ships stay out") : trial.filter();
    };
    CHECK(World(crowded(2), strict).run() == "quota: 0/1 nodes are available: 1 ships stay out.");
}

TEST_CASE("evaluator: an order that contradicts itself ends, and loses no pod", "[sdk]") {
    std::string yaml = node("n1") + pod("ship", 10, 4, "");
    for (int i = 0; i < 200; ++i) yaml += pod("p" + std::to_string(i), i % 7, 0, "n1");
    Choices choices;
    choices.more_important = [](const auto &, const auto &) { return true; };
    choices.select = [](const NodeTrial &trial) -> Verdict {
        std::set<std::uint32_t> rows;
        for (const auto &one : trial.potential()) rows.insert(one.row);
        return unschedulable(std::to_string(rows.size()) + " pods");
    };
    CHECK(World(yaml, choices).run() == "quota: 0/1 nodes are available: 1 200 pods.");
}

TEST_CASE("evaluator: the policy says where to begin, and how many candidates are enough", "[sdk]") {
    const auto yaml = two_nodes + node("n3") + pod("c", 1, 4, "n3");
    Choices choices;
    choices.offset = [](std::size_t n) { return OffsetAndNumCandidates{n + 2, 1}; };
    World third(yaml, choices);
    CHECK(third.run() == "n3: c");
    CHECK(third.trials.candidates.size() == 1);
    choices.offset = [](std::size_t) { return OffsetAndNumCandidates{SIZE_MAX, SIZE_MAX}; };
    World all(yaml, choices);
    all.run();
    CHECK(all.trials.candidates.size() == 3);
    choices.offset = [](std::size_t) { return OffsetAndNumCandidates{}; };
    World none(yaml, choices);
    CHECK(none.run() == "quota: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
    CHECK(none.trials.candidates.empty());
    CHECK(World(yaml).verdict(BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE).code() == BERTH_STATUS_UNSCHEDULABLE);
}

TEST_CASE("evaluator: the policy's scores choose the candidate, one after the other", "[sdk]") {
    CHECK(World(two_nodes).run() == "n2: b");  // its victim is the lesser one
    Choices choices;
    const ScoreFunc equal = [](const auto &, const auto &) { return 1; };
    const ScoreFunc first = [](const Nodes &nodes, const Candidate &c) {
        return nodes[c.slot].name() == "n1" ? 9 : -9;
    };
    choices.scores = {equal, first};
    choices.why = [](const Candidate &c) { return std::to_string(c.victims.size()) + " over its quota"; };
    World chosen(two_nodes, choices);
    CHECK(chosen.run() == "n1: a");
    CHECK(chosen.nominated->victims_reason == "1 over its quota");
    const auto second = [](const Nodes &nodes, const Candidate &c) { return nodes[c.slot].name() == "n2" ? 9 : -9; };
    choices.scores = {second, first};
    CHECK(World(node("n1") + pod("a", 1, 4, "n1") + node("n2") + pod("b", 5, 4, "n2") + pod("ship", 10, 4, ""), choices)
              .run() == "n2: b");
    choices.scores = {equal};
    CHECK(World(two_nodes, choices).run() == "n1: a");
    choices.scores = {ScoreFunc{}};
    World empty(two_nodes, choices);
    CHECK(empty.run().starts_with("quota: ordered_score_funcs threw: "));
    CHECK_FALSE(empty.nominated->node);
    CHECK(empty.trials.kit.sent.empty());
}

TEST_CASE("evaluator: victims that the policy chooses wrongly are an error of that node, which it names", "[sdk]") {
    const auto one = node("n1") + pod("a", 1, 4, "n1") + pod("ship", 9, 4, "");
    auto after = [&](const std::string &yaml, std::function<Verdict(const NodeTrial &)> select) {
        Choices choices;
        choices.select = std::move(select);
        return World(yaml, choices).run();
    };
    CHECK(after(one, [](const auto &) -> Verdict { return ok; }) ==
          "quota: expected at least one victim pod on node \"n1\"");
    CHECK(after(one, [](const auto &trial) -> Verdict { return trial.evict(9), ok; }) ==
          "quota: node \"n1\": there is no potential victim 9 among 1");
    CHECK(after(one, [](const auto &trial) { return trial.add(0); }) ==
          "quota: pod default/a was not taken off the node in this trial");
    CHECK(after(one, [](const auto &trial) {
              return trial.remove(0).code() == BERTH_STATUS_SUCCESS ? trial.remove(0) : ok;
          }) == "quota: pod default/a is not on the node in this trial");
    CHECK(after(one, [](const auto &) -> Verdict { throw std::runtime_error("lost"); }) == "quota: node \"n1\": lost");
    CHECK(after(one, [](const auto &) -> Verdict { throw 7; }) ==
          "quota: node \"n1\": the choice of victims threw what is no std::exception");
    CHECK(after(one, [](const auto &) { return unschedulable("over quota"); }) ==
          "quota: 0/1 nodes are available: 1 over quota.");
    // The other node is a candidate all the same, and the trial of the first one is closed.
    CHECK(after(two_nodes, [](const NodeTrial &trial) -> Verdict {
              if (trial.node().name() == "n1") throw std::runtime_error("lost");
              return trial.evict(0), trial.remove(0);
          }) == "n2: b");
}

TEST_CASE("evaluator: a trial that the host refuses, and a plugin that fails in it, are errors of that node", "[sdk]") {
    World all(two_nodes);
    all.trials.refused = {0, 1};
    CHECK(all.run() == "quota: [node \"n1\": no node to try in slot 0, node \"n2\": no node to try in slot 1]");
    World first(two_nodes);
    first.trials.refused = {1};
    CHECK(first.run() == "n1: a");
    World failing(node("n1") + pod("a", 1, 4, "n1") + pod("ship", 9, 4, ""));
    failing.trials.failing = {"a"};
    CHECK(failing.run() == "quota: it fails");
}

TEST_CASE("evaluator: the policy reads and changes the trial's copy of the state", "[sdk]") {
    Choices choices;
    std::optional<StateKey<int>> key;
    choices.select = [&](const NodeTrial &trial) -> Verdict {
        trial.state().put(*key, 7);
        return unschedulable("it reads " + std::to_string(*trial.state().get(*key)));
    };
    World world(node("n1") + pod("a", 1, 4, "n1") + pod("ship", 9, 4, ""), choices);
    key = world.host.state_key<int>("Quota");
    CHECK(world.run() == "quota: 0/1 nodes are available: 1 it reads 7.");
    CHECK((State{world.state.handle(), &world.host}.get(*key)) == nullptr);
    world.trials.offers_state = false;
    CHECK(world.run() == "quota: node \"n1\": this host does not offer berth.host.trial_state/draft1");
}

TEST_CASE("evaluator: the extenders choose before the policy does, at once or later", "[sdk]") {
    World only(two_nodes);
    only.trials.extenders = [](const auto &all, const auto &left, const auto &) { left({all.at(0)}); };
    CHECK(only.run() == "n1: a");
    CHECK(only.trials.victims == std::vector<Names>{{"a"}, {"b"}});
    World none(two_nodes);
    none.trials.extenders = [](const auto &, const auto &left, const auto &) { left({}); };
    CHECK(none.run() == "quota: no candidate node for preemption");
    World failed(two_nodes);
    failed.trials.extenders = [](const auto &, const auto &, const auto &fail) { fail(BERTH_STATUS_ERROR); };
    CHECK(failed.run() == "quota: they quarrel");

    World late(two_nodes);
    std::vector<std::uint32_t> rows;
    FakeTrials::Answer answer;
    late.trials.extenders = [&](const auto &all, const auto &left, const auto &) {
        rows = {all.at(1).victims[0]};
        answer = left;
    };
    CHECK(late.verdict().code() == BERTH_STATUS_IN_PROGRESS);
    CHECK_FALSE(late.call.ended);
    answer({{1, 0, rows.data(), rows.size(), 0}});
    CHECK((late.call.ended && late.late.ok()));
    CHECK(late.made() == "n2: b");
}

TEST_CASE("evaluator: what extenders leave that is no node with victims is refused", "[sdk]") {
    const std::uint32_t none = 77, a = 0;
    for (const auto &wrong :
         {berth_candidate{77, 0, &a, 1, 0}, berth_candidate{0, 0, &none, 1, 0}, berth_candidate{0, 0, nullptr, 0, 0}}) {
        World world(two_nodes);
        world.trials.extenders = [&](const auto &all, const auto &left, const auto &) { left({all.at(0), wrong}); };
        CHECK(world.run() ==
              "quota: the extenders left slot " + std::to_string(wrong.slot) + ", which is no node with victims");
        CHECK(world.trials.kit.sent.empty());
        CHECK_FALSE(world.nominated->node);
    }
}

TEST_CASE("evaluator: a preemption that is cancelled evicts no pod", "[sdk]") {
    World world(two_nodes);
    world.trials.extenders = [](const auto &, const auto &, const auto &fail) { fail(BERTH_STATUS_CANCELLED); };
    CHECK(world.verdict().code() == BERTH_STATUS_IN_PROGRESS);
    world.trials.kit.run();
    CHECK(world.trials.kit.sent.empty());
    CHECK_FALSE(world.nominated->node);
    CHECK_FALSE(world.call.ended);
}

TEST_CASE("evaluator: victims are marked and deleted, and the preemptor waits as long", "[sdk]") {
    World world(two_nodes, {}, 37);
    const auto v = world.verdict();
    CHECK(text_of(v) == "quota: found a potential placement for pod on node n2, preempting 1 victims");
    CHECK(world.nominated->victims_reason.empty());
    const Pod ship{world.cluster.pod("ship"), &world.host};
    CHECK(text_of(world.evaluator->pre_enqueue(ship)) == "waiting for the preemption for this pod to be finished");
    world.trials.kit.run();
    Names sent;
    for (const auto &one : world.trials.kit.sent) sent.push_back(one.right() + " " + one.name);
    CHECK(sent == Names{"patch v1/pods/status b", "delete v1/pods b"});
    CHECK(world.trials.kit.events == Names{"Normal Preempted Preempting Preempted by pod uid-ship on node n2"});
    world.trials.kit.pass_seconds(2);  // no watch event of the deletion comes
    CHECK(world.evaluator->pre_enqueue(ship).code() == BERTH_STATUS_SUCCESS);
}
