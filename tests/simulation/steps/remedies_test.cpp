// SPDX-License-Identifier: Apache-2.0
// What would make a pod fit: whoever does it sees the pod fit, with real plugins in random clusters.
#include "model/build.h"
#include "report/explanation.h"
#include "running_world.h"

#include <random>
#include <set>

using namespace running_world;

namespace {

using Kind = model::Remedy::Change::Kind;

const std::string cordon = "node.kubernetes.io/unschedulable";

/// A node whose parts a test can change.
struct NodeParts {
    std::string name;
    std::map<std::string, std::int64_t> allocatable;  ///< cpu in milli
    std::map<std::string, std::string> labels;
    std::vector<std::string> taints;  ///< in flow style
    bool unschedulable = false;

    std::string yaml() const {
        std::string out = "{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {";
        for (const auto &[key, value] : labels) out += key + ": '" + value + "', ";
        out += "}}, spec: {unschedulable: " + std::string(unschedulable ? "true" : "false") + ", taints: [";
        for (const auto &taint : taints) out += taint + ", ";
        out += "]}, status: {allocatable: {";
        for (const auto &[resource, n] : allocatable)
            out += resource + ": '" + std::to_string(n) + (resource == "cpu" ? "m" : "") + "', ";
        return out + "}}}";
    }
};

struct Cluster {
    std::vector<NodeParts> nodes;
    std::vector<std::string> placed;
    std::string requests, tolerations, rest;  ///< of the pod

    std::string pod() const {
        return "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {tolerations: [" + tolerations + "], " + rest +
               "containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]}}";
    }
    NodeParts &node(const std::string &name) { return *std::ranges::find(nodes, name, &NodeParts::name); }
};

class Maker {
    std::mt19937 random_;

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    std::string number(unsigned n) { return std::to_string(below(n)); }
    std::string taint() {
        return "{key: t" + number(4) + ", value: v" + number(2) +
               ", effect: " + std::array{"NoSchedule", "NoExecute", "PreferNoSchedule"}[below(3)] + "}";
    }
    std::string requirement() {
        switch (below(5)) {
            case 0: return "{key: l" + number(3) + ", operator: Exists}";
            case 1: return "{key: l" + number(3) + ", operator: DoesNotExist}";
            case 2: return "{key: l" + number(3) + ", operator: NotIn, values: ['1', '2']}";
            case 3: return "{key: l" + number(3) + ", operator: Gt, values: ['" + number(4) + "']}";
            default: return "{key: l" + number(3) + ", operator: In, values: ['" + number(4) + "', '5']}";
        }
    }
    std::string term() {
        auto out = "{matchExpressions: [" + requirement();
        while (below(2)) out += ", " + requirement();
        return out + "]}";
    }

public:
    explicit Maker(unsigned seed) : random_(seed) {}

    Cluster cluster() {
        Cluster out;
        const auto nodes = 1 + below(8);
        for (unsigned i = 0; i < nodes; ++i) {
            NodeParts node{"n" + std::to_string(i), {}, {}, {}, below(3) == 0};
            node.allocatable = {{"cpu", 1000 * (1 + below(4)) + below(1000)},
                                {"memory", (1 + below(8)) << 28},
                                {"pods", 1 + below(6)},
                                {"ephemeral-storage", 1 << 30}};
            if (below(2)) node.allocatable["gpu.io/x"] = below(3);
            for (const auto *key : {"l0", "l1", "l2"})
                if (below(2)) node.labels[key] = number(5);
            while (below(3) == 0) node.taints.push_back(taint());
            // As the node controller does.
            if (node.unschedulable && below(2)) node.taints.push_back("{key: " + cordon + ", effect: NoSchedule}");
            out.nodes.push_back(std::move(node));
        }
        for (unsigned i = below(2 * nodes); i > 0; --i)
            out.placed.push_back("{apiVersion: v1, kind: Pod, metadata: {name: q" + std::to_string(i) +
                                 "}, spec: {nodeName: n" + number(nodes) +
                                 ", containers: [{name: c, image: i, resources: {requests: {cpu: " + number(900) +
                                 "m, memory: " + number(300) + "Mi}}}]}}");
        out.requests = "cpu: " + number(3500) + "m, memory: " + number(2000) + "Mi";
        if (below(3) == 0) out.requests += ", gpu.io/x: " + std::to_string(1 + below(2));
        if (below(4) == 0) out.requests += ", ephemeral-storage: " + std::to_string(1 + below(2)) + "Gi";
        if (below(2)) out.tolerations += "{key: t" + number(4) + ", operator: Exists}, ";
        if (below(4) == 0) out.rest += "nodeSelector: {l" + number(3) + ": '" + number(5) + "'}, ";
        if (below(3) == 0)
            out.rest +=
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
                term() + (below(2) ? ", " + term() : "") + "]}}}, ";
        return out;
    }
};

/// What the plugins say of the pod in that cluster, and what would make it fit.
struct Answer {
    std::map<std::string, model::Status> nodes;
    std::vector<model::Remedy> remedies;
};

Answer ask(const Cluster &cluster) {
    sim::Input input;
    for (const auto &node : cluster.nodes) input.nodes.push_back(node_of(node.yaml()));
    for (const auto &pod : cluster.placed) input.pods.push_back(pod_of(pod));
    RunningWorld world("profiles: [{schedulerName: default-scheduler}]", input);
    const auto pod = pod_of(cluster.pod());
    Answer out;
    const auto said = world.scheduler.dry_runs().run(pod);
    for (const auto &node : said.decision.nodes) out.nodes[node.name] = node.verdict;
    out.remedies = world.scheduler.dry_runs().remedies(pod, said.decision);
    return out;
}

/// Does what it says; `less` by one of what is missing of a resource.
Cluster after(Cluster cluster, const model::Remedy &change, std::int64_t less = 0) {
    auto &node = cluster.node(change.node);
    for (const auto &part : change.changes) switch (part.kind) {
            case Kind::Resource: node.allocatable[part.name] += part.amount - less; break;
            case Kind::Pods: node.allocatable["pods"] += part.amount - less; break;
            case Kind::Toleration:
                cluster.tolerations +=
                    "{key: " + part.name + ", value: '" + part.value + "', effect: " + part.effect + "}, ";
                break;
            case Kind::Uncordon:
                node.unschedulable = false;
                std::erase_if(node.taints, [](const auto &taint) { return taint.find(cordon) != taint.npos; });
                break;
            case Kind::Label: node.labels[part.name] = part.value; break;
            case Kind::NoLabel: node.labels.erase(part.name); break;
            case Kind::Other: FAIL("no default plugin says this: " << part.name);
        }
    return cluster;
}

bool fits(const Answer &answer, const std::string &node) {
    const auto at = answer.nodes.find(node);
    return at != answer.nodes.end() && at->second.success();
}

}  // namespace

TEST_CASE("remedies: in random clusters the pod fits after each change, and not after less", "[remedies]") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    Maker maker(seed);
    std::map<Kind, int> kinds;
    int several = 0;
    for (int round = 0; round < 250; ++round) {
        const auto cluster = maker.cluster();
        const auto answer = ask(cluster);
        CHECK(answer.remedies.size() <= 3);
        std::string objects = cluster.pod();
        for (const auto &node : cluster.nodes) objects += "\n" + node.yaml();
        for (const auto &pod : cluster.placed) objects += "\n" + pod;
        INFO("round " << round << "\n" << objects);
        for (const auto &change : answer.remedies) {
            INFO(report::remedy_text(change));
            CHECK(!fits(answer, change.node));
            CHECK(fits(ask(after(cluster, change)), change.node));
            const auto kind = change.changes.front().kind;
            ++kinds[kind];
            several += change.changes.size() > 1 ? 1 : 0;
            if (change.changes.size() == 1 && (kind == Kind::Resource || kind == Kind::Pods))
                CHECK(!fits(ask(after(cluster, change, 1)), change.node));
        }
    }
    // The clusters are such that each happens.
    CHECK(kinds[Kind::Resource] > 0);
    CHECK(kinds[Kind::Pods] > 0);
    CHECK(kinds[Kind::Toleration] > 0);
    CHECK(kinds[Kind::Uncordon] > 0);
    CHECK(kinds[Kind::Label] + kinds[Kind::NoLabel] > 0);
    CHECK(several > 0);
}

TEST_CASE("remedies: of several plugins together, and with the pods that are nominated to the node", "[remedies]") {
    Cluster cluster;
    cluster.requests = "cpu: '3'";
    cluster.nodes = {{"n0", {{"cpu", 2000}, {"pods", 9}}, {}, {"{key: t, effect: NoSchedule}"}, false},
                     {"n1", {{"cpu", 1000}, {"pods", 9}}, {}, {}, false},
                     {"n2", {{"cpu", 4000}, {"pods", 9}}, {}, {"{key: t, effect: NoSchedule}"}, false}};
    auto texts = [](const Answer &answer) {
        std::vector<std::string> out;
        for (const auto &change : answer.remedies) out.push_back(report::remedy_text(change) + " " + change.plugin);
        return out;
    };
    CHECK(texts(ask(cluster)) ==
          std::vector<std::string>{"tolerate t:NoSchedule on n2 TaintToleration", "2 more cpu on n1 NodeResourcesFit",
                                   "tolerate t:NoSchedule and 1 more cpu on n0 TaintToleration, NodeResourcesFit"});
    cluster.nodes.pop_back();
    sim::Input input;
    for (const auto &node : cluster.nodes) input.nodes.push_back(node_of(node.yaml()));
    RunningWorld world("profiles: [{schedulerName: default-scheduler}]", input);
    // Somebody who comes first is promised a half of the cpu on n1.
    world.scheduler.observer().pod_added(pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {priority: 9, "
        "containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]}, status: {nominatedNodeName: n1}}"));
    const auto pod = pod_of(cluster.pod());
    const auto remedies = world.scheduler.dry_runs().remedies(pod, world.scheduler.dry_runs().run(pod).decision);
    REQUIRE(!remedies.empty());
    CHECK(report::remedy_text(remedies[0]) == "2.5 more cpu on n1");
}

namespace {

/// What is shown of one node with 4 cpu that rejects the pod; `spec`, `labels` and `taints` in flow style.
std::string of_one(const std::string &spec, const std::string &labels, const std::string &taints = "",
                   bool unschedulable = false, const std::string &config = "{schedulerName: default-scheduler}") {
    sim::Input input;
    input.nodes.push_back(node_of("{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {" + labels +
                                  "}}, spec: {unschedulable: " + (unschedulable ? "true" : "false") + ", taints: [" +
                                  taints + "]}, status: {allocatable: {cpu: '4', pods: '9'}}}"));
    RunningWorld world("profiles: [" + config + "]", input);
    const auto pod = running_world::pod("p", "", spec);
    const auto remedies = world.scheduler.dry_runs().remedies(pod, world.scheduler.dry_runs().run(pod).decision);
    return remedies.empty() ? "" : report::remedy_text(remedies[0]);
}

std::string affinity(const std::string &terms) {
    return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms +
           "]}}}, ";
}
std::string term(const std::string &expressions) { return "{matchExpressions: [" + expressions + "]}"; }

const std::string node_labels = "disk: hdd, zone: a, kubernetes.io/hostname: n1";

}  // namespace

TEST_CASE("remedies: the labels that the pod asks for, by the nearest of its terms", "[remedies]") {
    auto text = [](const std::string &spec) { return of_one(spec, node_labels); };
    CHECK(text("nodeSelector: {disk: ssd, zone: a}, ") == "label disk=ssd on n1");
    CHECK(text("nodeSelector: {disk: ssd, fast: 'true'}, ") == "label disk=ssd and fast=true on n1");
    CHECK(text(affinity(term("{key: disk, operator: In, values: [ssd, nvme]}"))) == "label disk=ssd on n1");
    CHECK(text(affinity(term("{key: disk, operator: In, values: [ssd, nvme]}, "
                             "{key: disk, operator: NotIn, values: [ssd]}"))) == "label disk=nvme on n1");
    CHECK(text(affinity(term("{key: zone, operator: NotIn, values: [a]}"))) == "no label zone on n1");
    CHECK(text(affinity(term("{key: cores, operator: Gt, values: ['8']}"))) == "label cores=9 on n1");
    CHECK(text(affinity(term("{key: cores, operator: Lt, values: ['8']}"))) == "label cores=7 on n1");
    CHECK(text(affinity(term("{key: quiet, operator: Exists}, {key: zone, operator: DoesNotExist}"))) ==
          "label quiet= and no label zone on n1");
    // One label for both requirements on it.
    CHECK(text(affinity(term("{key: cores, operator: Exists}, {key: cores, operator: Gt, values: ['8']}"))) ==
          "label cores=9 on n1");
    CHECK(text("nodeSelector: {disk: nvme}, " + affinity(term("{key: disk, operator: In, values: [ssd, nvme]}"))) ==
          "label disk=nvme on n1");
    // The second term takes less.
    CHECK(text(affinity(term("{key: a, operator: Exists}, {key: b, operator: Exists}") + ", " +
                        term("{key: zone, operator: In, values: [b]}"))) == "label zone=b on n1");
}

TEST_CASE("remedies: where no label helps, or none that may be changed, nothing is said", "[remedies]") {
    const std::string no_labels_do;
    auto text = [](const std::string &spec) { return of_one(spec, node_labels); };
    CHECK(text(affinity(term("{key: a, operator: Exists}, {key: a, operator: DoesNotExist}"))) == no_labels_do);
    CHECK(text("nodeSelector: {disk: nvme}, " + affinity(term("{key: disk, operator: NotIn, values: [nvme]}"))) ==
          no_labels_do);
    for (const auto *key : {"kubernetes.io/hostname", "kubernetes.io/arch", "topology.kubernetes.io/zone",
                            "node.kubernetes.io/instance-type", "feature.node.kubernetes.io/gpu", "x.k8s.io/pool"})
        CHECK(text("nodeSelector: {" + std::string(key) + ": n2}, ") == no_labels_do);
    for (const std::string key :
         {"node-restriction.kubernetes.io/team", "node-role.kubernetes.io/worker", "kubernetes.io.a/b"})
        CHECK(text("nodeSelector: {" + key + ": n2}, ") == "label " + key + "=n2 on n1");
    CHECK(text(affinity(term("{key: cores, operator: Lt, values: ['0']}"))) == no_labels_do);
    CHECK(text(affinity(term("{key: cores, operator: Gt, values: ['9223372036854775807']}"))) == no_labels_do);
    // A pod that states very much costs nothing.
    std::string many;
    for (int i = 0; i < 65; ++i) many += "l" + std::to_string(i) + ": a, ";
    CHECK(text("nodeSelector: {" + many + "}, ") == no_labels_do);
}

TEST_CASE("remedies: the affinity that the arguments add counts too", "[remedies]") {
    const std::string config =
        "{schedulerName: default-scheduler, pluginConfig: [{name: NodeAffinity, args: {addedAffinity: "
        "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
        term("{key: pool, operator: In, values: [big]}") + "]}}}}]}";
    CHECK(of_one("", node_labels, "", false, config) == "label pool=big on n1");
    CHECK(of_one("nodeSelector: {disk: ssd}, ", node_labels, "", false, config) == "label disk=ssd and pool=big on n1");
}

TEST_CASE("remedies: taints that are not tolerated, all of them; a cordon and its taint are one", "[remedies]") {
    const std::string taints =
        "{key: gpu, value: a, effect: NoSchedule}, {key: soft, effect: PreferNoSchedule}, {key: down, effect: "
        "NoExecute}";
    const std::string of_cordon = "{key: " + cordon + ", effect: NoSchedule}";
    CHECK(of_one("", "", taints) == "tolerate gpu=a:NoSchedule and down:NoExecute on n1");
    CHECK(of_one("tolerations: [{key: down, operator: Exists}], ", "", taints) == "tolerate gpu=a:NoSchedule on n1");
    CHECK(of_one("tolerations: [{key: gpu, value: b}, {key: down, effect: NoSchedule, operator: Exists}], ", "",
                 taints) == "tolerate gpu=a:NoSchedule and down:NoExecute on n1");
    CHECK(of_one("", "", "", true) == "uncordon n1");
    CHECK(of_one("", "", of_cordon, true) == "uncordon n1");
    CHECK(of_one("", "", of_cordon + ", {key: down, effect: NoExecute}", true) ==
          "uncordon and tolerate down:NoExecute on n1");
    // What says that a node is out of order, or not for everybody, is not to be tolerated.
    for (const auto &key :
         {cordon, std::string("node.kubernetes.io/not-ready"), std::string("node.cloudprovider.kubernetes.io/shutdown"),
          std::string("node-role.kubernetes.io/control-plane")})
        CHECK(of_one("", "", "{key: " + key + ", effect: NoSchedule}, {key: down, effect: NoExecute}") == "");
}

TEST_CASE("remedies: a device is not advised for a node that has none", "[remedies]") {
    Cluster cluster;
    cluster.requests = "gpu.io/x: '2'";
    cluster.nodes = {{"n0", {{"cpu", 2000}, {"pods", 9}}, {}, {}, false},
                     {"n1", {{"cpu", 2000}, {"pods", 9}}, {}, {}, false}};
    CHECK(ask(cluster).remedies.empty());
    cluster.nodes[0].allocatable["gpu.io/x"] = 1;
    const auto remedies = ask(cluster).remedies;
    REQUIRE(remedies.size() == 1);
    CHECK(report::remedy_text(remedies[0]) == "1 more gpu.io/x on n0");
    cluster.nodes[1].allocatable["gpu.io/x"] = 0;
    CHECK(ask(cluster).remedies.size() == 1);
}

TEST_CASE("remedies: what takes a command comes before what takes a machine", "[remedies]") {
    Cluster cluster;
    cluster.requests = "cpu: '3'";
    for (const auto *name : {"n0", "n1", "n2"})
        cluster.nodes.push_back({name, {{"cpu", 1000}, {"pods", 9}}, {}, {}, false});
    cluster.nodes[1].allocatable = {{"cpu", 2000}, {"pods", 9}, {"memory", 1}};
    cluster.nodes.push_back({"n3", {{"cpu", 4000}, {"pods", 9}}, {}, {}, true});
    const auto remedies = ask(cluster).remedies;
    REQUIRE(remedies.size() == 2);
    CHECK(report::remedy_text(remedies[0]) == "uncordon n3");
    CHECK(report::remedy_text(remedies[1]) == "1 more cpu on n1");
}
