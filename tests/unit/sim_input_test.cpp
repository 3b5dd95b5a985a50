// SPDX-License-Identifier: Apache-2.0
#include "sim/input.h"

#include "catch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace berth;

namespace {

/// A directory of files for one test, gone afterwards.
class Files {
    std::filesystem::path dir_;

public:
    Files() : dir_(std::filesystem::temp_directory_path() / ("berth-input-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(dir_);
    }
    ~Files() { std::filesystem::remove_all(dir_); }
    std::string add(const std::string &name, const std::string &text) const {
        auto path = (dir_ / name).string();
        std::ofstream(path) << text;
        return path;
    }
    std::string dir() const { return dir_.string(); }
};

std::string pod(const std::string &name, const std::string &more = "") {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: i}]" +
           more + "}\n";
}
std::string node(const std::string &name, const std::string &more = "") {
    return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {zone: z-" + name + "}}\n" + more +
           "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n";
}

std::string names(const sim::Input &input) {
    std::string text;
    for (const auto &n : input.nodes) text += std::string(n->name) + " ";
    for (const auto &p : input.pods) text += p->key() + " ";
    return text;
}

sim::Input read(const std::vector<std::string> &paths) {
    auto input = sim::read_input(paths);
    if (!input) FAIL(input.error().text);
    return *std::move(input);
}

}  // namespace

TEST_CASE("sim: the order of the files and of the objects in them does not matter", "[sim]") {
    Files files;
    auto one = files.add("one.yaml", pod("b") + node("n2") + pod("a") + node("n1"));
    auto two = files.add("two.yaml", node("n1") + node("n2") + pod("a") + pod("b"));
    CHECK(names(read({one})) == "n1 n2 default/a default/b ");
    CHECK(names(read({two})) == names(read({one})));
}

TEST_CASE("sim: older pods come first", "[sim]") {
    Files files;
    auto at = [](const std::string &name, const std::string &time) {
        return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", creationTimestamp: '" + time +
               "'}\nspec: {containers: [{name: c, image: i}]}\n";
    };
    auto file = files.add("pods.yaml", at("a", "2026-01-01T00:00:02Z") + at("b", "2026-01-01T00:00:01Z"));
    CHECK(names(read({file})) == "default/b default/a ");
}

TEST_CASE("sim: a finished pod is counted and left out", "[sim]") {
    Files files;
    auto file = files.add("pods.yaml", pod("a") + pod("b") + "status: {phase: Succeeded}\n");
    auto input = read({file});
    CHECK(names(input) == "default/a ");
    REQUIRE(input.finished_pods.size() == 1);
    CHECK(input.finished_pods.begin()->first == "default/b");
    CHECK_FALSE(input.finished_pods.begin()->second.empty());
}

TEST_CASE("sim: the same pod twice is an error that names both places", "[sim]") {
    Files files;
    auto file = files.add("pods.yaml", pod("a") + pod("a"));
    auto input = sim::read_input({file});
    REQUIRE(!input);
    CHECK(input.error().text ==
          file + ":7:1: Pod default/a is already defined at " + file + ":2:1; keep one of the two");
}

TEST_CASE("sim: every fault of every object is reported", "[sim]") {
    Files files;
    auto file = files.add("bad.yaml", "kind: Pod\n---\napiVersion: v1\n---\njust text\n");
    auto input = sim::read_input({file, files.dir() + "/absent.yaml"});
    REQUIRE(!input);
    CHECK(input.error().text.find("the object has no apiVersion") != std::string::npos);
    CHECK(input.error().text.find("the object has no kind") != std::string::npos);
    CHECK(input.error().text.find("expected a Kubernetes object with apiVersion and kind, got a string") !=
          std::string::npos);
    CHECK(input.error().text.find("absent.yaml") != std::string::npos);
}

TEST_CASE("sim: a ResourceClaim with more users than an API server takes is a fault", "[sim]") {
    Files files;
    std::string users;
    for (int i = 0; i < 257; ++i) users += "{resource: pods, name: p, uid: u-" + std::to_string(i) + "}, ";
    auto file = files.add("claims.yaml",
                          "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {}\n"
                          "status: {reservedFor: [" +
                              users + "]}\n");
    const std::vector<model::Kind> kinds{model::kind_of("resource.k8s.io", "v1", "resourceclaims")};
    auto input = sim::read_input({file}, {}, kinds);
    REQUIRE(!input);
    CHECK(input.error().text ==
          file + ":5:23: ResourceClaim c: status.reservedFor: Too many: 257: must have at most 256 items");
}

TEST_CASE("sim: priority classes give pods their priority as admission does", "[sim]") {
    Files files;
    auto file = files.add("pods.yaml", pod("a", ", priorityClassName: high") +
                                           pod("b", ", priorityClassName: system-node-critical") +
                                           "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: "
                                           "{name: high}\nvalue: 1000\n");
    auto input = read({file});
    REQUIRE(input.pods.size() == 2);
    CHECK(input.pods[0]->view.priority == 1000);
    CHECK(input.pods[1]->view.priority == 2000001000);

    auto bare = files.add("bare.yaml", pod("a", "") + pod("b", ", priority: 0") +
                                           "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: "
                                           "{name: usual}\nvalue: 77\nglobalDefault: true\n");
    input = read({bare});
    REQUIRE(input.pods.size() == 2);
    CHECK(input.pods[0]->view.priority == 77);
    CHECK(input.pods[1]->view.priority == 0);

    auto unknown =
        files.add("unknown.yaml", pod("a", ", priorityClassName: low") + pod("b", ", priorityClassName: gone") +
                                      pod("c", ", priorityClassName: low"));
    auto refused = sim::read_input({unknown});
    REQUIRE(!refused);
    CHECK(refused.error().text == unknown +
                                      ":7:1: Pod b: spec.priorityClassName: there is no PriorityClass \"gone\" in the "
                                      "input; add it (kubectl get priorityclasses -o yaml) or set spec.priority\n" +
                                      unknown +
                                      ":2:1: Pod a: spec.priorityClassName: there is no PriorityClass \"low\" in the "
                                      "input; add it (kubectl get priorityclasses -o yaml) or set spec.priority; 1 "
                                      "more pod names it");
}

TEST_CASE("sim: of a folder what is no Kubernetes object is left out, if that is wanted", "[sim]") {
    Files files;
    files.add("cluster.yaml", pod("a") + "---\njust text\n");
    files.add("list.json", "[1, {\"a\": 2}]");
    files.add("package.json", "{\"name\": \"web\"}");
    files.add("scenario.yaml", "apiVersion: berth/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n");
    files.add("template.yaml", "apiVersion: {{ .Values.version }}\nkind: [\n");
    auto refused = sim::read_input({files.dir()});
    REQUIRE(!refused);
    const auto &text = refused.error().text;
    CHECK(std::ranges::count(text, '\n') == 5);
    CHECK(text.find("package.json:1:1: the object has no kind; expected a Kubernetes object as kubectl get -o yaml "
                    "prints it (--skip-unknown leaves it out)") != std::string::npos);
    CHECK(text.find("template.yaml:1:") != std::string::npos);
    CHECK(text.ends_with(" (--skip-unknown leaves it out)"));

    auto input = sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip);
    if (!input) FAIL(input.error().text);
    CHECK(names(*input) == "default/a ");
    CHECK(input->skipped.documents == 5);
    CHECK(input->skipped.files == 1);
    const auto d = files.dir() + "/";
    CHECK(input->warnings ==
          std::vector{"left out 5 documents that are no Kubernetes objects and 1 file that cannot be "
                      "read as YAML or JSON: " +
                      d + "cluster.yaml:7:1, " + d + "list.json:1:2, " + d + "list.json:1:5, " + d +
                      "package.json:1:1, " + d + "scenario.yaml:1:1, …"});
}

TEST_CASE("sim: a file of the cluster that cannot be read to its end is not left out", "[sim]") {
    Files files;
    const auto cut = files.add("cut.yaml", pod("a") + "---\nkind: [\n");
    CHECK(!sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip));
    files.add("cut.yaml", "kind: [\n");
    CHECK(sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip));
    CHECK(!sim::read_input({cut}, {}, {}, model::Accounting::PerContainer,
                           sim::Unknown::Skip));  // who names a file means it
    files.add("cut.yaml", pod("a") + "---\napiVersion: v1\nkind: Pod\nmetadata: {}\n");
    CHECK(!sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip));
}

TEST_CASE("sim: a manifest with a mistake is not left out, and nobody is told to leave it out", "[sim]") {
    Files files;
    const std::string head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    const std::string json = R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p")";
    std::string deep;
    for (int i = 0; i < 300; ++i) deep += "[";
    for (const auto &[name, text] : std::vector<std::pair<std::string, std::string>>{
             {"repeated.yaml", "a: 1\nreplicas: 3\nreplicas: 5\n"},
             {"deep.yaml", "a: " + deep + std::string(300, ']') + "\n"},
             {"bytes.yaml", "a: \xff\n"},
             {"items.yaml", "kind: PodList\nitems: {}\n"},
             {"indented.yaml", head + "spec:\n  replicas: 3\n template: x\n"},
             {"open.yaml", head + "spec: {replicas: [3}\n"},
             {"open.json", json},
             {"repeated.json", R"({"a": 1, "a": 2})"},
         }) {
        INFO(name);
        const auto path = files.add(name, text);
        for (const auto unknown : {sim::Unknown::Refuse, sim::Unknown::Skip}) {
            const auto read = sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, unknown);
            REQUIRE(!read);
            CHECK(read.error().text.starts_with(path));
            CHECK(read.error().text.find("--skip-unknown") == std::string::npos);
        }
        std::filesystem::remove(path);
    }
    for (const auto &[name, text] : std::vector<std::pair<std::string, std::string>>{
             {"named.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\n"},
             {"conditional.yaml", "{{- if .Values.web }}\n" + head + "{{- end }}\n"},
             {"comments.json", "{\n  // of a compiler\n  \"strict\": true\n}\n"},
         }) {
        INFO(name);
        const auto path = files.add(name, text);
        const auto read = sim::read_input({files.dir()}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip);
        if (!read) FAIL(read.error().text);
        CHECK(read->skipped.files == 1);
        std::filesystem::remove(path);
    }
}

TEST_CASE("sim: of a file that was named nothing is left out", "[sim]") {
    Files files;
    const auto cluster = files.add("cluster.yaml", pod("a"));
    const auto scenario = files.add("s.yaml", "apiVersion: berth/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n");
    const auto read = sim::read_input({cluster, scenario}, {}, {}, model::Accounting::PerContainer, sim::Unknown::Skip);
    REQUIRE(!read);
    CHECK(read.error().text == scenario + ":1:1: a scenario is played alone: berth simulate FILE");
}

TEST_CASE("sim: pods that get their priority here count as those of the release", "[sim]") {
    Files files;
    const auto file = files.add("c.yaml", pod("a") +
                                              "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
                                              "spec: {template: {spec: {containers: [{name: c, image: i}]}}}\n---\n"
                                              "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
                                              "metadata: {name: d}\nvalue: 7\nglobalDefault: true\n");
    const auto read = sim::read_input({file}, {}, {}, model::Accounting::PerPod);
    if (!read) FAIL(read.error().text);
    REQUIRE(read->pods.size() == 2);
    for (const auto &one : read->pods) {
        CHECK(one->view.priority == 7);
        CHECK(one->accounting == model::Accounting::PerPod);
    }
}

TEST_CASE("sim: workloads become the pods that are missing", "[sim]") {
    Files files;
    const std::string of = "spec: {containers: [{name: c, image: i}]}";
    SECTION("a Deployment of three is three pods") {
        auto file = files.add("w.yaml",
                              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: "
                              "{replicas: 3, template: {metadata: {labels: {app: web}}, " +
                                  of + "}}\n");
        auto input = read({file});
        CHECK(names(input) == "shop/web-0 shop/web-1 shop/web-2 ");
        REQUIRE(input.pods[0]->labels().size() == 1);
        CHECK(model::view(input.pods[0]->labels()[0].value) == "web");
    }
    SECTION("without replicas it is one, with none it is none") {
        auto file = files.add("w.yaml",
                              "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {template: {" + of +
                                  "}}\n---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: old}\nspec: "
                                  "{replicas: 0, template: {" +
                                  of + "}}\n");
        CHECK(names(read({file})) == "default/db-0 ");
    }
    SECTION("pods that it already owns count") {
        auto file = files.add(
            "w.yaml",
            "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec: {replicas: 2, template: {" + of +
                "}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-x, ownerReferences: [{apiVersion: apps/v1, "
                "kind: ReplicaSet, name: web, uid: u, controller: true}]}\n" +
                of + "\n");
        CHECK(names(read({file})) == "default/web-0 default/web-x ");
    }
    SECTION("a daemon pod that still waits for its node is not made again") {
        auto file = files.add(
            "w.yaml",
            node("n1") + node("n2") +
                "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec: {template: {" + of +
                "}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent-x, ownerReferences: [{apiVersion: apps/v1, "
                "kind: DaemonSet, name: agent, uid: u, controller: true}]}\nspec: {containers: [{name: c, image: i}], "
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}}}\n");
        CHECK(names(read({file})) == "n1 n2 default/agent-n1 default/agent-x ");
    }
    SECTION("no two pods get one name") {
        auto workload = [&](const std::string &kind) {
            return "---\napiVersion: apps/v1\nkind: " + kind +
                   "\nmetadata: {name: web}\nspec: {replicas: 2, template: {" + of + "}}\n";
        };
        auto one = files.add("w.yaml", pod("web-1") + workload("Deployment") + workload("StatefulSet"));
        auto two = files.add("v.yaml", workload("StatefulSet") + workload("Deployment") + pod("web-1"));
        CHECK(names(read({one})) == "default/web-0 default/web-1 default/web-2 default/web-3 default/web-4 ");
        auto owners = [&](const std::string &path) {
            std::string kinds;
            for (const auto &p : read({path}).pods)
                kinds += std::string(p->tree->value()["metadata"]["ownerReferences"].at(0)["kind"].string()) + " ";
            return kinds;
        };
        CHECK(owners(one) == "Deployment  Deployment StatefulSet StatefulSet ");
        CHECK(owners(two) == owners(one));
    }
    SECTION("what has ended or is being deleted makes no pods") {
        auto job = [&](const std::string &name, const std::string &status) {
            return "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
                   "}\nspec: {parallelism: 2, completions: 3, template: {" + of + "}}\nstatus: " + status + "\n";
        };
        auto file =
            files.add("w.yaml", job("complete", "{conditions: [{type: Complete, status: 'True'}]}") +
                                    job("failed", "{conditions: [{type: Failed, status: 'True'}]}") +
                                    job("runs", "{succeeded: 2, conditions: [{type: Suspended, status: 'False'}]}") +
                                    "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: going, "
                                    "deletionTimestamp: '2026-01-01T00:00:00Z'}\nspec: {replicas: 2, template: {" +
                                    of + "}}\n");
        CHECK(names(read({file})) == "default/runs-0 ");
    }
    SECTION("a Deployment whose ReplicaSet is there is not counted twice") {
        auto file = files.add(
            "w.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2, template: {" + of +
                "}}\n---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-1, ownerReferences: "
                "[{apiVersion: "
                "apps/v1, kind: Deployment, name: web, uid: u, controller: true}]}\nspec: {replicas: 2, template: {" +
                of + "}}\n");
        CHECK(names(read({file})) == "default/web-1-0 default/web-1-1 ");
    }
    SECTION("a Job runs as many as it may and still needs") {
        auto job = [&](const std::string &spec) {
            return files.add("w.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec: {" + spec +
                                           "template: {" + of + "}}\n");
        };
        CHECK(names(read({job("")})) == "default/sum-0 ");
        CHECK(names(read({job("parallelism: 3, completions: 2, ")})) == "default/sum-0 default/sum-1 ");
        CHECK(names(read({job("parallelism: 2, completions: 9, ")})) == "default/sum-0 default/sum-1 ");
        CHECK(names(read({job("suspend: true, ")})).empty());
    }
    SECTION("a DaemonSet has a pod on each node that lets it, tied to it") {
        auto file = files.add(
            "w.yaml", node("n1") + node("n2", "spec: {taints: [{key: k, effect: NoSchedule}]}\n") +
                          node("n3",
                               "spec: {unschedulable: true, taints: [{key: "
                               "node.kubernetes.io/unschedulable, effect: NoSchedule}]}\n") +
                          "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: log}\nspec: {template: {" + of +
                          "}}\n");
        auto input = read({file});
        CHECK(names(input) == "n1 n2 n3 default/log-n1 default/log-n3 ");
        auto terms =
            input.pods[0]->tree->value()["spec"]["affinity"]["nodeAffinity"]
                                        ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
        CHECK(terms.at(0)["matchFields"].at(0)["values"].at(0).string() == "n1");
    }
    SECTION("a DaemonSet's template selects nodes as Kubernetes does") {
        auto on = [&](const std::string &spec) {
            auto labelled = [](const std::string &name, const std::string &labels, const std::string &taint = "") {
                return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
                       "}}\nspec: {taints: [" + taint + "]}\n";
            };
            auto file = files.add("w.yaml", labelled("big", "cores: '64', disk: ssd") +
                                                labelled("odd", "cores: '+8', disk: ''") +
                                                labelled("tainted", "", "{key: k, value: v, effect: NoExecute}") +
                                                labelled("worse", "", "{key: k, effect: PreferNoSchedule}") +
                                                "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\nspec: "
                                                "{template: {spec: {containers: [{name: c, image: i}], " +
                                                spec + "}}}\n");
            std::string nodes;
            for (const auto &made : read({file}).pods) nodes += std::string(made->name().substr(2)) + " ";
            return nodes;
        };
        auto required = [&](const std::string &terms) {
            return on(
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
                terms + "]}}}");
        };
        auto expression = [&](const std::string &text) { return required("{matchExpressions: [{" + text + "}]}"); };
        CHECK(on("nodeSelector: {}") == "big odd worse ");
        CHECK(on("nodeSelector: {disk: ''}") == "odd ");
        CHECK(on("nodeSelector: {disk: ssd, cores: '64'}") == "big ");
        CHECK(on("tolerations: [{key: k, value: v}]") == "big odd tainted worse ");
        CHECK(on("tolerations: [{key: k, operator: Exists, effect: NoSchedule}]") == "big odd worse ");
        CHECK(required("").empty());
        CHECK(required("{}").empty());
        CHECK(expression("key: cores, operator: Gt, values: ['7']") == "big odd ");
        CHECK(expression("key: cores, operator: Lt, values: ['64']") == "odd ");
        CHECK(expression("key: disk, operator: NotIn, values: [ssd]") == "odd worse ");
        CHECK(required("{matchFields: [{key: metadata.name, operator: NotIn, values: [odd]}]}") == "big worse ");
        CHECK(on("nodeName: odd") == "odd ");
        CHECK(on("nodeName: tainted").empty());
        CHECK(on("nodeName: gone").empty());
        // A term that Kubernetes refuses selects no node; the others still count.
        CHECK(expression("key: cores, operator: Below, values: ['64']").empty());
        CHECK(expression("key: disk, operator: NotIn").empty());
        CHECK(
            required("{matchExpressions: [{key: cores, operator: Gt, values: ['1', '2']}]}, {matchExpressions: [{key: "
                     "disk, operator: Exists}]}") == "big odd ");
    }
    SECTION("a template without a spec is an error") {
        auto file =
            files.add("w.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n");
        auto input = sim::read_input({file});
        REQUIRE(!input);
        CHECK(input.error().text == file + ":1:1: Deployment default/web: spec.template.spec: required");
    }
    SECTION("a selector that Kubernetes refuses is an error") {
        auto file = files.add("w.yaml",
                              "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec: {selector: "
                              "{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}, template: {" +
                                  of + "}}\n");
        auto input = sim::read_input({file});
        REQUIRE(!input);
        CHECK(input.error().text == file +
                                        ":1:1: ReplicaSet default/web: spec.selector: \"Gt\" is not a valid label "
                                        "selector operator");
    }
    SECTION("an impossible number of replicas is an error") {
        auto file = files.add("w.yaml",
                              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: -3, "
                              "template: {" +
                                  of + "}}\n");
        auto input = sim::read_input({file});
        REQUIRE(!input);
        CHECK(input.error().text.find("spec.replicas: expected a number from 0 to 1000000") != std::string::npos);
    }
}

TEST_CASE("sim: objects of the kinds that are asked for are read, each by its names", "[sim]") {
    Files files;
    const std::vector<model::Kind> kinds{
        model::kind_of("", "v1", "persistentvolumes"), model::kind_of("apps", "v1", "statefulsets"),
        model::kind_of("example.com", "v1", "cacti"), model::kind_of("example.com", "v1", "widgets")};
    auto object = [](const std::string &version, const std::string &kind, const std::string &name,
                     const std::string &more = "") {
        return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" + more;
    };
    auto text = [](const sim::Input &input) {
        std::string out;
        for (const auto &[kind, o] : input.objects) out += kind.resource + ":" + o->key() + " ";
        for (const auto &warning : input.warnings) out += "(" + warning + ")";
        return out;
    };
    SECTION("built-in and custom ones, whatever the order; others are passed over") {
        // The custom kind whose plural is not the usual one is joined to it by its definition, which comes last.
        auto file = files.add(
            "o.yaml",
            object("example.com/v1", "Cactus", "c", "spec: {node: n1}\n") + object("v1", "PersistentVolume", "b") +
                object("v1", "PersistentVolume", "a") + object("example.com/v1", "Widget", "w") +
                object("apps/v1", "StatefulSet", "s",
                       "spec: {replicas: 1, template: {spec: {containers: [{name: c, image: i}]}}}\n") +
                object("example.com/v1", "Gadget", "g") + object("example.com/v2", "Widget", "w") +
                object("v1", "Service", "s") +
                object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "cacti.example.com",
                       "spec: {group: example.com, scope: Namespaced, names: {kind: Cactus, plural: cacti}}\n"));
        auto input = sim::read_input({file}, {}, kinds);
        if (!input) FAIL(input.error().text);
        CHECK(text(*input) ==
              "statefulsets:default/s cacti:default/c widgets:w persistentvolumes:a persistentvolumes:b "
              "(passed over 1 × example.com/v1/Gadget: a simulation does not use it)"
              "(passed over 1 × example.com/v2/Widget: a simulation does not use it)"
              "(passed over 1 × v1/Service: a simulation does not use it)");
        CHECK(names(*input) == "default/s-0 ");
    }
    SECTION("faults have their places") {
        auto file =
            files.add("o.yaml", object("v1", "PersistentVolume", "a/b") + object("v1", "PersistentVolume", "a") +
                                    object("v1", "PersistentVolume", "a") + object("example.com/v1", "Widget", "'%'") +
                                    object("example.com/v1", "Widget", "w") + object("example.com/v1", "Widget", "w"));
        auto input = sim::read_input({file}, {}, kinds);
        REQUIRE(!input);
        CHECK(input.error().text ==
              file + ":4:18: PersistentVolume a/b: metadata.name: expected a name without '/' and '%', got \"a/b\"\n" +
                  file + ":10:1: PersistentVolume a is already defined at " + file + ":6:1; keep one of the two\n" +
                  file + ":14:1: Widget %: metadata.name: expected a name without '/' and '%', got \"%\"\n" + file +
                  ":22:1: Widget w is already defined at " + file + ":18:1; keep one of the two");
    }
}

TEST_CASE("sim: a kind that is wanted takes nothing from the others of its group", "[sim]") {
    Files files;
    auto file = files.add("o.yaml", node("n1") + pod("p") +
                                        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
                                        "---\napiVersion: v1\nkind: Endpoints\nmetadata: {name: e}\n"
                                        "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n"
                                        "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n");
    const std::vector<model::Kind> kinds{model::kind_of("", "v1", "secrets"), model::kind_of("", "v1", "endpoints"),
                                         model::kind_of("", "v1", "persistentvolumes")};
    auto input = sim::read_input({file}, {}, kinds);
    if (!input) FAIL(input.error().text);
    std::string text;
    for (const auto &[kind, o] : input->objects) text += kind.resource + ":" + o->key() + " ";
    for (const auto &warning : input->warnings) text += "(" + warning + ")";
    CHECK(text ==
          "endpoints:e persistentvolumes:v secrets:s (passed over 1 × v1/Service: a simulation does not use it)");
    CHECK(names(*input) == "n1 default/p ");
}

TEST_CASE("sim: every namespace that something is in has an object, with the label of its name", "[sim]") {
    Files files;
    const std::vector<model::Kind> kinds{model::kind_of("", "v1", "namespaces")};
    auto file = files.add("n.yaml",
                          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team-b}\nspec: "
                          "{containers: [{name: c, image: i}]}\n"
                          "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team-a, labels: {team: a}}\n");
    auto input = sim::read_input({file}, {}, kinds);
    if (!input) FAIL(input.error().text);
    std::string text;
    for (const auto &[kind, o] : input->objects) {
        text += std::string(o->name) + ":";
        for (const auto &l : o->labels)
            text += std::string(model::view(l.key)) + "=" + std::string(model::view(l.value)) + ",";
        text += " ";
    }
    const std::string label = ":kubernetes.io/metadata.name=";
    CHECK(text == "default" + label + "default, kube-node-lease" + label + "kube-node-lease, kube-public" + label +
                      "kube-public, kube-system" + label + "kube-system, team-a" + label + "team-a,team=a, team-b" +
                      label + "team-b, ");
}
