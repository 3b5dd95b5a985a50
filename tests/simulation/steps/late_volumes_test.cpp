// SPDX-License-Identifier: Apache-2.0

// VolumeBinding where claims and volumes come to agree late, or otherwise than the scheduler had it in mind.

#include "binding_world.h"

using namespace binding_world;

namespace {

const std::string twice =
    "{name: a, persistentVolumeClaim: {claimName: c}}, {name: b, persistentVolumeClaim: "
    "{claimName: c}}";
/// The volume controller looks at access modes where the scheduler does not: a volume that is reserved for this claim
/// is left to the scheduler.
const std::string of_many = "accessModes: [ReadWriteMany], storageClassName: k,";
const std::string reserved = "claimRef: {namespace: default, name: c},";
const std::string chosen = "volume.kubernetes.io/selected-node: n",
                  completed = "pv.kubernetes.io/bind-completed: 'yes'";

std::string annotated(const std::string &list) { return "annotations: {" + list + "},"; }

}  // namespace

TEST_CASE("VolumeBinding: a volume that is reserved by name is told which claim that is", "[sim]") {
    Binding s({class_of(), claim("c", of_many), volume("v", csi + reserved, version)});
    s.add(of_claim("c"));
    s.begin();
    auto v = s.stored(volumes, "v")->value();
    CHECK(v["spec"]["claimRef"]["uid"].string() == "u-c");
    // Who reserved it keeps it: it is not the volume controller's to take back.
    CHECK(v["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"].is_null());
    CHECK(s.failures() == Texts{});
}

TEST_CASE("VolumeBinding: a volume that is reserved is taken once, even by a claim that the pod names twice", "[sim]") {
    Binding s({class_of(), claim("c", of_many), volume("v", csi + reserved, version)});
    s.add(twice);
    s.begin();
    CHECK(s.why() == "2 node(s) didn't find available persistent volumes to bind.");
}

TEST_CASE("VolumeBinding: a pod that names a claim twice is bound once", "[sim]") {
    Binding s({made, claim("c", of_k), volume("v", "")});
    for (int i = 0; i < 2; ++i) s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of it
    s.add(twice, "p", "nodeSelector: {disk: ssd},");
    s.begin();
    CHECK(s.at().empty());
    s.put(volume("w", csi + on_ssd + "claimRef: {namespace: default, name: c, uid: u-c},"));
    s.put(claim("c", of_k + "volumeName: w,", annotated(chosen + ", " + completed)));
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.failures() == Texts{});
}

TEST_CASE("VolumeBinding: a pod waits while its claim is bound to a volume that nobody has seen", "[sim]") {
    Binding s({made, claim("c", of_k), volume("v", "")});
    s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of it
    s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
    s.begin();
    s.put(claim("c", of_k + "volumeName: w,", annotated(chosen + ", " + completed)));
    s.begin();
    CHECK(s.at().empty());
    s.put(volume("w", csi + on_ssd + "claimRef: {namespace: default, name: c, uid: u-c},"));
    s.begin();
    CHECK(s.at() == "n");
    CHECK(s.failures() == Texts{});
}

TEST_CASE("VolumeBinding: a pod waits while its claim has a node and no volume", "[sim]") {
    Binding s({made, claim("c", of_k), volume("v", "")});
    s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of it
    s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
    s.begin();
    // Of another class, so that nobody makes a volume for it.
    s.put(claim("c", "accessModes: [ReadWriteOnce], storageClassName: none,", annotated(chosen)));
    s.begin();
    CHECK(s.at().empty());
    CHECK(s.failures() == Texts{});
}

TEST_CASE("VolumeBinding: what a deleted pod waited for is free at once", "[sim]") {
    Binding s({made, claim("c", of_k), volume("v", "")});
    s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of it
    s.add(of_claim("c"), "p", "nodeSelector: {disk: ssd},");
    s.begin();
    CHECK(s.at().empty());
    s.world->world().store().remove(sim::pod_kind, "default/p");
    s.begin();
    CHECK(s.failures() == Texts{"p: pod does not exist any more: pod \"p\" not found"});
    s.add(of_claim("c"), "q", "nodeSelector: {disk: hdd},");
    s.begin();
    CHECK(s.at("q") == "m");
}

TEST_CASE("VolumeBinding: pods that wait for one claim do not end each other's wait", "[sim]") {
    Binding s({made, claim("c", of_k), claim("d", of_k), volume("v", "")});
    for (int i = 0; i < 3; ++i) s.api().next(claims, {{}, 200, "{}", {}, 0});  // the provisioner has not heard of them
    s.add(of_claim("d") + ", " + of_claim("c"), "p", "nodeSelector: {disk: ssd},");
    s.begin();
    s.add(of_claim("c"), "q", "nodeSelector: {disk: ssd},");
    s.begin();
    s.put(claim("d", of_k, annotated("a: b")));
    s.begin();
    CHECK(s.failures() == Texts{"p: binding volumes: provisioning failed for PVC \"d\""});
    s.put(volume("w", csi + on_ssd + "claimRef: {namespace: default, name: c, uid: u-c},"));
    s.put(claim("c", of_k + "volumeName: w,", annotated(chosen + ", " + completed)));
    s.begin();
    CHECK(s.at("q") == "n");
}
