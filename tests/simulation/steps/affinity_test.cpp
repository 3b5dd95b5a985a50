// SPDX-License-Identifier: Apache-2.0

// InterPodAffinity and PodTopologySpread: what upstream does in its own way, and which events wake a pod.

#include "running_world.h"

using namespace running_world;

namespace {

const std::string profile =
    "profiles: [{schedulerName: default-scheduler, plugins: {postFilter: {disabled: [{name: '*'}]}}}]\n";

model::NodePtr labelled(const std::string &name, const std::string &labels, const std::string &spec = "") {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels + "}}, spec: {" +
                   spec + "}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}}");
}
sim::InputObject object(const std::string &group, const std::string &resource, const std::string &yaml) {
    auto kind = model::kind_of(group, "v1", resource);
    return {kind, any_object(kind, yaml)};
}
std::string required(const std::string &which, const std::string &term) {
    return which + ": {requiredDuringSchedulingIgnoredDuringExecution: [{" + term + "}]},";
}
std::string avoids(const std::string &term) { return "affinity: {" + required("podAntiAffinity", term) + "},"; }
std::string joins(const std::string &term) { return "affinity: {" + required("podAffinity", term) + "},"; }
const std::string app_a = "topologyKey: zone, labelSelector: {matchLabels: {app: a}}";

std::string spread(const std::string &rest, const std::string &key = "zone") {
    return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: " + key + ", whenUnsatisfiable: DoNotSchedule, " +
           rest + "}],";
}
const std::string of_app_a = "labelSelector: {matchLabels: {app: a}}";

std::int64_t score(const model::Decision &d, const std::string &node, const std::string &plugin, bool raw = false) {
    for (const auto &n : d.nodes)
        for (const auto &s : n.scores)
            if (n.name == node && s.plugin == plugin) return raw ? s.raw : s.normalized;
    FAIL("no score of " + plugin + " for " + node);
    return -1;
}

/// One pod that fits nowhere; the world without change, ready for an event.
struct Waiting {
    std::unique_ptr<RunningWorld> world;

    Waiting(std::vector<model::NodePtr> nodes, model::PodPtr p, std::vector<model::PodPtr> others = {}) {
        sim::Input input;
        input.nodes = std::move(nodes);
        input.pods = std::move(others);
        input.pods.push_back(std::move(p));
        world = std::make_unique<RunningWorld>(profile, input);
        REQUIRE(world->node_of("p").empty());
    }
    bool woken_by(const std::function<void(Scheduler &)> &event) {
        auto tries = [&] { return world->sink.last.at("default/p").attempt; };
        auto before = tries();
        event(world->scheduler);
        world->run();
        return tries() > before;
    }
};

model::PodPtr placed(const std::string &name, const std::string &meta, const std::string &where = "a",
                     const std::string &spec = "") {
    return pod(name, "uid: u-" + name + ", " + meta, "nodeName: " + where + ", " + spec);
}
const std::string a_labels = "labels: {app: a},", b_labels = "labels: {app: b},";

}  // namespace

TEST_CASE("affinity: the first pod of a series that wants to be together may begin anywhere with the key", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("bare", ""), labelled("n", "zone: z1")};
    input.pods = {pod("p", a_labels, joins(app_a))};
    RunningWorld world(profile, input);
    CHECK(world.node_of("p") == "n");
    input.pods = {pod("p", b_labels, joins(app_a))};
    RunningWorld other(profile, input);
    CHECK(other.message("p") == "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.");
}

TEST_CASE("affinity: a namespaceSelector of NotIn means the pod's own namespace too, upstream's quirk", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("n", "zone: z1")};
    input.objects = {
        object("", "namespaces", "{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: x}}}")};
    auto term = [](const std::string &op) {
        return app_a + ", namespaceSelector: {matchExpressions: [{key: team, operator: " + op + ", values: [x]}]}";
    };
    input.pods = {placed("q", a_labels, "n"), pod("p", "", avoids(term("NotIn")))};
    RunningWorld not_in(profile, input);
    CHECK(not_in.message("p") == "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.");
    // The same term of a placed pod is held against the namespace's real labels.
    input.pods = {placed("q", "", "n", avoids(term("NotIn"))), pod("p", a_labels)};
    RunningWorld theirs(profile, input);
    CHECK(theirs.node_of("p") == "n");
    input.pods = {placed("q", "", "n", avoids(term("In"))), pod("p", a_labels)};
    RunningWorld in(profile, input);
    CHECK(in.message("p") == "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.");
}

TEST_CASE("affinity: scores are divided first, so that 29 of 100 is 28", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("none", "zone: z0"), labelled("some", "zone: z1"), labelled("most", "zone: z2")};
    auto likes = [](const std::string &app, int weight) {
        return "{weight: " + std::to_string(weight) +
               ", podAffinityTerm: {topologyKey: zone, labelSelector: "
               "{matchLabels: {app: " +
               app + "}}}}";
    };
    input.pods = {placed("x", a_labels, "some"), placed("y", b_labels, "most"),
                  pod("p", "",
                      "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" + likes("a", 29) +
                          ", " + likes("b", 100) + "]}},")};
    RunningWorld world(profile, input);
    const auto &d = world.sink.last.at("default/p");
    CHECK(score(d, "none", "InterPodAffinity") == 0);
    CHECK(score(d, "some", "InterPodAffinity") == 28);
    CHECK(score(d, "most", "InterPodAffinity") == 100);
}

TEST_CASE("affinity: a selector that cannot be parsed rejects the pod at once", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("n", "zone: z1")};
    input.pods = {
        pod("p", "",
            avoids("topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: Gt, values: ['1']}]}"))};
    RunningWorld world(profile, input);
    CHECK(world.message("p") ==
          "0/1 nodes are available: parsing pod: requiredAntiAffinityTerms: \"Gt\" is not a valid label selector "
          "operator.");
    const auto &said = world.sink.last.at("default/p").pre_filter;
    const auto it = std::ranges::find(said, "InterPodAffinity", &model::PreFilterRecord::plugin);
    REQUIRE(it != said.end());
    CHECK(it->status.code == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE);  // nobody gives way to it

    input.pods = {pod("p", "", avoids("topologyKey: zone, labelSelector: {matchLabels: {app: 'a b'}}"))};
    RunningWorld other(profile, input);
    CHECK(
        other.message("p").starts_with("0/1 nodes are available: parsing pod: requiredAntiAffinityTerms: "
                                       "values[0][app]: Invalid value: \"a b\": a valid "
                                       "label must be an empty string or consist of alphanumeric characters"));
}

TEST_CASE("affinity: terms that differ in the operator alone are two", "[sim]") {
    auto of = [](const std::string &op) {
        return avoids("topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: " + op +
                      ", values: [a]}]}");
    };
    sim::Input input;
    input.nodes = {labelled("n", "zone: z1")};
    input.pods = {placed("q", "", "n", of("In")), placed("r", "", "n", of("NotIn")), pod("p", a_labels),
                  pod("s", b_labels)};
    RunningWorld world(profile, input);
    const std::string refused = "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.";
    CHECK(world.message("p") == refused);
    CHECK(world.message("s") == refused);
}

TEST_CASE("affinity: terms of pods that have gone are forgotten, those of the others are kept", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("a", "zone: a")};
    // So many that they are swept together; those that stay are before them, among them and behind them.
    constexpr int many = 200;
    auto app = [](int i) { return std::to_string(i); };
    for (int i = 0; i < many; ++i)
        input.pods.push_back(placed(
            "p" + app(i), "", "a", avoids("topologyKey: zone, labelSelector: {matchLabels: {app: '" + app(i) + "'}}")));
    input.pods.push_back(pod("early", a_labels));  // looks while all are there
    RunningWorld world(profile, input);
    auto stays = [](int i) { return i == 0 || i == 77 || i == many - 1; };
    for (int i = 0; i < many; ++i)
        if (!stays(i)) world.world().store().remove(sim::pod_kind, "default/p" + app(i));
    auto comes = [&](const std::string &name, int i) {
        CHECK(world.world().store().put(sim::pod_kind,
                                        *pod(name, "uid: u-" + name + ", labels: {app: '" + app(i) + "'},")->tree));
        world.run();
        return world.node_of(name);
    };
    CHECK(comes("q1", 1) == "a");  // looks, and sweeps
    for (int i : {0, 77, many - 1}) {
        CHECK(comes("r" + app(i), i).empty());
        world.world().store().remove(sim::pod_kind, "default/p" + app(i));
        CHECK(comes("s" + app(i), i) == "a");
    }
}

TEST_CASE("affinity: a domain that comes when there are many counts as they do", "[sim]") {
    sim::Input input;
    constexpr int many = 70;  // more than are kept as a short list
    auto add = [&](int i) {
        auto n = std::to_string(i);
        input.nodes.push_back(labelled("n" + n, "zone: z" + n));
        input.pods.push_back(placed("q" + n, a_labels, "n" + n));
    };
    for (int i = 0; i < many; ++i) add(i);
    input.pods.push_back(pod("p", "", avoids(app_a)));
    RunningWorld world(profile, input);
    CHECK(world.node_of("p").empty());
    for (int i : {many, many + 1}) {
        auto n = std::to_string(i);
        CHECK(world.world().store().put_node(*labelled("n" + n, "zone: z" + n)->tree));
        CHECK(world.world().store().put(sim::pod_kind, *placed("q" + n, a_labels, "n" + n)->tree));
        world.run();
    }
    CHECK(world.node_of("p").empty());
    CHECK(world.world().store().put_node(*labelled("free", "zone: free")->tree));
    world.run();
    CHECK(world.node_of("p") == "free");
}

TEST_CASE("spread: pods that are being deleted, and those of other namespaces, do not count", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("a", "zone: z1"), labelled("b", "zone: z2", "unschedulable: true")};
    auto p = pod("p", a_labels, spread(of_app_a));
    input.pods = {placed("q", a_labels + "deletionTimestamp: '2026-01-01T02:00:00Z',"),
                  placed("r", a_labels + "namespace: other,"), p};
    RunningWorld world(profile, input);
    CHECK(world.node_of("p") == "a");
    input.pods = {placed("q", a_labels), p};
    RunningWorld counts(profile, input);
    CHECK(counts.message("p") ==
          "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were "
          "unschedulable.");
}

TEST_CASE("spread: too few domains make the least count nothing, and taints can take a domain away", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("a", "zone: z1"), labelled("b", "zone: z2", "taints: [{key: t, effect: NoSchedule}]")};
    auto with = [&](const std::string &rest) {
        input.pods = {placed("q", a_labels), placed("r", a_labels, "b"), pod("p", a_labels, spread(of_app_a + rest))};
        return RunningWorld(profile, input).node_of("p");
    };
    CHECK(with("") == "a");
    CHECK(with(", minDomains: 2") == "a");
    CHECK(with(", minDomains: 3").empty());
    input.nodes[1] = labelled("b", "zone: z2", "taints: [{key: t, effect: NoSchedule}]");
    input.pods = {placed("q", a_labels), pod("p", a_labels, spread(of_app_a + ", nodeTaintsPolicy: Honor"))};
    CHECK(RunningWorld(profile, input).node_of("p") == "a");
    input.pods.back() = pod("p", a_labels, spread(of_app_a));
    CHECK(RunningWorld(profile, input).node_of("p").empty());
}

TEST_CASE("spread: the system's defaults ask services and controllers, and a node without zone is a domain", "[sim]") {
    sim::Input input;
    input.nodes = {labelled("a", "zone: z1, kubernetes.io/hostname: a"), labelled("b", "kubernetes.io/hostname: b")};
    input.pods = {placed("q", a_labels), pod("p", a_labels)};
    RunningWorld nobody(profile, input);
    for (const auto &n : nobody.sink.last.at("default/p").nodes)
        for (const auto &s : n.scores) CHECK(s.plugin != "PodTopologySpread");
    input.objects = {
        object("", "services", "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: a}}}")};
    RunningWorld world(profile, input);
    const auto &d = world.sink.last.at("default/p");
    // One pod on a, hostname weighs ln(2 + 2), maxSkew 3 and 5 add 2 and 4; neither node has the zone label.
    CHECK(score(d, "a", "PodTopologySpread", true) == 3);
    CHECK(score(d, "b", "PodTopologySpread", true) == 2);
    CHECK(world.node_of("p") == "b");
}

TEST_CASE("affinity: pods in more domains than a short list holds", "[sim]") {
    constexpr int nodes = 100, free = 10;
    const auto first = GENERATE(0, 45, 90);  // of the nodes without such a pod
    sim::Input input;
    for (int i = 0; i < nodes; ++i) {
        const auto name = "n" + std::to_string(i);
        input.nodes.push_back(labelled(name, "zone: " + name));
        if (i < first || i >= first + free) input.pods.push_back(placed("q" + std::to_string(i), a_labels, name));
    }
    SECTION("who avoids them has the rest") {
        input.pods.push_back(pod("p", "", avoids(app_a)));
        RunningWorld world(profile, input);
        const auto where = std::stoi(world.node_of("p").substr(1));
        CHECK(where >= first);
        CHECK(where < first + free);
    }
    SECTION("who joins them does not come there") {
        input.pods.push_back(pod("p", "", "nodeSelector: {zone: n" + std::to_string(first) + "}, " + joins(app_a)));
        RunningWorld world(profile, input);
        CHECK(world.node_of("p").empty());
    }
}

TEST_CASE("waking: InterPodAffinity, a pod that joins waits for one that it may join", "[sim]") {
    Waiting w({labelled("a", "zone: z1")}, pod("p", "", joins(app_a)));
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_added(placed("b", b_labels)); }));
    CHECK_FALSE(w.woken_by(
        [&](Scheduler &s) { s.observer().pod_added(pod("idle", "uid: idle," + a_labels, "schedulerName: x,")); }));
    SECTION("added") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_added(placed("c", a_labels)); }));
    }
    SECTION("its labels change") {
        CHECK_FALSE(w.woken_by([&](Scheduler &s) {
            s.observer().pod_updated(placed("b", b_labels), placed("b", "resourceVersion: '2', labels: {app: c},"));
        }));
        CHECK(w.woken_by([&](Scheduler &s) {
            s.observer().pod_updated(placed("b", "resourceVersion: '2', labels: {app: c},"),
                                     placed("b", "resourceVersion: '3'," + a_labels));
        }));
    }
    SECTION("a node gets the key, or another value") {
        auto before = labelled("a", "zone: z1");
        CHECK_FALSE(
            w.woken_by([&](Scheduler &s) { s.observer().node_updated(before, labelled("a", "zone: z1, x: y")); }));
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().node_updated(before, labelled("a", "zone: z2")); }));
        CHECK_FALSE(
            w.woken_by([&](Scheduler &s) { s.observer().node_updated(labelled("a", "zone: z2"), labelled("a", "")); }));
        CHECK(
            w.woken_by([&](Scheduler &s) { s.observer().node_updated(labelled("a", ""), labelled("a", "zone: z2")); }));
    }
    CHECK(w.world->sink.last.at("default/p").attempt > 1);
}

TEST_CASE("waking: InterPodAffinity, a pod that avoids waits until those go whom it avoids, or who avoid it", "[sim]") {
    auto q = placed("q", a_labels),
         r = placed("r", "", "a", avoids("topologyKey: zone, labelSelector: {matchLabels: {me: 'yes'}}"));
    auto idle = placed("idle", b_labels);
    Waiting w({labelled("a", "zone: z1")}, pod("p", "labels: {me: 'yes'},", avoids(app_a)), {q, r, idle});
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(idle); }));
    SECTION("whom it avoids") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(q); }));
    }
    SECTION("they change") {
        CHECK(w.woken_by(
            [&](Scheduler &s) { s.observer().pod_updated(q, placed("q", "resourceVersion: '2'," + b_labels)); }));
    }
    SECTION("any node comes, one leaves the domain") {
        const auto before = labelled("a", "zone: z1");
        CHECK_FALSE(
            w.woken_by([&](Scheduler &s) { s.observer().node_updated(before, labelled("a", "zone: z1, x: y")); }));
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().node_updated(before, labelled("a", "")); }));
    }
}

TEST_CASE("waking: PodTopologySpread, when a matching pod or a domain comes or goes", "[sim]") {
    auto q = placed("q", a_labels);
    Waiting w({labelled("a", "zone: z1"), labelled("b", "zone: z2", "unschedulable: true")},
              pod("p", a_labels, spread(of_app_a)), {q});
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_added(placed("b", b_labels)); }));
    CHECK_FALSE(w.woken_by([&](Scheduler &s) { s.observer().pod_added(placed("o", a_labels + "namespace: other,")); }));
    auto b = labelled("b", "zone: z2", "unschedulable: true");
    CHECK_FALSE(w.woken_by(
        [&](Scheduler &s) { s.observer().node_updated(b, labelled("b", "zone: z2, x: y", "unschedulable: true")); }));
    SECTION("a pod is added") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_added(placed("c", a_labels, "b")); }));
    }
    SECTION("a pod is deleted") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().pod_deleted(q); }));
    }
    SECTION("a pod's labels change") {
        CHECK(w.woken_by(
            [&](Scheduler &s) { s.observer().pod_updated(q, placed("q", "resourceVersion: '2'," + b_labels)); }));
    }
    SECTION("a domain goes") {
        CHECK(w.woken_by([&](Scheduler &s) { s.observer().node_deleted(b); }));
    }
    SECTION("a node changes its domain") {
        CHECK(w.woken_by(
            [&](Scheduler &s) { s.observer().node_updated(b, labelled("b", "zone: z3", "unschedulable: true")); }));
    }
    SECTION("a node's taints change") {
        CHECK(w.woken_by([&](Scheduler &s) {
            s.observer().node_updated(
                b, labelled("b", "zone: z2", "unschedulable: true, taints: [{key: t, effect: NoSchedule}]"));
        }));
    }
}
