// SPDX-License-Identifier: Apache-2.0
// What becomes of ResourceClaims in a simulation, without a scheduler.
#include "served_world.h"

using namespace berth;

namespace {

const model::Kind claims = model::kind_of("resource.k8s.io", "v1", "resourceclaims");

const std::string running = "spec: {nodeName: n, containers: []}, status: {phase: Running}",
                  waiting = "spec: {containers: []}", done = R"({"status":{"phase":"Succeeded"}})",
                  kept = "finalizers: [resource.kubernetes.io/delete-protection]",
                  allocated = "allocation: {devices: {results: [{request: r, driver: d, pool: p, device: g}]}}";

std::string user(const std::string &pod, const std::string &uid) {
    return "{resource: pods, name: " + pod + ", uid: " + uid + "}";
}
std::string owner(const std::string &pod, const std::string &uid) {
    return "ownerReferences: [{apiVersion: v1, kind: Pod, name: " + pod + ", uid: " + uid + ", controller: true}]";
}

struct Claims : Served {
    Claims() { input.kinds = {claims}; }

    void pod(const std::string &name, const std::string &rest, const std::string &uid = "") {
        input.pods.push_back(pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                    (uid.empty() ? "" : ", uid: " + uid) + "}, " + rest + "}"));
    }
    void claim(const std::string &name, const std::string &status, const std::string &meta = kept) {
        object(claims, "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: default, name: " +
                           name + ", uid: u-" + name + ", " + meta + "}, spec: {}, status: {" + status + "}}");
    }
    void finish(const std::string &pod) { CHECK(patch(sim::pod_kind, "default/" + pod, done, "status") == "200"); }
    /// "free", "in use by NAME …", "gone"; with a finalizer ", kept".
    std::string state(const std::string &name) {
        const auto c = at(claims, "default/" + name);
        if (!c) return "gone";
        std::string out = c["status"]["allocation"].is_null() ? "free" : "in use by";
        const auto users = c["status"]["reservedFor"];
        for (std::size_t i = 0; i < users.size(); ++i) out.append(" ").append(users.at(i)["name"].string());
        return out + (c["metadata"]["finalizers"].size() > 0 ? ", kept" : "");
    }
};

}  // namespace

TEST_CASE("sim: a claim loses its devices with the last pod that uses it", "[sim]") {
    Claims s;
    s.pod("a", running, "u-a");
    s.pod("b", running, "u-b");
    s.claim("c", allocated + ", reservedFor: [" + user("a", "u-a") + ", " + user("b", "u-b") + "]");
    s.start();
    CHECK(s.state("c") == "in use by a b, kept");
    s.finish("a");
    CHECK(s.state("c") == "in use by b, kept");
    CHECK(s.heard() == "~default/a ~default/c ");
    CHECK(s.remove("default/b", R"({"gracePeriodSeconds":0})") == "200");
    CHECK(s.state("c") == "free");
    CHECK(s.heard() == "-default/b ~default/c ");
}

TEST_CASE("sim: pods of a file need no uid and no namespace to end", "[sim]") {
    Claims s;
    s.pod("a", running);
    const auto uid = std::string(s.input.pods[0]->uid());
    s.claim("c", allocated + ", reservedFor: [" + user("a", uid) + "]");
    s.claim("own", allocated, kept + ", " + owner("a", uid));
    s.start();
    s.finish("a");
    CHECK(s.state("c") == "free");
    CHECK(s.state("own") == "gone");
}

TEST_CASE("sim: a claim of a pod that the input lacks stays", "[sim]") {
    Claims s;
    s.pod("a", running, "u-a");
    s.claim("c", allocated + ", reservedFor: [" + user("other", "u-o") + ", " + user("a", "u-a") + "]");
    s.claim("own", "", owner("other", "u-o"));
    s.claim("same-name", "", owner("a", "u-before"));
    s.start();
    s.finish("a");
    CHECK(s.state("c") == "in use by other, kept");
    CHECK(s.state("own") == "free");
    CHECK(s.state("same-name") == "free");
}

TEST_CASE("sim: a pod that is deleted before it has a node needs no claim", "[sim]") {
    Claims s;
    s.input.pods = {
        pod_of("{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-a, deletionTimestamp: "
               "'2026-01-01T00:00:00Z', finalizers: [x]}, spec: {containers: []}}")};
    s.claim("c", allocated + ", reservedFor: [" + user("a", "u-a") + "]", kept + ", " + owner("a", "u-a"));
    s.start();
    CHECK(s.state("c") == "gone");
}

TEST_CASE("sim: a claim that is written for a pod that is gone is freed", "[sim]") {
    Claims s;
    s.pod("a", waiting, "u-a");
    s.claim("c", "", "generation: 1");
    s.start();
    CHECK(s.remove("default/a") == "200");
    CHECK(s.patch(claims, "default/c",
                  R"({"status":{"allocation":{},"reservedFor":[{"resource":"pods","name":"a","uid":"u-a"}]}})",
                  "status") == "200");
    CHECK(s.state("c") == "free");
    // Who comes later and has its name is another pod.
    s.heard();
    const auto later = pod_of("{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-later}, " + running + "}");
    CHECK(s.world.store().put(sim::pod_kind, *later->tree));
    CHECK(s.patch(claims, "default/c",
                  R"({"status":{"allocation":{},"reservedFor":[{"resource":"pods","name":"a","uid":"u-a"},)"
                  R"({"resource":"pods","name":"a","uid":"u-later"}]}})",
                  "status") == "200");
    CHECK(s.state("c") == "in use by a");
}

TEST_CASE("sim: a claim that was made for a pod goes once nobody uses it", "[sim]") {
    Claims s;
    s.pod("a", running, "u-a");
    s.pod("b", running, "u-b");
    s.claim("c", allocated + ", reservedFor: [" + user("b", "u-b") + "]", kept + ", " + owner("a", "u-a"));
    s.claim("others", allocated, "finalizers: [x, resource.kubernetes.io/delete-protection], " + owner("a", "u-a"));
    s.start();
    s.finish("a");
    CHECK(s.state("c") == "in use by b, kept");
    CHECK(s.state("others") == "free, kept");
    CHECK(s.at(claims, "default/others")["metadata"]["deletionTimestamp"]);
    CHECK(s.at(claims, "default/others")["metadata"]["finalizers"].size() == 1);
    s.finish("b");
    CHECK(s.state("c") == "gone");
}

TEST_CASE("sim: a claim that is deleted goes once nobody uses it", "[sim]") {
    Claims s;
    s.pod("a", running, "u-a");
    s.claim("used", allocated + ", reservedFor: [" + user("a", "u-a") + "]");
    s.claim("unused", allocated);
    s.start();
    for (const auto *name : {"default/used", "default/unused"})
        CHECK(s.ask(env::Verb::Delete, claims, name, "") == "200");
    CHECK(s.state("used") == "in use by a, kept");
    CHECK(s.state("unused") == "gone");
    s.finish("a");
    CHECK(s.state("used") == "gone");
}

TEST_CASE("sim: who uses a claim and is no pod stays", "[sim]") {
    Claims s;
    s.pod("a", running, "u-a");
    s.claim("c", allocated + ", reservedFor: [{apiGroup: example.com, resource: pods, name: x, uid: u-x}, " +
                     user("a", "u-a") + "]");
    s.start();
    s.finish("a");
    CHECK(s.state("c") == "in use by x, kept");
}
