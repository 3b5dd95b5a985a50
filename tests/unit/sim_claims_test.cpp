// SPDX-License-Identifier: Apache-2.0
// What becomes of ResourceClaims in a simulation, without a scheduler.
#include "served_world.h"

#include <set>

using namespace berth;

namespace {

const model::Kind claims = model::kind_of("resource.k8s.io", "v1", "resourceclaims"),
                  templates = model::kind_of("resource.k8s.io", "v1", "resourceclaimtemplates");

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
    Claims() {
        input.kinds = {claims};
        sim::ClaimController::add_templates(input.kinds);
    }

    void pod(const std::string &name, const std::string &rest, const std::string &uid = "") {
        input.pods.push_back(pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                                    (uid.empty() ? "" : ", uid: " + uid) + "}, " + rest + "}"));
    }
    static std::string claim_text(const std::string &name, const std::string &status, const std::string &meta) {
        return "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: default, name: " + name +
               ", uid: u-" + name + ", " + meta + "}, spec: {}, status: {" + status + "}}";
    }
    void claim(const std::string &name, const std::string &status, const std::string &meta = kept) {
        object(claims, claim_text(name, status, meta));
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

/// Pods of templates, whose names have no surprises.
struct Templates : Claims {
    static model::AnyPtr template_of(const std::string &name, const std::string &spec) {
        return any_object(templates,
                          "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {namespace: "
                          "default, name: " +
                              name + "}, spec: {" + spec + "}}");
    }
    void put(const std::string &name, const std::string &spec = "spec: {}") {
        CHECK(world.store().put(templates, *template_of(name, spec)->tree));
        clock.run();
    }
    /// `entries` is in flow style.
    static std::string wants(const std::string &entries) {
        return "spec: {resourceClaims: [" + entries + "], containers: []}";
    }
    /// What the pod's status says of its claims, "entry=claim …", without the last five characters of claims.
    std::string made(const std::string &pod) {
        const auto list = at(sim::pod_kind, "default/" + pod)["status"]["resourceClaimStatuses"];
        std::string out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            std::string name(list.at(i)["resourceClaimName"].string());
            if (name.size() > 5 && name.find("own") == name.npos) name.resize(name.size() - 5);
            out.append(i == 0 ? "" : " ").append(list.at(i)["name"].string()).append("=").append(name);
        }
        return out;
    }
    std::string name_of(const std::string &pod) {
        return std::string(
            at(sim::pod_kind, "default/" + pod)["status"]["resourceClaimStatuses"].at(0)["resourceClaimName"].string());
    }
    std::size_t count() const { return world.store().list(claims).size(); }
};
const std::string of_t = "{name: gpu, resourceClaimTemplateName: t}";

}  // namespace

TEST_CASE("sim: a pod of a template gets a claim", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t), "u-a");
    s.input.objects.push_back(
        {templates,
         Templates::template_of("t",
                                "metadata: {labels: {l: x}, annotations: {k: v, "
                                "resource.kubernetes.io/pod-claim-name: z}}, spec: {devices: {requests: [{name: "
                                "r, exactly: {deviceClassName: gpus}}]}}")});
    s.world.start(s.input, s);
    s.clock.run();
    CHECK(s.made("a") == "gpu=a-gpu-");
    const auto name = s.name_of("a");
    CHECK(s.said.ends_with("+default/t +default/" + name + " ~default/a "));
    const auto claim = s.at(claims, "default/" + name);
    const auto metadata = claim["metadata"], owner = metadata["ownerReferences"].at(0);
    CHECK(claim["kind"].string() == "ResourceClaim");
    CHECK(claim["apiVersion"].string() == "resource.k8s.io/v1");
    CHECK(metadata["uid"].string().starts_with("00000000-"));
    CHECK(metadata["creationTimestamp"].string() == "2026-01-01T00:00:00Z");
    CHECK(metadata["labels"]["l"].string() == "x");
    CHECK(metadata["annotations"].size() == 2);
    CHECK(metadata["annotations"]["k"].string() == "v");
    CHECK(metadata["annotations"]["resource.kubernetes.io/pod-claim-name"].string() == "gpu");
    CHECK(owner["kind"].string() == "Pod");
    CHECK(owner["apiVersion"].string() == "v1");
    CHECK(owner["name"].string() == "a");
    CHECK(owner["uid"].string() == "u-a");
    CHECK(owner["controller"].is_true());
    CHECK(claim["spec"]["devices"]["requests"].at(0)["name"].string() == "r");
    // It goes with the pod.
    s.heard();
    CHECK(s.remove("default/a") == "200");
    CHECK(s.heard() == "-default/a -default/" + name + " ");
}

TEST_CASE("sim: a pod waits for its templates", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t + ", {name: nic, resourceClaimTemplateName: u}, {name: c, resourceClaimName: c}"));
    s.pod("b", Templates::wants(of_t));
    s.start();
    CHECK(s.count() == 0);
    s.put("t");
    CHECK(s.made("b") == "gpu=b-gpu-");
    // As in a cluster: a claim is there, and the status says so when it says all.
    CHECK(s.made("a").empty());
    CHECK(s.count() == 2);
    s.put("u");
    CHECK(s.made("a") == "gpu=a-gpu- nic=a-nic-");
    CHECK(s.count() == 3);
    s.put("u", "spec: {devices: {}}");  // what was made stays as it is
    CHECK(s.count() == 3);
    // Of another namespace.
    CHECK(s.world.store().put(templates, *tree_of("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, "
                                                  "metadata: {namespace: other, name: t}, spec: {spec: {}}}")));
    s.clock.run();
    CHECK(s.count() == 3);
}

TEST_CASE("sim: a claim is made once, whatever happens at the same time", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t + ", {name: nic, resourceClaimTemplateName: u}"));
    s.start();
    CHECK(s.world.store().put(templates, *Templates::template_of("t", "spec: {}")->tree));
    CHECK(s.world.store().put(sim::pod_kind, *s.input.pods[0]->tree));
    s.clock.run();
    CHECK(s.count() == 1);
}

TEST_CASE("sim: a claim that is not there is made, and with it one in place of another pod's", "[sim]") {
    Templates s;
    const std::string status =
        ", status: {resourceClaimStatuses: [{name: none}, {name: lost, resourceClaimName: gone}, "
        "{name: other, resourceClaimName: owned}]}";
    s.pod("a",
          Templates::wants(of_t + ", {name: none, resourceClaimTemplateName: t}, {name: lost, "
                                  "resourceClaimTemplateName: t}, {name: other, resourceClaimTemplateName: t}") +
              status,
          "u-a");
    s.claim("owned", "", owner("b", "u-b"));
    s.start();
    s.put("t");
    CHECK(s.made("a") == "none= gpu=a-gpu- lost=a-lost- other=a-other-");
    CHECK(s.count() == 4);
}

TEST_CASE("sim: a pod whose status names another pod's claim waits until that goes", "[sim]") {
    Templates s;
    const auto names = [](const std::string &claim) {
        return Templates::wants(of_t) + ", status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: " + claim +
               "}]}";
    };
    s.pod("a", names("owned"), "u-a");
    s.pod("c", names("owned-too"), "u-c");
    s.claim("owned", "", owner("b", "u-b"));
    s.claim("owned-too", "", "generation: 1");
    s.start();
    s.put("t");
    CHECK(s.made("a") == "gpu=owned");
    CHECK(s.ask(env::Verb::Delete, claims, "default/owned", "") == "200");
    CHECK(s.made("a") == "gpu=a-gpu-");
    CHECK(s.made("c") == "gpu=owned-too");
    CHECK(s.count() == 2);
}

TEST_CASE("sim: a claim that was made already is taken", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t), "u-a");
    const std::string of_entry = "annotations: {resource.kubernetes.io/pod-claim-name: gpu}, ";
    s.claim("owned", "", of_entry + owner("a", "u-a"));
    s.claim("of-another", "", of_entry + owner("a", "u-before"));
    s.start();
    CHECK(s.made("a") == "gpu=owned");
    CHECK(s.count() == 2);
}

TEST_CASE("sim: a claim of a template that is deleted is made again", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t), "u-a");
    s.start();
    s.put("t");
    const auto first = s.name_of("a");
    CHECK(s.ask(env::Verb::Delete, claims, "default/" + first, "") == "200");
    CHECK(s.name_of("a") != first);
    CHECK(s.count() == 1);
    // But not for a pod that has ended.
    CHECK(s.patch(sim::pod_kind, "default/a", done, "status") == "200");
    CHECK(s.count() == 0);
}

TEST_CASE("sim: the next pod of a name has a claim of its own", "[sim]") {
    Templates s;
    s.pod("a", Templates::wants(of_t), "u-a");
    s.start();
    s.put("t");
    const auto first = s.name_of("a");
    s.world.store().remove(sim::pod_kind, "default/a");
    const auto next = pod_of("{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-b}, " + s.wants(of_t) + "}");
    CHECK(s.world.store().put(sim::pod_kind, *next->tree));
    s.clock.run();
    CHECK(s.state(first) == "gone");
    CHECK(s.state(s.name_of("a")) == "free");
    CHECK(s.count() == 1);
    s.world.store().remove(sim::pod_kind, "default/a");
    s.clock.run();
    CHECK(s.count() == 0);
    s.put("t", "spec: {devices: {}}");
    CHECK(s.count() == 0);
}

TEST_CASE("sim: names of claims have at most 63 characters", "[sim]") {
    auto name = [](std::size_t pod, std::size_t entry) {
        Templates s;
        s.pod(std::string(pod, 'p'),
              Templates::wants("{name: " + std::string(entry, 'e') + ", resourceClaimTemplateName: t}"));
        s.start();
        s.put("t");
        REQUIRE(s.count() == 1);
        return s.name_of(std::string(pod, 'p'));
    };
    // As kube-controller-manager and the API server cut them.
    CHECK(name(50, 5).starts_with(std::string(50, 'p') + "-eeeee-"));
    CHECK(name(50, 5).size() == 62);
    CHECK(name(51, 5).starts_with(std::string(50, 'p') + "-eeee"));
    CHECK(name(51, 5).size() == 60);
    CHECK(name(253, 63).starts_with(std::string(45, 'p') + "-" + std::string(11, 'e')));
    CHECK(name(253, 63).size() == 62);
}

TEST_CASE("sim: a claim gets a name that no other has", "[sim]") {
    std::set<std::string> taken;
    for (int i = 0; i < 20; ++i) {
        Templates s;
        s.pod("a", Templates::wants(of_t));
        s.input.objects.push_back({templates, Templates::template_of("t", "spec: {}")});
        for (const auto &name : taken) s.claim(name, allocated);
        s.start();
        REQUIRE(s.count() == taken.size() + 1);
        CHECK(taken.insert(s.name_of("a")).second);
    }
}

TEST_CASE("sim: a claim that no API server would take is not made", "[sim]") {
    for (const std::string spec : {"metadata: {labels: [x]}, spec: {}", "metadata: {labels: {a: {}}}, spec: {}"}) {
        Templates s;
        s.pod("a", Templates::wants(of_t));
        s.start();
        s.put("t", spec);
        CHECK(s.count() == 0);
        CHECK(s.made("a").empty());
    }
    Templates s;
    s.pod("a", Templates::wants("{name: 'NOT A NAME', resourceClaimTemplateName: t}"));
    s.start();
    s.put("t");
    CHECK(s.count() == 0);
}

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

TEST_CASE("sim: a pod that has finished before the simulation needs no claim", "[sim]") {
    for (const std::string phase : {"Succeeded", "Failed"}) {
        std::vector<decode::Document> objects;
        for (const auto &text :
             {"{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-a}, spec: {nodeName: n, containers: [{name: c, "
              "image: i}]}, status: {phase: " +
                  phase + "}}",
              std::string("{apiVersion: v1, kind: Pod, metadata: {name: b, uid: u-b}, spec: {nodeName: n, containers: "
                          "[{name: c, image: i}]}}"),
              Claims::claim_text("c", allocated + ", reservedFor: [" + user("a", "u-a") + "]", kept),
              Claims::claim_text("own", "", owner("a", "u-a")),
              Claims::claim_text("shared", allocated + ", reservedFor: [" + user("b", "u-b") + "]",
                                 kept + ", " + owner("a", "u-a")),
              Claims::claim_text("others", "", owner("a", "u-before"))}) {
            auto document = decode::read_document(text, "test.yaml");
            REQUIRE(document);
            objects.push_back(*std::move(document));
        }
        Claims s;
        auto input = sim::read_objects(objects, s.input.kinds);
        REQUIRE(input);
        s.input = *std::move(input);
        s.start();
        CHECK(s.state("c") == "free");
        CHECK(s.state("own") == "gone");
        CHECK(s.state("shared") == "in use by b, kept");
        CHECK_FALSE(s.at(claims, "default/shared")["metadata"]["deletionTimestamp"]);
        CHECK(s.state("others") == "free");
    }
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

TEST_CASE("sim: a claim whose only owner is gone is deleted", "[sim]") {
    const std::string reference = "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u-a";
    Claims s;
    s.pod("a", running, "u-a");
    s.pod("b", running, "u-b");
    s.claim("used", allocated + ", reservedFor: [" + user("b", "u-b") + "]", kept + ", " + owner("a", "u-a"));
    s.claim("no-controller", "", reference + "}]");
    s.claim("of-two", allocated + ", reservedFor: [" + user("a", "u-a") + "]",
            kept + ", " + reference + ", controller: true}, {apiVersion: example.com/v1, kind: Set, name: s, uid: u}]");
    s.claim("of-another-kind", "", "ownerReferences: [{apiVersion: example.com/v1, kind: Pod, name: a, uid: u-a}]");
    s.start();
    const auto is_deleted = [&] { return !s.at(claims, "default/used")["metadata"]["deletionTimestamp"].is_null(); };
    SECTION("when the pod goes") { CHECK(s.remove("default/a", R"({"gracePeriodSeconds":0})") == "200"); }
    SECTION("not yet when the pod has finished") {
        s.finish("a");
        CHECK_FALSE(is_deleted());
        CHECK(s.state("no-controller") == "free");
        // As upstream, which then no longer asks who else owns it.
        CHECK(s.state("of-two") == "gone");
        return;
    }
    CHECK(is_deleted());
    CHECK(s.state("used") == "in use by b, kept");
    CHECK(s.state("no-controller") == "gone");
    CHECK(s.state("of-two") == "free");
    CHECK(s.state("of-another-kind") == "free");
    s.finish("b");
    CHECK(s.state("used") == "gone");
}

TEST_CASE("sim: a finished pod of the input is gone once another one has its name", "[sim]") {
    Claims s;
    s.input.finished_pods = {{"default/a", "u-a"}};
    s.pod("b", running, "u-b");
    s.claim("c", allocated + ", reservedFor: [" + user("b", "u-b") + "]", kept + ", " + owner("a", "u-a"));
    s.start();
    CHECK(s.at(claims, "default/c")["metadata"]["deletionTimestamp"].is_null());
    const auto later = pod_of("{apiVersion: v1, kind: Pod, metadata: {name: a, uid: u-later}, " + running + "}");
    CHECK(s.world.store().put(sim::pod_kind, *later->tree));
    s.clock.run();
    CHECK_FALSE(s.at(claims, "default/c")["metadata"]["deletionTimestamp"].is_null());
    CHECK(s.state("c") == "in use by b, kept");
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

TEST_CASE("sim: a claim that was deleted before the simulation goes once nobody uses it", "[sim]") {
    Claims s;
    const std::string deleted = "deletionTimestamp: '2026-01-01T00:00:00Z', " + kept;
    s.pod("a", running, "u-a");
    s.claim("used", allocated + ", reservedFor: [" + user("a", "u-a") + "]", deleted);
    s.claim("unused", allocated, deleted);
    s.claim("not-deleted", allocated);
    s.start();
    CHECK(s.state("used") == "in use by a, kept");
    CHECK(s.state("unused") == "gone");
    CHECK(s.state("not-deleted") == "in use by, kept");
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

TEST_CASE("sim: a claim has at most 256 users", "[sim]") {
    Claims s;
    s.claim("c", allocated);
    s.start();
    const auto reserve = [&](int users) {
        std::string list;
        for (int i = 0; i < users; ++i)
            list.append(i == 0 ? "" : ",")
                .append(R"({"resource":"x","name":"n","uid":"u-)")
                .append(std::to_string(i))
                .append("\"}");
        return s.patch(claims, "default/c", R"({"status":{"reservedFor":[)" + list + "]}}", "status");
    };
    CHECK(reserve(256) == "200");
    CHECK(reserve(257) ==
          "422 ResourceClaim.resource.k8s.io \"c\" is invalid: status.reservedFor: Too many: 257: must "
          "have at most 256 items");
    CHECK(s.at(claims, "default/c")["status"]["reservedFor"].size() == 256);
}
