// SPDX-License-Identifier: Apache-2.0
#include "sim/missing_objects.h"

#include "catch.h"
#include "decode/stream.h"

#include <array>
#include <sstream>

using namespace berth;

namespace {

/// Kinds as the default plugins watch them.
const std::vector<model::Kind> watched = [] {
    std::vector<model::Kind> out;
    for (const auto *name : {"namespaces", "persistentvolumeclaims", "persistentvolumes", "services"})
        out.push_back(model::kind_of("", "v1", name));
    for (const auto *name : {"replicasets", "statefulsets"}) out.push_back(model::kind_of("apps", "v1", name));
    for (const auto *name : {"storageclasses", "csinodes", "csidrivers", "csistoragecapacities"})
        out.push_back(model::kind_of("storage.k8s.io", "v1", name));
    for (const auto *name : {"resourceclaims", "resourceclaimtemplates", "deviceclasses", "resourceslices"})
        out.push_back(model::kind_of("resource.k8s.io", "v1", name));
    out.push_back(model::kind_of("policy", "v1", "poddisruptionbudgets"));
    return out;
}();

sim::Input read(const std::string &text, const std::vector<model::Kind> &kinds = watched) {
    std::istringstream in(text);
    std::vector<decode::Document> documents;
    auto taken = decode::read_stream(in, "c.yaml", [&](decode::Document document) {
        documents.push_back(std::move(document));
        return model::Result<void>{};
    });
    if (!taken) FAIL(taken.error().text);
    auto input = sim::read_objects(documents, kinds);
    if (!input) FAIL(input.error().text);
    return *std::move(input);
}

std::vector<model::MissingObjects> missing(const sim::Input &input) {
    return sim::missing_objects(input, std::array<std::string, 1>{"default-scheduler"});
}

/// "resource count/pods first,… (effect); "
std::string text(const std::vector<model::MissingObjects> &all) {
    std::string out;
    for (const auto &one : all) {
        out += one.resource + " " + (one.count ? std::to_string(*one.count) : "any") + "/" + std::to_string(one.pods);
        for (const auto &name : one.first) out += (&name == &one.first.front() ? " " : ",") + name;
        out += " (" + one.effect + "); ";
    }
    return out;
}
std::string lacks(const std::string &yaml, const std::vector<model::Kind> &kinds = watched) {
    return text(missing(read(yaml, kinds)));
}

std::string object(const std::string &version, const std::string &kind, const std::string &name,
                   const std::string &more = "") {
    return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" + more;
}
std::string pod(const std::string &name, const std::string &spec = "", const std::string &metadata = "",
                const std::string &more = "") {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + metadata +
           "}\nspec: {containers: [{name: c, image: i}]" + spec + "}\n" + more;
}
std::string with_claim(const std::string &claim) {
    return ", volumes: [{name: v, persistentVolumeClaim: {claimName: " + claim + "}}]";
}
std::string claim(const std::string &name, const std::string &spec) {
    return object("v1", "PersistentVolumeClaim", name, "spec: {" + spec + "}\n");
}
const std::string node = object("v1", "Node", "n1", "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '9'}}\n");

}  // namespace

TEST_CASE("missing objects: an input with all that its pods need lacks nothing", "[sim]") {
    CHECK(lacks(node + pod("p") + pod("q", ", nodeName: n1")).empty());
    CHECK(lacks(node + pod("p", with_claim("data")) + claim("data", "volumeName: pv") +
                object("v1", "PersistentVolume", "pv"))
              .empty());
}

TEST_CASE("missing objects: nodes with pods on them", "[sim]") {
    CHECK(lacks(node + pod("a", ", nodeName: n3") + pod("b", ", nodeName: n2") + pod("c", ", nodeName: n3") +
                pod("d", ", nodeName: n1")) == "nodes 2/3 n2,n3 (pods on them are not counted); ");
}

TEST_CASE("missing objects: as many as five are named, in the order of their names", "[sim]") {
    std::string yaml;
    for (int i = 9; i > 0; --i) yaml += pod("p" + std::to_string(i), with_claim("c" + std::to_string(i)));
    CHECK(lacks(yaml) ==
          "persistentvolumeclaims 9/9 default/c1,default/c2,default/c3,default/c4,default/c5 (pods stay pending); ");
}

TEST_CASE("missing objects: a name is cut where nobody has longer ones, between its characters", "[sim]") {
    std::string name(model::MissingObjects::longest_name - 9, 'x');
    const auto found = missing(read(pod("p", with_claim(name + "éé"))));
    REQUIRE(found.size() == 1);
    CHECK(found.front().first == std::vector{"default/" + name + "…"});
}

TEST_CASE("missing objects: claims, by volume and by ephemeral volume", "[sim]") {
    CHECK(lacks(pod("p", with_claim("data") + ", nodeSelector: {a: b}", ", namespace: shop") +
                pod("q", ", volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {}}}}]", ", uid: u")) ==
          "persistentvolumeclaims 2/2 default/q-tmp,shop/data (pods stay pending); ");
    CHECK(lacks(node + pod("p", with_claim("data") + ", nodeName: n1")) ==
          "persistentvolumeclaims 1/1 default/data (their volumes are not counted); ");
    CHECK(lacks(pod("q", ", volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {}}}}]") + claim("q-tmp", ""))
              .empty());
}

TEST_CASE("missing objects: claims of ephemeral volumes that no cluster has yet", "[sim]") {
    const std::string ephemeral = ", volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {}}}}]";
    const auto input = read(pod("q", ephemeral));
    CHECK(text(missing(input)) == "persistentvolumeclaims 1/1 default/q-tmp (not simulated: pods stay pending); ");
    CHECK(sim::dump_command(input, missing(input)).empty());
    const auto both = read(pod("q", ephemeral) + pod("p", with_claim("data")));
    CHECK(text(missing(both)) ==
          "persistentvolumeclaims 1/1 default/q-tmp (not simulated: pods stay pending); "
          "persistentvolumeclaims 1/1 default/data (pods stay pending); ");
    CHECK(sim::dump_command(both, missing(both)).starts_with("kubectl get nodes,pods,"));
    CHECK(lacks(node + pod("q", ephemeral + ", nodeName: n1")) ==
          "persistentvolumeclaims 1/1 default/q-tmp (their volumes are not counted); ");
}

TEST_CASE("missing objects: what pods with a node lack stands apart from what others lack", "[sim]") {
    CHECK(lacks(node + pod("a", with_claim("x")) + pod("b", with_claim("y") + ", nodeName: n1") +
                pod("c", with_claim("z") + ", nodeName: n1")) ==
          "persistentvolumeclaims 1/1 default/x (pods stay pending); "
          "persistentvolumeclaims 2/2 default/y,default/z (their volumes are not counted); ");
}

TEST_CASE("missing objects: a class is not missed where a volume can be bound without it", "[sim]") {
    const auto needs = pod("p", with_claim("data")) + claim("data", "storageClassName: manual");
    const auto volume = [](const std::string &spec) {
        return object("v1", "PersistentVolume", "pv", "spec: {" + spec + "}\n");
    };
    CHECK(lacks(needs + volume("storageClassName: manual")).empty());
    CHECK(lacks(needs + volume("claimRef: {namespace: default, name: data}")).empty());
    const std::string missed = "storageclasses 1/1 manual (claims stay unbound); ";
    CHECK(lacks(needs + volume("storageClassName: other")) == missed);
    CHECK(lacks(needs + volume("storageClassName: manual, claimRef: {namespace: default, name: other}")) == missed);
}

TEST_CASE("missing objects: the volume of a bound claim, the class of another", "[sim]") {
    CHECK(lacks(pod("p", with_claim("data")) + claim("data", "volumeName: pv, storageClassName: fast")) ==
          "persistentvolumes 1/1 pv (pods stay pending); ");
    CHECK(lacks(pod("p", with_claim("data")) + claim("data", "storageClassName: fast")) ==
          "storageclasses 1/1 fast (claims stay unbound); ");
}

TEST_CASE("missing objects: what CSI volumes need of their drivers", "[sim]") {
    const auto bound = pod("p", with_claim("data")) + claim("data", "volumeName: pv") +
                       object("v1", "PersistentVolume", "pv", "spec: {csi: {driver: d, volumeHandle: v}}\n");
    CHECK(lacks(bound) == "csinodes any/1 (volume limits are ignored); ");
    CHECK(lacks(bound + object("storage.k8s.io/v1", "CSINode", "n1")).empty());
    const auto late = pod("p", with_claim("data")) + claim("data", "storageClassName: fast") +
                      object("storage.k8s.io/v1", "CSINode", "n1") +
                      object("storage.k8s.io/v1", "StorageClass", "fast",
                             "provisioner: d\nvolumeBindingMode: WaitForFirstConsumer\n");
    CHECK(lacks(late) == "csidrivers any/1 (storage capacity is ignored); ");
    CHECK(lacks(late + object("storage.k8s.io/v1", "CSIDriver", "d", "spec: {storageCapacity: true}\n")) ==
          "csistoragecapacities any/1 (pods stay pending); ");
    CHECK(lacks(late + object("storage.k8s.io/v1", "CSIDriver", "d")).empty());
}

TEST_CASE("missing objects: ResourceClaims, their templates, classes and devices", "[sim]") {
    const std::string uses = ", resourceClaims: [{name: g, resourceClaimName: gpu}]";
    const std::string made = ", resourceClaims: [{name: g, resourceClaimTemplateName: gpus}]";
    const std::string dra = "resource.k8s.io/v1";
    const std::string devices =
        "devices: {requests: [{name: r, exactly: {deviceClassName: tpu}}, {name: s, "
        "firstAvailable: [{name: t, deviceClassName: gpu}, {name: u, deviceClassName: npu}]}]}";
    CHECK(lacks(pod("p", uses)) == "resourceclaims 1/1 default/gpu (pods stay pending); ");
    CHECK(lacks(pod("p", made)) == "resourceclaimtemplates 1/1 default/gpus (pods stay pending); ");
    CHECK(lacks(pod("p", made, "", "status: {resourceClaimStatuses: [{name: g, resourceClaimName: p-g-x7}]}\n")) ==
          "resourceclaims 1/1 default/p-g-x7 (pods stay pending); ");
    CHECK(lacks(pod("p", made, "", "status: {resourceClaimStatuses: [{name: g}]}\n")).empty());
    const std::string none =
        "deviceclasses 2/1 npu,tpu (pods stay pending); resourceslices any/1 (nodes have no devices); ";
    const auto gpu = object(dra, "DeviceClass", "gpu", "spec: {}\n");
    CHECK(lacks(pod("p", uses) + gpu + object(dra, "ResourceClaim", "gpu", "spec: {" + devices + "}\n")) == none);
    CHECK(lacks(pod("p", made) + gpu +
                object(dra, "ResourceClaimTemplate", "gpus", "spec: {spec: {" + devices + "}}\n")) == none);
    CHECK(lacks(pod("p", uses) +
                object(dra, "ResourceClaim", "gpu", "spec: {" + devices + "}\nstatus: {allocation: {devices: {}}}\n"))
              .empty());
}

TEST_CASE("missing objects: a claim is made anew where its template is there", "[sim]") {
    const std::string dra = "resource.k8s.io/v1";
    const std::string made = ", resourceClaims: [{name: g, resourceClaimTemplateName: gpus}]";
    const std::string status = "status: {resourceClaimStatuses: [{name: g, resourceClaimName: p-g-x7}]}\n";
    const auto of = object(dra, "ResourceClaimTemplate", "gpus",
                           "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: tpu}}]}}}\n");
    CHECK(lacks(pod("p", made, "", status) + of) ==
          "resourceclaims 1/1 default/p-g-x7 (claims are made anew); "
          "deviceclasses 1/1 tpu (pods stay pending); resourceslices any/1 (nodes have no devices); ");
    CHECK(lacks(node + pod("p", made + ", nodeName: n1", "", status) + of) ==
          "resourceclaims 1/1 default/p-g-x7 (their devices count as free); ");
}

TEST_CASE("missing objects: devices of extended resources", "[sim]") {
    const std::string dra = "resource.k8s.io/v1";
    const auto wants = [](const std::string &name, const std::string &resource, const std::string &more = "") {
        return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
               "}\nspec: {containers: [{name: c, image: i, "
               "resources: {limits: {" +
               resource + ": '1'}}}]" + more;
    };
    const auto with_gpu = object("v1", "Node", "n2", "status: {allocatable: {cpu: '4', example.com/gpu: '1'}}\n");
    const auto gpu = object(dra, "DeviceClass", "gpu", "spec: {extendedResourceName: example.com/gpu}\n");
    const auto slice = object(dra, "ResourceSlice", "s1");
    const std::string no_slices = "resourceslices any/1 (nodes have no devices); ",
                      none = "deviceclasses any/1 (pods stay pending); " + no_slices;
    CHECK(lacks(node + wants("p", "example.com/gpu", "}\n")) == none);
    CHECK(lacks(node + with_gpu + wants("p", "example.com/gpu", "}\n")).empty());
    CHECK(lacks(node + wants("p", "hugepages-2Mi", "}\n")).empty());
    CHECK(lacks(node + gpu + wants("p", "example.com/gpu", "}\n")) == no_slices);
    CHECK(lacks(node + gpu + wants("p", "example.com/tpu", "}\n")).empty());
    CHECK(lacks(node + gpu + slice + wants("p", "example.com/gpu", "}\n")).empty());
    CHECK(lacks(node + slice + wants("p", "deviceclass.resource.kubernetes.io/gpu", "}\n")) ==
          "deviceclasses 1/1 gpu (pods stay pending); ");
    const std::string made = "status: {extendedResourceClaimStatus: {resourceClaimName: p-x7}}\n";
    CHECK(lacks(node + gpu + slice + wants("p", "example.com/gpu", ", nodeName: n1}\n" + made)) ==
          "resourceclaims 1/1 default/p-x7 (their devices count as free); ");
    CHECK(lacks(node + gpu + slice + wants("p", "example.com/gpu", "}\n" + made)) ==
          "resourceclaims 1/1 default/p-x7 (claims are made anew); ");
}

TEST_CASE("missing objects: namespaces, if a pod selects them by labels of their own", "[sim]") {
    auto selects = [](const std::string &selector) {
        return ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
               "labelSelector: {}, namespaceSelector: " +
               selector + "}]}}";
    };
    const auto others =
        pod("a", "", ", namespace: team-a") + pod("b", "", ", namespace: team-b") + object("v1", "Namespace", "team-b");
    CHECK(lacks(others + pod("p", selects("{matchLabels: {env: prod}}")) +
                pod("q", selects("{matchExpressions: [{key: env, operator: Exists}]}"))) ==
          "namespaces 2/2 default,team-a (namespaceSelector ignores them); ");
    CHECK(lacks(others + pod("p", selects("{}"))).empty());
    CHECK(lacks(others + pod("p", selects("{matchLabels: {kubernetes.io/metadata.name: team-a}}"))).empty());
    CHECK(lacks(others + pod("p",
                             ", affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                             "[{weight: 1, podAffinityTerm: {topologyKey: zone, namespaceSelector: "
                             "{matchLabels: {env: prod}}}}]}}")) ==
          "namespaces 2/1 default,team-a (namespaceSelector ignores them); ");
}

TEST_CASE("missing objects: what spreads pods that have no constraints of their own", "[sim]") {
    const std::string owned =
        ", uid: u, resourceVersion: '7', labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: "
        "ReplicaSet, name: web-5d, uid: r, controller: true}]";
    const std::string constraints =
        ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]";
    CHECK(lacks(pod("p", "", owned)) ==
          "services any/1 (default spreading ignores their pods); "
          "replicasets 1/1 default/web-5d (default spreading ignores their pods); ");
    CHECK(lacks(pod("p", constraints, owned)).empty());
    CHECK(lacks(node + pod("p", ", nodeName: n1", owned)).empty());
    CHECK(lacks(pod("p", "", ", labels: {app: web}")).empty());  // written by hand: there may be no Service
}

TEST_CASE("missing objects: what no plugin watches and nobody decides about is not missed", "[sim]") {
    CHECK(lacks(pod("p", with_claim("data")), {}).empty());
    CHECK(lacks(pod("p", with_claim("data") + ", schedulerName: another")).empty());
    CHECK(lacks(pod("p", with_claim("data"), ", deletionTimestamp: '2026-01-01T00:00:00Z'")).empty());
}

TEST_CASE("missing objects: PodDisruptionBudgets, once pods were preempted", "[sim]") {
    const auto none = read(pod("p"));
    CHECK(!sim::missing_budgets(none, 0));
    REQUIRE(sim::missing_budgets(none, 2));
    CHECK(text({*sim::missing_budgets(none, 2)}) == "poddisruptionbudgets any/2 (preemption ignores them); ");
    CHECK(!sim::missing_budgets(read(pod("p"), {}), 2));
    CHECK(!sim::missing_budgets(read(pod("p") + object("policy/v1", "PodDisruptionBudget", "b")), 2));
}

TEST_CASE("missing objects: the command brings what is there, what is missing and what that refers to", "[sim]") {
    const auto command = [](const sim::Input &input) { return sim::dump_command(input, missing(input)); };
    CHECK(command(read(node + pod("a", ", nodeName: n2"))) == "kubectl get nodes,pods -A -o yaml > cluster.yaml");
    CHECK(command(read(node + pod("a", ", nodeName: n2") + object("v1", "Namespace", "team"))) ==
          "kubectl get nodes,pods,namespaces -A -o yaml > cluster.yaml");
    auto kinds = watched;
    kinds.push_back(model::kind_of("example.com", "v1", "widgets"));
    CHECK(command(read(pod("p", with_claim("data")) + object("example.com/v1", "Widget", "w"), kinds)) ==
          "kubectl get nodes,pods,csidrivers,csinodes,csistoragecapacities,persistentvolumeclaims,persistentvolumes,"
          "storageclasses,widgets.v1.example.com -A -o yaml > cluster.yaml");
    CHECK(command(read(object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.com",
                              "spec: {group: example.com, scope: Cluster, names: {plural: widgets, kind: Widget}}\n") +
                           pod("a", ", nodeName: n2"),
                       kinds)) == "kubectl get nodes,pods,customresourcedefinitions -A -o yaml > cluster.yaml");
    CHECK(command(read(object("apps/v1", "Deployment", "web",
                              "spec: {template: {spec: {containers: [{name: c, image: i}]}}}\n") +
                       pod("a", ", nodeName: n2"))) ==
          "kubectl get nodes,pods,deployments,priorityclasses -A -o yaml > cluster.yaml");
}
