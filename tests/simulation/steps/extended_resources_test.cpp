// SPDX-License-Identifier: Apache-2.0

// DynamicResources finds devices for extended resources: what the claim requests that it makes for them, and what
// becomes of that claim with an API server that refuses, is late, or has one from before.

#include "claims_world.h"
#include "decode/write.h"

using namespace claims_world;

namespace {

const std::string status_of_pods = "pods/status";
const std::string gpus = "extendedResourceName: example.com/gpu";

/// `amounts` is in flow style, as in "example.com/gpu: 1".
std::string container(const std::string &name, const std::string &amounts, const std::string &more = "") {
    return "{name: " + name + ", image: i, resources: {requests: {" + amounts + "}, limits: {" + amounts + "}}" + more +
           "}";
}
std::string sidecar(const std::string &name, const std::string &amounts) {
    return container(name, amounts, ", restartPolicy: Always");
}
model::PodPtr asking(const std::string &name, const std::string &containers, const std::string &spec = "") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: p-" + name + "}, spec: {" + spec +
                  " containers: [" + containers + "]}}");
}
model::PodPtr asking_for_gpus(const std::string &name, int count = 1, const std::string &spec = "") {
    return asking(name, container("c", "example.com/gpu: " + std::to_string(count)), spec);
}

sim::InputObject slice_of(const std::string &node, int devices) {
    std::string list;
    for (int i = 0; i < devices; ++i) list += (i == 0 ? "{name: g" : ", {name: g") + std::to_string(i) + "}";
    return object("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: of-" + node +
                  "}, spec: {driver: d.example.com, nodeName: " + node + ", pool: {name: " + node +
                  ", generation: 1, resourceSliceCount: 1}, devices: [" + list + "]}}");
}
model::NodePtr with(const std::string &name, const std::string &allocatable) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   "}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110', " + allocatable + "}}}");
}

struct Extended : ClaimsWorld {
    explicit Extended(std::vector<sim::InputObject> objects, std::vector<model::NodePtr> nodes = {node("n")})
        : ClaimsWorld(std::move(nodes), {}, std::move(objects), "", {kind()}) {}

    void add(const model::PodPtr &p) { CHECK(world->world().store().put(sim::pod_kind, *p->tree)); }
    void run(const model::PodPtr &p) {
        add(p);
        world->run();
    }
    /// All claims that there are.
    std::vector<model::TreePtr> all() const { return world->world().store().list(kind()); }
    /// What the only claim requests: "name class count, …".
    std::string requests() const {
        REQUIRE(all().size() == 1);
        const auto list = all()[0]->value()["spec"]["devices"]["requests"];
        std::string out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto exactly = list.at(i)["exactly"];
            CHECK(exactly["allocationMode"].string() == "ExactCount");
            out.append(i == 0 ? "" : ", ").append(list.at(i)["name"].string()).append(" ");
            out.append(exactly["deviceClassName"].string()).append(" ");
            out.append(std::to_string(exactly["count"].integer().value_or(0)));
        }
        return out;
    }
    /// What the pod's status says about its claim's requests: "container resource request, …".
    std::string mappings(const std::string &name = "p") const {
        const auto status = world->stored(name)->tree->value()["status"]["extendedResourceClaimStatus"];
        REQUIRE(all().size() == 1);
        CHECK(status["resourceClaimName"].string() == all()[0]->value()["metadata"]["name"].string());
        const auto list = status["requestMappings"];
        std::string out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            out.append(i == 0 ? "" : ", ").append(list.at(i)["containerName"].string()).append(" ");
            out.append(list.at(i)["resourceName"].string()).append(" ");
            out.append(list.at(i)["requestName"].string());
        }
        return out;
    }
};

/// A claim for the extended resources of pod p that is there already.
sim::InputObject left(const std::string &status = "", const std::string &meta = "") {
    return resource_claim("p-extended-resources-x", status,
                          "annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, ownerReferences: "
                          "[{apiVersion: v1, kind: Pod, name: p, uid: p-p, controller: true}]," +
                              meta);
}

}  // namespace

TEST_CASE("DynamicResources: a claim is made for extended resources", "[sim]") {
    Extended s({device_class("gpu", gpus), slice_of("n", 3)});
    s.run(asking_for_gpus("p", 2));
    CHECK(s.at() == "n");
    CHECK(s.failures() == Texts{});
    CHECK(s.requests() == "container-0-request-0 gpu 2");
    CHECK(s.mappings() == "c example.com/gpu container-0-request-0");
    const auto tree = s.all().at(0);
    const auto metadata = tree->value()["metadata"], owner = metadata["ownerReferences"].at(0);
    CHECK(metadata["name"].string().starts_with("p-extended-resources-"));
    CHECK(metadata["annotations"]["resource.kubernetes.io/extended-resource-claim"].string() == "true");
    CHECK(owner["kind"].string() == "Pod");
    CHECK(owner["uid"].string() == "p-p");
    CHECK(owner["controller"].is_true());
    CHECK(metadata["finalizers"].at(0).string() == "resource.kubernetes.io/delete-protection");
    const auto status = tree->value()["status"];
    CHECK(status["reservedFor"].at(0)["uid"].string() == "p-p");
    CHECK(status["allocation"]["allocationTimestamp"].string() == "2026-01-01T00:00:00Z");
    CHECK(status["allocation"]["devices"]["results"].size() == 2);
    CHECK(status["allocation"]["devices"]["results"].at(1)["device"].string() == "g1");
    CHECK(s.api().count(claims) == 2);
    CHECK(s.api().count(status_of_claims) == 1);
    CHECK(s.api().count(status_of_pods) == 1);
}

TEST_CASE("DynamicResources: the requests of containers", "[sim]") {
    auto run = [](const std::string &inits, const std::string &containers) {
        Extended s({device_class("gpu", gpus), device_class("nic", "extendedResourceName: example.com/nic"),
                    slice_of("n", 20)});
        s.run(asking("p", containers, "initContainers: [" + inits + "],"));
        CHECK(s.at() == "n");
        return s.requests() + "; " + s.mappings();
    };
    SECTION("each has its own, named after its place among all that the container requests") {
        CHECK(
            run("", container("a", "cpu: 1, example.com/gpu: 1, example.com/nic: 2") + ", " + container("b", "cpu: 1") +
                        ", " + container("c", "example.com/gpu: 3")) ==
            "container-0-request-1 gpu 1, container-0-request-2 nic 2, container-2-request-0 gpu 3; a example.com/gpu "
            "container-0-request-1, c example.com/gpu container-2-request-0, a example.com/nic container-0-request-2");
    }
    SECTION("an init container uses those of containers that last") {
        CHECK(run(container("i", "example.com/gpu: 2"),
                  container("a", "example.com/gpu: 1") + ", " + container("b", "example.com/gpu: 2")) ==
              "container-1-request-0 gpu 1, container-2-request-0 gpu 2; a example.com/gpu container-1-request-0, b "
              "example.com/gpu container-2-request-0, i example.com/gpu container-1-request-0, i example.com/gpu "
              "container-2-request-0");
    }
    SECTION("but not of a sidecar that begins before it") {
        CHECK(run(sidecar("s", "example.com/gpu: 1") + ", " + container("i", "example.com/gpu: 1"),
                  container("a", "cpu: 1")) ==
              "container-0-request-0 gpu 1, container-1-request-0 gpu 1; s example.com/gpu container-0-request-0, i "
              "example.com/gpu container-1-request-0");
    }
    SECTION("init containers share the largest of what they need beyond that") {
        CHECK(run(container("i", "example.com/gpu: 3") + ", " + container("k", "example.com/gpu: 5") + ", " +
                      container("l", "example.com/gpu: 5"),
                  container("a", "example.com/gpu: 1")) ==
              "container-1-request-0 gpu 4, container-3-request-0 gpu 1; a example.com/gpu container-3-request-0, i "
              "example.com/gpu container-3-request-0, i example.com/gpu container-1-request-0, k example.com/gpu "
              "container-3-request-0, k example.com/gpu container-1-request-0, l example.com/gpu "
              "container-3-request-0, l "
              "example.com/gpu container-1-request-0");
    }
    SECTION("requests are sorted as texts") {
        std::string many;
        for (int i = 0; i < 11; ++i)
            many +=
                (i == 0 ? "" : ", ") + container("c" + std::to_string(i), i % 5 == 0 ? "example.com/gpu: 1" : "cpu: 1");
        CHECK(run("", many).starts_with(
            "container-0-request-0 gpu 1, container-10-request-0 gpu 1, container-5-request-0 "));
    }
}

TEST_CASE("DynamicResources: a limit is a request, also where only the API server would say so", "[sim]") {
    Extended s({device_class("gpu", gpus), slice_of("n", 3)});
    s.run(
        asking("p", "{name: c, image: i, resources: {requests: {memory: 1Mi}, limits: {cpu: 1, example.com/gpu: 1}}}"));
    CHECK(s.requests() == "container-0-request-1 gpu 1");
}

TEST_CASE("DynamicResources: devices stand for what the node has not from a device plugin", "[sim]") {
    const std::string both = "example.com/gpu: 1, vendor.io/fpga: 1";
    SECTION("a node has them") {
        Extended s({device_class("gpu", gpus), slice_of("n", 3)}, {with("n", "example.com/gpu: 1")});
        s.run(asking_for_gpus("p"));
        CHECK(s.at() == "n");
        CHECK(s.all().empty());
        CHECK(s.api().count(status_of_pods) == 0);
    }
    SECTION("one node has one, and the other one the other") {
        Extended s(
            {device_class("gpu", gpus), device_class("fpga", "extendedResourceName: vendor.io/fpga"), slice_of("m", 1)},
            {with("n", "vendor.io/fpga: 1"), with("m", "example.com/gpu: 1")});
        s.run(asking("p", container("c", both)));
        CHECK(s.at() == "m");
        CHECK(s.requests() == "container-0-request-1 fpga 1");
    }
    SECTION("nobody has one of them") {
        Extended s({device_class("gpu", gpus), slice_of("n", 3)}, {with("n", "vendor.io/fpga: 1"), node("m")});
        s.run(asking("p", container("c", both + ", vendor.io/other: 1")));
        CHECK(s.why() == "1 Insufficient vendor.io/fpga, 2 Insufficient vendor.io/other.");
    }
    SECTION("there are too few") {
        Extended s({device_class("gpu", gpus), slice_of("n", 3)});
        s.run(asking_for_gpus("p", 4));
        CHECK(s.why() == "1 cannot allocate all claims.");
        CHECK(s.api().asked.empty());
    }
    SECTION("there are too many") {
        Extended s({device_class("gpu", gpus), slice_of("n", 3)});
        s.add(asking_for_gpus("p", 33));
        s.begin();
        CHECK(
            s.world->message("p").find("claim default/<extended-resources>: number of requested devices 33 exceeds the "
                                       "claim limit of 32") != std::string::npos);
    }
}

TEST_CASE("DynamicResources: the newest class stands for a resource, then the first by name", "[sim]") {
    auto class_of = [](const std::string &name, const std::string &created) {
        return object("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: " + name +
                      ", creationTimestamp: '" + created + "'}, spec: {" + gpus + "}}");
    };
    auto run = [&](const std::vector<sim::InputObject> &classes) {
        auto objects = classes;
        objects.push_back(slice_of("n", 1));
        Extended s(objects);
        s.run(asking_for_gpus("p"));
        return s.requests();
    };
    CHECK(run({class_of("a", "2026-01-01T00:00:00Z"), class_of("b", "2026-01-01T00:00:01Z")}) ==
          "container-0-request-0 b 1");
    CHECK(run({class_of("a", "2026-01-01T00:00:00Z"), class_of("b", "2026-01-01T00:00:00Z")}) ==
          "container-0-request-0 a 1");
    Extended s({class_of("a", "2026-01-01T00:00:00Z"), class_of("b", "2026-01-01T00:00:01Z"), slice_of("n", 1)});
    s.run(asking("p", container("c", "deviceclass.resource.kubernetes.io/a: 1")));
    CHECK(s.requests() == "container-0-request-0 a 1");
}

TEST_CASE("DynamicResources: devices for extended resources are given once", "[sim]") {
    Extended s({device_class("gpu", gpus), slice_of("n", 1)});
    SECTION("while the claim is made") {
        s.api().next(claims, {{}, 0, {}, {}, 3 * second});
        s.add(asking_for_gpus("p"));
        s.begin();
        s.add(asking_for_gpus("q"));
        s.begin();
        CHECK(s.at().empty());
        CHECK(s.why("q") == "1 cannot allocate all claims.");
    }
    SECTION("while it is written") {
        s.api().next(status_of_claims, {{}, 0, {}, {}, 3 * second});
        s.add(asking_for_gpus("p"));
        s.begin();
        s.add(asking_for_gpus("q"));
        s.begin();
        CHECK(s.all().size() == 1);
        CHECK(s.why("q") == "1 cannot allocate all claims.");
    }
    SECTION("afterwards") {
        s.add(asking_for_gpus("p"));
        s.begin();
        s.add(asking_for_gpus("q"));
    }
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.at("q").empty());
    CHECK(s.all().size() == 1);
}

TEST_CASE("DynamicResources: beside a claim of the pod's own", "[sim]") {
    Extended s({device_class("gpus", gpus), resource_claim("c", "", "resourceVersion: '7',"), slice_of("n", 2)});
    s.run(asking_for_gpus("p", 1, "resourceClaims: [{name: x, resourceClaimName: c}],"));
    CHECK(s.at() == "n");
    REQUIRE(s.all().size() == 2);
    auto device = [&](std::size_t claim) {
        return std::string(
            s.all()[claim]->value()["status"]["allocation"]["devices"]["results"].at(0)["device"].string());
    };
    CHECK(device(0) == "g0");  // by name: c, then the other
    CHECK(device(1) == "g1");
}

TEST_CASE("DynamicResources: a node's device plugin serves the resource, and the pod has a claim, too", "[sim]") {
    Extended s({device_class("gpus", gpus), resource_claim("c", "", "resourceVersion: '7',"), slice_of("n", 2)},
               {with("n", "example.com/gpu: 1")});
    s.run(asking_for_gpus("p", 1, "resourceClaims: [{name: x, resourceClaimName: c}],"));
    CHECK(s.at() == "n");
    CHECK(s.all().size() == 1);
}

TEST_CASE("DynamicResources: what cannot be written for extended resources fails the attempt in upstream's words",
          "[sim]") {
    auto run = [](const std::string &resource, bool second_time) {
        Extended s({device_class("gpu", gpus), slice_of("n", 1)});
        if (second_time) s.api().next(resource, {});
        s.api().refuse(resource, 403, "no");
        s.add(asking_for_gpus("p"));
        s.begin();
        CHECK(s.all().empty());  // it is deleted again
        s.world->run();
        CHECK(s.at() == "n");
        REQUIRE(s.all().size() == 1);
        const auto name = std::string(s.all()[0]->value()["metadata"]["name"].string());
        const auto texts = s.failures();
        REQUIRE(texts.size() == 1);
        auto text = texts[0];
        if (auto at = text.find("p-extended-resources-"); at != std::string::npos)
            text.erase(at + 21, name.size() - 21);
        return text;
    };
    CHECK(run(claims, false) == "p: create claim for extended resources default/: no");
    CHECK(run(claims, true) == "p: add finalizer to claim default/p-extended-resources-: no");
    CHECK(run(status_of_claims, false) ==
          "p: add allocation and reservation to claim default/p-extended-resources-: no");
    CHECK(run(status_of_pods, false) == "p: update pod default/p ExtendedResourceClaimStatus: no");
}

TEST_CASE("DynamicResources: a claim that an attempt has left is deleted before another one is made", "[sim]") {
    auto run = [](const sim::InputObject &claim) {
        Extended s({device_class("gpu", gpus), device_class("gpus"), slice_of("n", 1), claim});
        s.add(asking_for_gpus("p"));
        s.begin();
        CHECK(s.at().empty());
        CHECK(s.all().empty());
        CHECK(
            s.world->message("p").starts_with("0/1 nodes are available: 1 cannot schedule extended resource claim. "
                                              "deletion of ResourceClaim completed"));
        s.put(slice_of("n", 2));  // as upstream, the deletion itself wakes nobody
        s.world->run();
        CHECK(s.at() == "n");
        CHECK(s.all().size() == 1);
    };
    run(left());
    run(left(allocation + "}, reservedFor: [{resource: pods, name: p, uid: p-p}]",
             "finalizers: [resource.kubernetes.io/delete-protection],"));
}

TEST_CASE("DynamicResources: a pod that is deleted while its claim is made leaves no device in use", "[sim]") {
    Extended s({device_class("gpu", gpus), slice_of("n", 1)});
    s.api().next(claims, {{}, 0, {}, {}, 0, 3 * second});
    s.add(asking_for_gpus("p"));
    s.begin();
    s.world->world().store().remove(sim::pod_kind, "default/p");
    s.world->run();
    s.run(asking_for_gpus("q"));
    CHECK(s.at("q") == "n");
}

TEST_CASE("DynamicResources: an instance that ends before the watch shows its claim leaves no device in use", "[sim]") {
    const std::vector<sim::InputObject> objects{device_class("gpu", gpus), slice_of("n", 1)};
    Extended other(objects);  // of the same process
    {
        Extended s(objects);
        s.world->ends_at_once = true;
        s.api().next(claims, {{}, 201, R"({"metadata":{"name":"made","uid":"u-made"}})", {}, 0});
        s.add(asking_for_gpus("p"));
        s.begin();
        CHECK(s.api().count(claims) == 1);
        other.add(asking_for_gpus("q"));
        other.begin();
        CHECK(other.why("q") == "1 cannot allocate all claims.");
    }
    other.put(slice_of("n", 1));
    other.world->run();
    CHECK(other.at("q") == "n");
}

TEST_CASE("DynamicResources: what an attempt has made is deleted at once when it fails", "[sim]") {
    Extended s({device_class("gpu", gpus), slice_of("n", 1), storage_class("k", "WaitForFirstConsumer"),
                storage_world::claim("v", "accessModes: [ReadWriteOnce], storageClassName: k,"),
                volume("w", "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,")});
    const auto fails = [&](const RequestFault &creation) {
        s.api().next("persistentvolumes", {{}, 500, "no", {}, second / 4});
        s.api().next(claims, creation);
        s.add(asking_for_gpus("p", 1, "volumes: [" + of_claim("v") + "],"));
        s.begin();
        s.wait(second * 3 / 4);
        CHECK(s.failures() == Texts{"p: running PreBind plugin \"VolumeBinding\": no"});
    };
    const auto end = [&] {
        s.world->run();
        CHECK(s.at() == "n");
        CHECK(s.all().size() == 1);
    };
    SECTION("also if the watch does not show it yet") {
        const std::string answer = R"({"kind":"ResourceClaim","spec":{"name":"x","uid":"x"},"metadata":{"labels":)"
                                   R"({"name":"\"x","uid":"x"},"list":["name",{"uid":"x"}],"name" : "made",)"
                                   R"("uid":"u-made"}})";
        fails({{}, 201, answer, {}, 0});
        REQUIRE(s.api().count(claims) == 2);
        const auto &request = s.api().asked.back();
        CHECK(request.verb == env::Verb::Delete);
        CHECK(request.name == "made");
        CHECK(request.body == R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-made"}})");
        end();
    }
    SECTION("also if the answer comes only then") {
        fails({{}, 0, {}, {}, 0, second / 2});
        CHECK(s.all().empty());
        end();
    }
}

TEST_CASE("DynamicResources: an answer that does not say which claim was made fails the attempt", "[sim]") {
    for (const std::string answer :
         {"", "{", "made", "[]", "{}", R"({"metadata":[{"name":"x","uid":"x"}]})",
          R"({"metadata":{"name":"x"},"uid":"x"})", R"({"metadata":{"name":1,"uid":"x"}})",
          R"({"metadata":{"name":["x"],"uid":"x"}})", R"({"metadata":"name","uid":"x"})",
          R"({"metadata":{"name":"x\u0041","uid":"x"}})", R"({"metadata":{"name":{"uid":"x"}}})",
          R"({"metadata":{"uid":"x","name":"x)", R"({"metadata":{"uid":"x","name":"\)"}) {
        Extended s({device_class("gpu", gpus), slice_of("n", 1)});
        s.api().next(claims, {{}, 201, answer, {}, 0});
        s.run(asking_for_gpus("p"));
        CHECK(s.failures() == Texts{"p: create claim for extended resources default/: expected an answer with the "
                                    "claim's name and uid"});
        CHECK(s.at() == "n");
    }
}
