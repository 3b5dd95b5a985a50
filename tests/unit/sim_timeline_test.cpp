// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline.h"

#include "catch.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

using namespace berth;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A simulated cluster with its controllers, and what a watcher is told of it.
class Story : public sim::Controller {
    sim::Scenario scenario_;
    std::vector<model::Kind> kinds_{sim::DisruptionBudgets::kind(), model::kind_of("example.com", "v1", "cacti"),
                                    model::kind_of("example.com", "v1", "widgets")};

public:
    sim::VirtualClock clock{1767225600 * second};
    sim::World world{clock};
    sim::Operations operations{world.store()};
    sim::Controllers controllers{operations};
    sim::Timeline timeline{operations, controllers};
    std::string told;

    /// What follows the head of a scenario: its objects and its timeline.
    explicit Story(const std::string &rest) {
        auto document =
            decode::read_document("apiVersion: berth/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n" + rest, "s.yaml");
        if (!document) FAIL(document.error().text);
        auto scenario = sim::read_scenario(*document);
        if (!scenario) FAIL(scenario.error().text);
        scenario_ = *std::move(scenario);
        auto input = sim::read_objects(scenario_.objects, kinds_);
        if (!input) FAIL(input.error().text);
        world.start(*input, *this);
        REQUIRE(controllers.workloads().add(input->workloads, input->classes));
        clock.run();
    }
    /// Plays everything; what was refused.
    std::string play() {
        for (const auto &step : scenario_.timeline) {
            clock.advance_to(1767225600 * second + step.at.count());
            if (auto played = timeline.play(step); !played) return played.error().text;
            clock.run();
        }
        return "";
    }
    void pass(std::int64_t seconds) { clock.advance_to(clock.now_ns() + seconds * second); }
    std::string pods() const {
        std::vector<std::string> names;
        for (const auto &[key, pod] : world.pods())
            names.push_back(std::string(pod->name()) + (pod->terminating() ? "-" : ""));
        std::ranges::sort(names);
        std::string text;
        for (const auto &name : names) text += (text.empty() ? "" : " ") + name;
        return text;
    }
    std::int64_t allowed() const {
        return world.store()
            .find(sim::DisruptionBudgets::kind(), "default/b")
            ->value()["status"]["disruptionsAllowed"]
            .integer()
            .value_or(-1);
    }

    void pod_added(model::PodPtr p) override { told += "+" + std::string(p->name()) + " "; }
    void pod_deleted(model::PodPtr p) override { told += "-" + std::string(p->name()) + " "; }
    void node_updated(model::NodePtr, model::NodePtr n) override { told += "~" + std::string(n->name) + " "; }
};

std::string node(const std::string &name) { return "- {apiVersion: v1, kind: Node, metadata: {name: " + name + "}}\n"; }
std::string pod(const std::string &name, const std::string &spec = "nodeName: n, ") {
    return "- {apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {app: a}}, spec: {" + spec +
           "containers: [{name: c, image: i}]}}\n";
}
std::string replica_set(const std::string &replicas, const std::string &image = "i") {
    return "- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: " + replicas +
           ", template: {metadata: {labels: {app: a}}, spec: {nodeName: n, containers: [{name: c, image: " + image +
           "}]}}}}\n";
}
const std::string budget =
    "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: "
    "{matchLabels: {app: a}}, ";

}  // namespace

TEST_CASE("sim: a pod on a node leaves gracefully, one without a node at once", "[sim]") {
    Story s("objects:\n" + node("n") + pod("there") + pod("waiting", "") +
            "timeline: [{at: 1s, delete: [{kind: Pod, name: there}, {kind: Pod, name: waiting}]}]");
    CHECK(s.world.pod("default/there")->phase() == "Running");
    CHECK(s.play() == "");
    CHECK(s.pods() == "there-");
    s.pass(1);
    CHECK(s.pods() == "");
}

TEST_CASE("sim: a pod made again under its name is another pod", "[sim]") {
    Story s("objects:\n" + node("n") + pod("p", "") + "timeline:\n- {at: 1s, delete: [{kind: Pod, name: p}]}\n" +
            "- at: 2s\n  apply:\n  " + pod("p", ""));
    auto first = std::string(s.world.pod("default/p")->uid());
    CHECK(s.play() == "");
    CHECK(s.world.pod("default/p")->uid() != first);
    CHECK(s.world.pod("default/p")->uid().size() == first.size());
    CHECK(s.told == "+p -p +p ");
}

TEST_CASE("sim: what is applied again keeps what the server wrote", "[sim]") {
    Story s("objects:\n" + node("n") + pod("p") + "timeline:\n- at: 1s\n  apply:\n  " +
            pod("p", "tolerations: [{operator: Exists}], ") + "- at: 2s\n  apply:\n  " + pod("p", "priority: 3, "));
    auto uid = std::string(s.world.pod("default/p")->uid());
    CHECK(s.play() ==
          "s.yaml:13:5: Pod p: spec.priority: cannot be changed: of a pod that exists only scheduling "
          "gates can be taken away, tolerations added and its metadata changed");
    auto now = s.world.pod("default/p");
    CHECK(now->uid() == uid);
    CHECK(now->node_name() == "n");
    CHECK(now->phase() == "Running");
    CHECK(now->tree->value()["spec"]["tolerations"].size() == 1);
}

TEST_CASE("sim: an unschedulable node is tainted, and no longer when it can be used again", "[sim]") {
    Story s("objects:\n" + node("n") +
            "timeline:\n- {at: 1s, patch: [{kind: Node, name: n, patch: {spec: {unschedulable: true}}}]}\n"
            "- {at: 2s, patch: [{kind: Node, name: n, patch: {spec: {unschedulable: null}}}]}\n"
            "- {at: 3s, patch: [{kind: Node, name: m, patch: {}}]}\n");
    CHECK(s.play() == "s.yaml:9:20: timeline[2].patch[0]: there is no Node m");
    CHECK(s.world.store().node("n")->taints.empty());
    CHECK(s.told == "~n ~n ~n ~n ");
}

TEST_CASE("sim: a ReplicaSet replaces a pod that leaves, and grows", "[sim]") {
    Story s("objects:\n" + node("n") + replica_set("2") +
            "timeline:\n- {at: 1s, delete: [{kind: Pod, name: web-0}]}\n- at: 2s\n  apply:\n  " + replica_set("3") +
            "- at: 3s\n  apply:\n  " + replica_set("3", "j"));
    CHECK(s.pods() == "web-0 web-1");
    CHECK(s.play() ==
          "s.yaml:14:5: ReplicaSet default/web: a simulation can only give it more replicas: rollouts and "
          "the choice of pods to delete are not simulated");
    CHECK(s.pods() == "web-0 web-1 web-2");
    CHECK(s.told == "+web-0 +web-1 +web-2 -web-0 +web-0 ");
}

TEST_CASE("sim: the pods of a node that is gone are deleted after a minute", "[sim]") {
    Story s("objects:\n" + node("n") + pod("p") + "timeline: [{at: 1s, delete: [{kind: Node, name: n}]}]");
    CHECK(s.play() == "");
    s.pass(59);
    CHECK(s.pods() == "p");
    s.pass(2);
    CHECK(s.pods() == "");
}

TEST_CASE("sim: budgets say how many of their pods may be disrupted", "[sim]") {
    auto of = [](const std::string &rule, const std::string &pods) {
        return Story("objects:\n" + node("n") + budget + rule + "}}\n" + pods).allowed();
    };
    const std::string three = pod("x") + pod("y") + pod("z");
    CHECK(of("minAvailable: 1", three) == 2);
    CHECK(of("minAvailable: 5", three) == 0);
    CHECK(of("minAvailable: 1", pod("x", "") + pod("y") + pod("z")) == 1);  // one is on no node
    CHECK(of("minAvailable: 0", "") == 0);
    CHECK(of("maxUnavailable: 1", three) == 0);  // nobody knows how many there should be
    CHECK(of("maxUnavailable: 1", replica_set("3")) == 1);
    CHECK(of("minAvailable: 50%", replica_set("3")) == 1);
    CHECK(of("maxUnavailable: 50%", replica_set("3")) == 2);
}

TEST_CASE("sim: a drained node is emptied as the budgets allow", "[sim]") {
    Story s("objects:\n" + node("n") + budget + "minAvailable: 1}}\n" + pod("x") + pod("y") +
            "timeline: [{at: 1s, drain: [n]}]");
    CHECK(s.play() == "");
    CHECK(s.world.store().node("n")->unschedulable);
    CHECK(s.pods() == "x- y");
    s.pass(599);
    CHECK(s.pods() == "y");
    CHECK(s.allowed() == 0);
}

TEST_CASE("sim: a drained node is emptied of pods that a budget does not select", "[sim]") {
    auto drained = [](const std::string &selector) {
        Story s("objects:\n" + node("n") +
                "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {" + selector +
                "minAvailable: 2}}\n" + pod("x") + "timeline: [{at: 1s, drain: [n]}]");
        CHECK(s.play() == "");
        CHECK(s.allowed() == 0);
        return s.pods();
    };
    CHECK(drained("selector: {}, ") == "x");
    CHECK(drained("") == "x-");
    CHECK(drained("selector: {matchLabels: {app: b}}, ") == "x-");
    // Kubernetes refuses these.
    CHECK(drained("selector: {matchExpressions: [{key: app, operator: Gt, values: ['1']}]}, ") == "x-");
    CHECK(drained("selector: {matchExpressions: [{key: b, operator: NotIn}]}, ") == "x-");
}

TEST_CASE("sim: a pod that ends is known to have succeeded", "[sim]") {
    Story s("objects:\n" + node("n") + pod("x") + pod("y", "") +
            "timeline:\n- {at: 1s, finish: [x]}\n- {at: 2s, "
            "finish: [y]}");
    CHECK(s.play() == "s.yaml:10:21: timeline[1].finish[0]: Pod default/y is on no node, so it cannot end");
    CHECK(s.world.pod("default/x")->phase() == "Succeeded");
}

TEST_CASE("sim: objects of custom kinds come, change and go in the course of a scenario", "[sim]") {
    // Nobody has defined the widgets; a cactus is one of the cacti, and in no namespace, because its definition says
    // so.
    Story s(
        "objects:\n- {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
        "cacti.example.com}, spec: {group: example.com, scope: Cluster, names: {kind: Cactus, plural: cacti}}}\n"
        "timeline:\n- at: 1s\n  apply: [{apiVersion: example.com/v1, kind: Cactus, metadata: {name: c}},"
        " {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}},"
        " {apiVersion: example.com/v1, kind: Widget, metadata: {name: x, namespace: default}}]\n"
        "- {at: 2s, patch: [{kind: Cactus, name: c, patch: {spec: {size: 3}}},"
        " {kind: Widget, name: x, patch: {spec: {size: 4}}}]}\n"
        "- {at: 3s, delete: [{kind: Widget, name: w}]}\n"
        "- {at: 4s, patch: [{kind: Widget, name: w, patch: {}}]}\n");
    CHECK(s.play() == "s.yaml:11:20: timeline[3].patch[0]: there is no Widget default/w");
    const auto &store = s.world.store();
    const auto *widgets = store.kind_named("Widget"), *cacti = store.kind_named("Cactus");
    REQUIRE(widgets);
    REQUIRE(cacti);
    CHECK(!store.kind_named("Gadget"));
    REQUIRE(store.find(*cacti, "c"));
    CHECK(store.find(*cacti, "c")->value()["spec"]["size"].integer() == 3);
    REQUIRE(store.find(*widgets, "default/x"));
    CHECK(store.find(*widgets, "default/x")->value()["spec"]["size"].integer() == 4);
}
