// SPDX-License-Identifier: Apache-2.0
// What the simulated API server does with the writes of plugins.
#include "decode/wire.h"
#include "model/json_pointer.h"
#include "served_world.h"
#include "sim/patch.h"

using namespace berth;

namespace {

const model::Kind widgets = model::kind_of("example.com", "v1", "widgets"),
                  claims = model::kind_of("", "v1", "persistentvolumeclaims"),
                  volumes = model::kind_of("", "v1", "persistentvolumes"),
                  classes = model::kind_of("storage.k8s.io", "v1", "storageclasses"),
                  csi_nodes = model::kind_of("storage.k8s.io", "v1", "csinodes");

model::PodPtr pod(const std::string &name, const std::string &spec = "", const std::string &rest = "") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" + spec +
                  " containers: [{name: c, image: i}]}" + rest + "}");
}

constexpr auto strategic = "application/strategic-merge-patch+json";
constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("sim: a pod that runs ends when its grace is over, any other at once", "[sim]") {
    Served s;
    s.input.pods = {pod("runs", "nodeName: n,"), pod("waits"),
                    pod("starts", "nodeName: n,", ", status: {phase: Pending}"),
                    pod("short", "nodeName: n, terminationGracePeriodSeconds: 5,"), pod("now", "nodeName: n,")};
    s.start();
    CHECK(s.remove("default/waits") == "200");
    CHECK(s.remove("default/starts") == "200");
    CHECK(s.remove("default/now", R"({"gracePeriodSeconds":0})") == "200");
    CHECK(s.heard() == "-default/waits -default/starts -default/now ");
    CHECK(s.remove("default/runs") == "200");
    CHECK(s.remove("default/short") == "200");
    CHECK(s.remove("default/short") == "200");
    CHECK(s.heard() == "~default/runs! ~default/short! ");
    CHECK(s.at(sim::pod_kind, "default/short")["metadata"]["deletionTimestamp"].string() == "2026-01-01T00:00:05Z");
    s.clock.advance_to(s.clock.now_ns() + 5 * second);
    s.clock.run();
    CHECK(s.heard() == "-default/short ");
    // A shorter grace counts from when it is given.
    CHECK(s.remove("default/runs", R"({"gracePeriodSeconds":2})") == "200");
    s.clock.advance_to(s.clock.now_ns() + 2 * second);
    s.clock.run();
    CHECK(s.heard() == "~default/runs! -default/runs ");
    CHECK(s.remove("default/runs") == "404 pods \"runs\" not found");
}

TEST_CASE("sim: centuries of grace are one", "[sim]") {
    Served s;
    s.input.pods = {pod("runs", "nodeName: n, terminationGracePeriodSeconds: 9223372036854775807,")};
    s.start();
    CHECK(s.remove("default/runs") == "200");
    CHECK(s.heard() == "~default/runs! ");
    CHECK(s.at(sim::pod_kind, "default/runs")["metadata"]["deletionTimestamp"].string() == "2125-12-08T00:00:00Z");
    s.clock.advance_to(s.clock.now_ns() + 3600 * second);
    CHECK(s.heard().empty());
}

TEST_CASE("sim: a deletion of another pod than the one that is there is refused", "[sim]") {
    Served s;
    s.input.pods = {pod("p")};
    s.start();
    CHECK(s.remove("default/p", R"({"preconditions":{"uid":"other"}})")
              .starts_with(
                  "409 Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (other) does not"));
    CHECK(s.remove("default/p", R"({"preconditions":{"uid":")" + std::string(s.input.pods[0]->uid()) + "\"}}") ==
          "200");
    CHECK(s.heard() == "-default/p ");
}

TEST_CASE("sim: a patch for another pod than the one that is there is refused", "[sim]") {
    Served s;
    s.input.pods = {pod("p")};
    s.start();
    auto nominate = [&](const std::string &uid) {
        return s.patch(sim::pod_kind, "default/p",
                       R"({"metadata":{"uid":")" + uid + R"("},"status":{"nominatedNodeName":"n"}})", "status",
                       strategic);
    };
    CHECK(nominate("other") == "422 Pod \"p\" is invalid: metadata.uid: Invalid value: \"other\": field is immutable");
    CHECK(s.heard().empty());
    CHECK(nominate(std::string(s.input.pods[0]->uid())) == "200");
    CHECK(s.heard() == "~default/p? ");
}

TEST_CASE("sim: a refusal has a Status whose reason and details say what a program asks", "[sim]") {
    Served s;
    s.input.pods = {pod("p")};
    s.start();
    const auto detail = [&](const char *pointer) {
        const auto status = decode::read_api_json(s.refusal);
        REQUIRE(status);
        const auto found = model::at_pointer((*status)->value(), pointer);
        return found.is_null() ? std::string("none") : std::string(found.string());
    };
    s.remove("default/p", R"({"preconditions":{"uid":"other"}})");
    CHECK(detail("/reason") == "Conflict");
    CHECK(detail("/details/name") == "p");
    CHECK(detail("/details/kind") == "pods");
    s.patch(sim::pod_kind, "default/p", R"({"metadata":{"uid":"other"},"status":{}})", "status", strategic);
    CHECK(detail("/reason") == "Invalid");
    CHECK(detail("/details/causes/0/field") == "metadata.uid");
    s.remove("default/q");
    CHECK(detail("/reason") == "NotFound");
}

TEST_CASE("sim: conditions of a pod's status are merged by their type", "[sim]") {
    Served s;
    s.input.pods = {pod("p", "", ", status: {conditions: [{type: A, status: 'True'}], nominatedNodeName: n}")};
    s.start();
    auto status = [&](const std::string &body) {
        return s.patch(sim::pod_kind, "default/p", body, "status", strategic);
    };
    CHECK(status(R"({"status":{"$setElementOrder/conditions":[{"type":"B"},{"type":"A"}],"nominatedNodeName":null,)"
                 R"("conditions":[{"type":"B","status":"False"},{"type":"A","reason":"r"}]}})") == "200");
    CHECK(s.heard() == "~default/p ");
    auto stored = s.at(sim::pod_kind, "default/p")["status"];
    CHECK_FALSE(stored["nominatedNodeName"]);
    REQUIRE(stored["conditions"].size() == 2);
    CHECK(stored["conditions"].at(0)["type"].string() == "B");
    CHECK(stored["conditions"].at(1)["status"].string() == "True");
    CHECK(stored["conditions"].at(1)["reason"].string() == "r");
    CHECK(status(R"({"status":{"conditions":[{"type":"B","$patch":"delete"}]}})") == "200");
    CHECK(s.at(sim::pod_kind, "default/p")["status"]["conditions"].size() == 1);
    s.heard();
    // Of items of one name, the first is merged, and all are deleted.
    CHECK(s.patch(sim::pod_kind, "default/p",
                  R"({"status":{"conditions":[{"type":"A","status":"1"},{"type":"A","status":"2"}]}})",
                  "status") == "200");
    CHECK(status(R"({"status":{"conditions":[{"type":"A","status":"3"}]}})") == "200");
    CHECK(s.at(sim::pod_kind, "default/p")["status"]["conditions"].at(0)["status"].string() == "3");
    CHECK(s.at(sim::pod_kind, "default/p")["status"]["conditions"].at(1)["status"].string() == "2");
    CHECK(status(R"({"status":{"conditions":[{"type":"A","$patch":"delete"}]}})") == "200");
    CHECK(s.at(sim::pod_kind, "default/p")["status"]["conditions"].size() == 0);
    s.heard();
    // What changes nothing is no event; what is not simulated is refused.
    CHECK(status(R"({"status":{}})") == "200");
    CHECK(s.heard().empty());
    CHECK(status(R"({"spec":{"priority":1}})") ==
          "422 the simulated API server takes no spec in a patch of pods/status");
    CHECK(status(R"({"status":{"$what":1}})") == "400 the simulated API server does not know the directive $what");
    CHECK(s.patch(sim::pod_kind, "default/p", R"({"spec":{"nodeName":"n"}})").starts_with("422 Pod \"p\" is invalid"));
    CHECK(s.patch(sim::pod_kind, "default/p", "{}", "status", "application/json-patch+json") ==
          "415 the simulated API server takes merge patches and strategic merge patches, not "
          "application/json-patch+json");
    CHECK(s.patch(sim::pod_kind, "default/p", "{}", "eviction") ==
          "501 the simulated API server does not serve writes to pods/eviction");
    CHECK(s.patch(sim::pod_kind, "default/p", "[", "status").starts_with("400 "));
    CHECK(s.heard().empty());
}

TEST_CASE("sim: scheduling gates go, and do not come", "[sim]") {
    Served s;
    s.input.pods = {pod("p", "schedulingGates: [{name: a}, {name: b}],")};
    s.start();
    CHECK(s.patch(sim::pod_kind, "default/p",
                  R"({"spec":{"schedulingGates":[{"name":"a"}]},"metadata":{"labels":{"x":"y"}}})") == "200");
    CHECK(s.heard() == "~default/p ");
    CHECK(s.patch(sim::pod_kind, "default/p", R"({"spec":{"schedulingGates":[{"name":"b"}]}})").starts_with("422 "));
}

TEST_CASE("sim: objects are created, changed and deleted, each with its version", "[sim]") {
    Served s;
    s.input.kinds = {widgets};
    s.object(widgets,
             "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: n, resourceVersion: '7'}, "
             "spec: {a: 1}, status: {b: 1}}");
    s.start();
    auto put = [&](const std::string &metadata, const std::string &spec) {
        return s.ask(env::Verb::Update, widgets, "n/w",
                     R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n")" +
                         metadata + "},\"spec\":" + spec + "}");
    };
    CHECK(put(R"(,"resourceVersion":"7")", R"({"a":2})") == "200");
    CHECK(s.heard() == "~n/w ");
    CHECK(put(R"(,"resourceVersion":"7")", R"({"a":3})") ==
          "409 Operation cannot be fulfilled on widgets.example.com \"w\": the object has been modified; please apply "
          "your changes to the latest version and try again");
    CHECK(put("", R"({"a":3})") == "200");
    CHECK(s.at(widgets, "n/w")["spec"]["a"].integer() == 3);
    CHECK(s.patch(widgets, "n/w", R"({"status":{"b":2}})", "status") == "200");
    CHECK(s.at(widgets, "n/w")["status"]["b"].integer() == 2);
    CHECK(s.at(widgets, "n/w")["spec"]["a"].integer() == 3);
    CHECK(s.patch(widgets, "n/w", "{}", "", strategic).starts_with("415 "));
    s.heard();
    CHECK(s.ask(env::Verb::Create, widgets, "n/", R"({"kind":"Widget","metadata":{"generateName":"made-"}})") == "201");
    CHECK(s.heard().starts_with("+n/made-"));
    CHECK(s.ask(env::Verb::Create, widgets, "n/", R"({"kind":"Widget","metadata":{"name":"w"}})") ==
          "409 widgets.example.com \"w\" already exists");
    // With a finalizer it stays until that is taken off.
    CHECK(s.patch(widgets, "n/w", R"({"metadata":{"finalizers":["x/y"]}})") == "200");
    CHECK(s.ask(env::Verb::Delete, widgets, "n/w", "") == "200");
    CHECK(s.heard() == "~n/w ~n/w ");
    CHECK(s.patch(widgets, "n/w", R"({"metadata":{"finalizers":null}})") == "200");
    CHECK(s.heard() == "-n/w ");
    CHECK(s.ask(env::Verb::Delete, claims, "n/c", "") ==
          "501 the simulated API server has no persistentvolumeclaims: of objects it has pods and what plugins declare "
          "to watch");
}

namespace {

struct Storage : Served {
    Storage() {
        input.kinds = {claims, volumes, classes, csi_nodes};
        input.nodes = {node_of("{kind: Node, metadata: {name: n1, labels: {zone: z1}}}")};
    }
    void add_class(const std::string &name, const std::string &mode, const std::string &provisioner,
                   const std::string &meta = "") {
        object(classes, "{kind: StorageClass, metadata: {" + meta + " name: " + name +
                            "}, provisioner: " + provisioner + ", volumeBindingMode: " + mode + "}");
    }
    void claim(const std::string &name, const std::string &spec) {
        object(claims, "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " + name + "}, spec: {" + spec +
                           " accessModes: [ReadWriteOnce], resources: {requests: {storage: 5Gi}}}}");
    }
    void volume(const std::string &name, const std::string &size, const std::string &spec) {
        object(volumes, "{apiVersion: v1, kind: PersistentVolume, metadata: {name: " + name + "}, spec: {" + spec +
                            " accessModes: [ReadWriteOnce], capacity: {storage: " + size + "}}}");
    }
    /// Was none made for the claim?
    bool has_none_made(const std::string &name) {
        return at(volumes, "pvc-" + std::string(at(claims, "default/" + name)["metadata"]["uid"].string())).is_null();
    }
    /// The volume that a claim is bound to; "-" while it is not.
    std::string bound(const std::string &name) {
        auto c = at(claims, "default/" + name);
        auto v = std::string(c["spec"]["volumeName"].string());
        if (!c["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"]) return "-" + v;
        auto uid = std::string(c["metadata"]["uid"].string());
        CHECK(c["status"]["phase"].string() == "Bound");
        CHECK(at(volumes, v)["spec"]["claimRef"]["uid"].string() == uid);
        CHECK(at(volumes, v)["status"]["phase"].string() == "Bound");
        return v;
    }
};

}  // namespace

TEST_CASE("sim: a claim gets the smallest volume that fits", "[sim]") {
    Storage s;
    s.volume("big", "20Gi", "storageClassName: c,");
    s.volume("fits", "6Gi", "storageClassName: c,");
    s.volume("small", "4Gi", "storageClassName: c,");
    s.volume("other", "5Gi", "storageClassName: d,");
    s.volume("reserved", "50Gi", "claimRef: {namespace: default, name: mine},");
    s.claim("any", "storageClassName: c,");
    s.claim("next", "storageClassName: c,");
    s.claim("none", "storageClassName: c,");
    s.claim("mine", "storageClassName: c,");
    s.claim("asks", "storageClassName: d, volumeName: other,");
    s.start();
    CHECK(s.bound("any") == "fits");
    CHECK(s.bound("next") == "big");
    CHECK(s.bound("none") == "-");
    CHECK(s.bound("mine") == "reserved");
    CHECK(s.bound("asks") == "other");
}

TEST_CASE("sim: a claim gets a volume that it selects", "[sim]") {
    Storage s;
    s.volume("plain", "6Gi", "storageClassName: c,");
    s.object(volumes,
             "{apiVersion: v1, kind: PersistentVolume, metadata: {name: gold, labels: {tier: gold}}, spec: "
             "{storageClassName: c, accessModes: [ReadWriteOnce], capacity: {storage: 9Gi}}}");
    s.claim("none", "storageClassName: c, selector: {matchLabels: {tier: lead}},");
    s.claim("one", "storageClassName: c, selector: {matchLabels: {tier: gold}},");
    s.claim("other", "storageClassName: c, selector: {},");
    s.start();
    CHECK(s.bound("none") == "-");
    CHECK(s.bound("one") == "gold");
    CHECK(s.bound("other") == "plain");
}

TEST_CASE("sim: a claim whose selector Kubernetes refuses gets none of the volumes that are there", "[sim]") {
    constexpr auto refused =
        "storageClassName: fast, selector: {matchExpressions: [{key: a, operator: Exists, "
        "values: [x]}]},";
    Storage s;
    s.add_class("fast", "Immediate", "csi.example.com");
    s.volume("free", "6Gi", "storageClassName: fast,");
    s.volume("reserved", "6Gi", "storageClassName: fast, claimRef: {namespace: default, name: c},");
    s.claim("c", refused);
    s.start();
    CHECK(s.bound("c") == "-");
    CHECK(s.has_none_made("c"));
    // Without a volume of its modes nothing reads the selector until one is made.
    Storage empty;
    empty.add_class("fast", "Immediate", "csi.example.com");
    empty.object(volumes,
                 "{apiVersion: v1, kind: PersistentVolume, metadata: {name: shared}, spec: {storageClassName: fast, "
                 "accessModes: [ReadOnlyMany], capacity: {storage: 6Gi}}}");
    empty.claim("c", refused);
    empty.start();
    CHECK(empty.bound("c") == "-");
    CHECK(!empty.has_none_made("c"));
}

TEST_CASE("sim: a class that waits is bound and provisioned when the scheduler has chosen", "[sim]") {
    Storage s;
    s.add_class("local", "WaitForFirstConsumer", "kubernetes.io/no-provisioner");
    s.add_class("csi", "WaitForFirstConsumer", "csi.example.com",
                "annotations: {storageclass.kubernetes.io/is-default-class: 'true'},");
    s.object(csi_nodes,
             "{kind: CSINode, metadata: {name: n1}, spec: {drivers: [{name: csi.example.com, nodeID: n1, "
             "topologyKeys: [zone, rack]}]}}");
    s.volume("disk", "9Gi", "storageClassName: local,");
    s.claim("static", "storageClassName: local,");
    s.claim("dynamic", "");
    s.start();
    CHECK(s.bound("static") == "-");
    CHECK(s.bound("dynamic") == "-");
    CHECK(s.at(claims, "default/dynamic")["spec"]["storageClassName"].string() == "csi");
    auto uid = std::string(s.at(claims, "default/static")["metadata"]["uid"].string());
    CHECK(s.patch(volumes, "disk",
                  R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},"spec":{"claimRef":)"
                  R"({"kind":"PersistentVolumeClaim","namespace":"default","name":"static","uid":")" +
                      uid + "\"}}}") == "200");
    CHECK(s.bound("static") == "disk");
    auto choose = [&](const std::string &node) {
        return s.patch(claims, "default/dynamic",
                       R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":")" + node + "\"}}}");
    };
    // A node that is gone: the choice is taken back.
    CHECK(choose("gone") == "200");
    CHECK_FALSE(s.at(claims, "default/dynamic")["metadata"]["annotations"]["volume.kubernetes.io/selected-node"]);
    CHECK(choose("n1") == "200");
    auto made = s.bound("dynamic");
    CHECK(made == "pvc-" + std::string(s.at(claims, "default/dynamic")["metadata"]["uid"].string()));
    auto spec = s.at(volumes, made)["spec"];
    CHECK(spec["storageClassName"].string() == "csi");
    CHECK(spec["capacity"]["storage"].string() == "5Gi");
    auto terms = spec["nodeAffinity"]["required"]["nodeSelectorTerms"];
    REQUIRE(terms.at(0)["matchExpressions"].size() == 1);
    CHECK(terms.at(0)["matchExpressions"].at(0)["values"].at(0).string() == "z1");
    // The volume goes with its claim.
    s.heard();
    CHECK(s.ask(env::Verb::Delete, claims, "default/dynamic", "") == "200");
    CHECK(s.heard() == "-default/dynamic -" + made + " ");
    CHECK(s.ask(env::Verb::Delete, claims, "default/static", "") == "200");
    CHECK(s.at(volumes, "disk")["status"]["phase"].string() == "Released");
}

TEST_CASE("sim: a class that does not wait is provisioned at once", "[sim]") {
    Storage s;
    s.add_class("fast", "Immediate", "csi.example.com");
    s.claim("c", "storageClassName: fast,");
    s.claim("d", "storageClassName: absent,");
    s.claim("e", "storageClassName: '',");
    s.start();
    CHECK(s.bound("c").starts_with("pvc-"));
    CHECK(s.bound("d") == "-");
    CHECK(s.bound("e") == "-");
}

TEST_CASE("sim: a generated name is new and has at most 63 characters", "[sim]") {
    Served s;
    s.input.kinds = {widgets};
    s.start();
    auto make = [&](const std::string &base) {
        return s.ask(env::Verb::Create, widgets, "default/",
                     R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"generateName":")" + base + "\"}}");
    };
    CHECK(make("w-") == "201");
    CHECK(s.heard() == "+default/w-bbbbc ");
    CHECK(make("w-") == "201");
    CHECK(s.heard() == "+default/w-bbbbd ");
    CHECK(make(std::string(100, 'w')) == "201");
    CHECK(s.heard() == "+default/" + std::string(58, 'w') + "bbbbf ");
    // What would be the next name is taken.
    CHECK(s.ask(env::Verb::Create, widgets, "default/",
                R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w-bbbbh"}})") == "201");
    CHECK(make("w-") == "201");
    CHECK(s.heard() == "+default/w-bbbbh +default/w-vxs25 ");
}
