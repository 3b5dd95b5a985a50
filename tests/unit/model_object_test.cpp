// SPDX-License-Identifier: Apache-2.0
#include "model/any_object.h"
#include "object_text.h"

using namespace berth;
using model::kind_of;

namespace {

std::string faults_of(const model::Kind &kind, const std::string &yaml) {
    std::string faults;
    auto object = model::read_object(
        tree_of(yaml), kind,
        [&](model::Value, const std::string &path, const std::string &text) { faults += path + ": " + text + "\n"; });
    CHECK_FALSE(object);
    return faults;
}

}  // namespace

TEST_CASE("kind: is called as paths, files and events call it", "[model]") {
    auto pvc = kind_of("", "v1", "persistentvolumeclaims");
    CHECK(pvc.name == "PersistentVolumeClaim");
    CHECK(pvc.scope == model::Scope::Namespaced);
    CHECK(pvc.api_version() == "v1");
    CHECK(pvc.text() == "v1/persistentvolumeclaims");
    CHECK(pvc.path() == "/api/v1/persistentvolumeclaims");
    CHECK(pvc.event_resource() == "PersistentVolumeClaim");
    auto sc = kind_of("storage.k8s.io", "v1", "storageclasses");
    CHECK(sc.path() == "/apis/storage.k8s.io/v1/storageclasses");
    CHECK(sc.event_resource() == "storage.k8s.io/StorageClass");
    CHECK(sc.scope == model::Scope::Cluster);
    auto widgets = kind_of("example.com", "v1", "widgets");
    CHECK(widgets.custom);
    CHECK(widgets.event_resource() == "widgets.v1.example.com");
    CHECK(widgets.path() == "/apis/example.com/v1/widgets");
    CHECK(kind_of("example.com", "v1", "services").custom);
    CHECK(sc.long_name() == "storageclasses.v1.storage.k8s.io");
    CHECK(pvc.long_name() == "persistentvolumeclaims.v1");
    CHECK(widgets.long_name() == "widgets.v1.example.com");
    CHECK(kind_of("", "v1", "endpoints").event_resource() == "endpoints.v1");
}

TEST_CASE("kind: the plural that a kind most likely has", "[model]") {
    CHECK(model::guessed_resource("Widget") == "widgets");
    CHECK(model::guessed_resource("NetworkPolicy") == "networkpolicies");
    CHECK(model::guessed_resource("IngressClass") == "ingressclasses");
    CHECK(model::guessed_resource("Endpoints") == "endpoints");
    for (const auto &kind : model::built_in_kinds()) CHECK(model::guessed_resource(kind.name) == kind.resource);
}

TEST_CASE("object: metadata is decoded, and the rest is there", "[model]") {
    auto kind = kind_of("", "v1", "services");
    auto o = any_object(kind, R"({apiVersion: v1, kind: Service, spec: {clusterIP: None}, metadata: {name: s, uid: u1,
        resourceVersion: '7', labels: {b: '2', a: '1'}, annotations: {x: y}}})");
    CHECK(o->key() == "default/s");
    auto meta = o->meta();
    CHECK(model::view(meta.namespace_) == "default");
    CHECK(model::view(meta.uid) == "u1");
    CHECK(model::view(meta.resource_version) == "7");
    REQUIRE(meta.labels_len == 2);
    CHECK(model::view(meta.labels[0].key) == "a");
    auto tree = o->tree->value();
    CHECK(tree["spec"]["clusterIP"].string() == "None");
    CHECK(tree["metadata"]["annotations"]["x"].string() == "y");
    CHECK(any_object(kind, "{metadata: {name: s}}")->uid == any_object(kind, "{metadata: {name: s}}")->uid);
    CHECK(any_object(kind, "{metadata: {name: s}}")->uid != any_object(kind, "{metadata: {name: t}}")->uid);
}

TEST_CASE("object: whether a custom one has a namespace is said by itself", "[model]") {
    auto kind = kind_of("example.com", "v1", "widgets");
    CHECK(any_object(kind, "{metadata: {name: w}}")->key() == "w");
    CHECK(any_object(kind, "{metadata: {name: w, namespace: n}}")->key() == "n/w");
    CHECK(any_object(kind_of("", "v1", "persistentvolumes"), "{metadata: {name: v, namespace: n}}")->key() == "v");
}

TEST_CASE("object: faults have their paths", "[model]") {
    auto kind = kind_of("", "v1", "services");
    CHECK(faults_of(kind, "{metadata: {labels: {a: 1}}}") ==
          "metadata.name: a name is required\nmetadata.labels.a: expected a string (put it in quotes), got 1\n");
    CHECK(faults_of(kind, "{metadata: {name: a/b}}") ==
          "metadata.name: expected a name without '/' and '%', got \"a/b\"\n");
    CHECK(faults_of(kind, "{metadata: {name: .., namespace: A}}") ==
          "metadata.name: expected a name without '/' and '%', got \"..\"\n"
          "metadata.namespace: expected a namespace of at most 63 lower case letters, digits and '-', got \"A\"\n");
    CHECK(faults_of(kind, "text") == ": expected a Service, got \"text\"\n");
    CHECK(faults_of(kind, "{metadata: 7}") ==
          "metadata: expected an object, got 7\nmetadata.name: a name is required\n");
}
