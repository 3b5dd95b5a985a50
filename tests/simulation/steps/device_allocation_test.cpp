// SPDX-License-Identifier: Apache-2.0

// DynamicResources finds devices for claims that have none: from PreFilter to what is written in PreBind, with an API
// server that refuses, is late, or leaves open what it did.

#include "claims_world.h"
#include "decode/write.h"

using namespace claims_world;

namespace {

/// The devices of one node, each with its fields in flow style.
sim::InputObject slice_of(const std::string &node, const std::string &devices, const std::string &more = "") {
    return object("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: of-" + node +
                  "}, spec: {driver: d.example.com, nodeName: " + node + ", pool: {name: " + node +
                  ", generation: 1, resourceSliceCount: 1}, devices: [" + devices + "]" + more + "}}");
}
std::string gpu(const std::string &name, const std::string &model = "a") {
    return "{name: " + name + ", attributes: {model: {string: " + model + "}}}";
}
std::string selecting(const std::string &expression, const std::string &more = "") {
    return "exactly: {deviceClassName: gpus, selectors: [{cel: {expression: '" + expression + "'}}]" + more + "}";
}
std::string of_model(const std::string &model) {
    return selecting("device.attributes[\"d.example.com\"].model == \"" + model + "\"");
}

struct Devices : ClaimsWorld {
    explicit Devices(std::vector<sim::InputObject> objects, std::vector<model::PodPtr> pods = {},
                     const std::string &plugins = "")
        : ClaimsWorld({node("n"), node("m")}, std::move(pods), with_class(std::move(objects)), plugins) {}

    static std::vector<sim::InputObject> with_class(std::vector<sim::InputObject> objects) {
        objects.push_back(device_class("gpus"));
        return objects;
    }
    /// Pod `name` with this claim comes.
    void add(const std::string &claim, const std::string &name = "p") {
        CHECK(world->world().store().put(sim::pod_kind, *claiming("resourceClaimName: " + claim, "", name)->tree));
    }
    void run(const std::string &claim = "c") {
        add(claim);
        world->run();
    }
    /// "device device" of a claim.
    std::string devices(const std::string &name = "c") const {
        const auto tree = claim(name);
        const auto list = tree->value()["status"]["allocation"]["devices"]["results"];
        std::string all;
        for (std::size_t i = 0; i < list.size(); ++i)
            all.append(i == 0 ? "" : " ")
                .append(list.at(i)["pool"].string())
                .append("/")
                .append(list.at(i)["device"].string());
        return all;
    }
};

/// A claim without devices; it has a version, so that conflicts can be seen.
sim::InputObject wanting(const std::string &name, const std::string &request = "exactly: {deviceClassName: gpus}",
                         const std::string &meta = "", const std::string &status = "") {
    return resource_claim(name, status, "resourceVersion: '7', " + meta, request);
}
const std::string conflict_text =
    "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\": the object has "
    "been modified; please apply your changes to the latest version and try again";

}  // namespace

TEST_CASE("DynamicResources: a claim gets the device that its selector wants", "[sim]") {
    Devices s(
        {wanting("c", of_model("b")), slice_of("n", gpu("g0")), slice_of("m", gpu("g0") + ", " + gpu("g1", "b"))});
    s.run();
    CHECK(s.at() == "m");
    CHECK(s.failures() == Texts{});
    CHECK(s.devices() == "m/g1");
    CHECK(s.users() == "p-p");
    const auto tree = s.claim();
    CHECK(tree->value()["metadata"]["finalizers"].at(0).string() == "resource.kubernetes.io/delete-protection");
    const auto allocated = tree->value()["status"]["allocation"];
    CHECK(allocated["allocationTimestamp"].string() == "2026-01-01T00:00:00Z");
    CHECK(allocated["devices"]["results"].at(0)["request"].string() == "r");
    CHECK(allocated["devices"]["results"].at(0)["driver"].string() == "d.example.com");
    CHECK(allocated["nodeSelector"]["nodeSelectorTerms"].at(0)["matchFields"].at(0)["values"].at(0).string() == "m");
    CHECK(s.api().count(claims) == 1);
    CHECK(s.api().count(status_of_claims) == 1);
}

TEST_CASE("DynamicResources: no node has the devices", "[sim]") {
    auto run = [](const std::string &request) {
        Devices s({wanting("c", request), slice_of("n", gpu("g0") + ", " + gpu("g1"))}, {claiming()});
        CHECK(s.at().empty());
        CHECK(s.api().asked.empty());
        return s.why();
    };
    CHECK(run(of_model("c")) == "2 cannot allocate all claims.");
    CHECK(run("exactly: {deviceClassName: gpus, allocationMode: ExactCount, count: 3}") ==
          "2 cannot allocate all claims.");
}

TEST_CASE("DynamicResources: what is wrong with a claim ends the attempt", "[sim]") {
    auto run = [](const std::string &request) {
        Devices s({wanting("c", request), slice_of("n", gpu("g0"))}, {claiming()});
        CHECK(s.at().empty());
        CHECK(s.api().asked.empty());
        const auto text = s.world->message("p");
        return text.substr(0, text.find('\n'));
    };
    CHECK(run(selecting("device.attributes[\"d.example.com\"].none == 1"))
              .ends_with("claim default/c: selector #0: CEL runtime error: no such key: none"));
    CHECK(run(selecting("device.nonsense"))
              .find("claim default/c: selector #0: CEL compile error: compilation failed: "
                    "ERROR: <input>:1:7: undefined field ") != std::string::npos);
    CHECK(run("exactly: {deviceClassName: gpus, count: 33}")
              .ends_with("claim default/c: number of requested devices 33 exceeds the claim limit of 32"));
    // Sums of such counts have no place in 64 bits.
    CHECK(run("exactly: {deviceClassName: gpus, count: 9223372036854775807}}, {name: s, exactly: {deviceClassName: "
              "gpus, count: 9223372036854775807}")
              .ends_with(
                  "claim default/c: number of requested devices 9223372036854775807 exceeds the claim limit of 32"));
    CHECK(run("firstAvailable: [{name: a, deviceClassName: gpus, count: 9223372036854775807}]}, {name: s, exactly: "
              "{deviceClassName: gpus}")
              .ends_with(
                  "claim default/c: number of requested devices 9223372036854775807 exceeds the claim limit of 32"));
}

TEST_CASE("DynamicResources: an alternative of too many devices gives way to the next", "[sim]") {
    Devices s({wanting("c",
                       "firstAvailable: [{name: a, deviceClassName: gpus, count: 9223372036854775807}, {name: b, "
                       "deviceClassName: gpus}]"),
               slice_of("n", gpu("g0"))});
    s.run();
    CHECK(s.devices() == "n/g0");
    CHECK(s.claim()->value()["status"]["allocation"]["devices"]["results"].at(0)["request"].string() == "r/b");
}

TEST_CASE("DynamicResources: a device is given once, and again when it is free", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.add("c");
    s.begin();
    CHECK(s.at() == "n");
    s.add("d", "q");
    s.world->run();
    CHECK(s.at("q").empty());
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    // Its pod has ended, and the controller takes the devices from the claim.
    s.put(wanting("c"));
    s.world->run();
    CHECK(s.at("q") == "n");
    CHECK(s.devices("d") == "n/g0");
}

TEST_CASE("DynamicResources: pods in flight do not take each other's devices", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.api().next(claims, {{}, 0, {}, {}, 3 * second});
    s.add("c");
    s.begin();
    s.add("d", "q");
    s.begin();
    CHECK(s.at().empty());
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.at("q").empty());
    CHECK(s.devices() == "n/g0");
}

TEST_CASE("DynamicResources: the profiles of a process know each other's devices in flight", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {}, "}, {schedulerName: other");
    s.api().next(claims, {{}, 0, {}, {}, 3 * second});
    s.add("c");
    s.begin();
    auto q = pod("q", "uid: p-q,", "schedulerName: other, resourceClaims: [{name: x, resourceClaimName: d}],");
    CHECK(s.world->world().store().put(sim::pod_kind, *q->tree));
    s.begin();
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    s.world->run();
    CHECK(s.devices() == "n/g0");
    CHECK(s.devices("d").empty());
}

TEST_CASE("DynamicResources: a pod waits for the claim that another one has devices chosen for", "[sim]") {
    Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
    s.api().next(status_of_claims, {{}, 0, {}, {}, 3 * second});
    s.add("c");
    s.begin();
    s.add("c", "q");
    s.begin();
    CHECK(s.world->message("q").find("resource claim default/c is in the process of being allocated") !=
          std::string::npos);
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.at("q") == "n");
    CHECK(s.users() == "p-p p-q");
}

TEST_CASE("DynamicResources: devices whose write is refused are free again", "[sim]") {
    auto run = [](const std::string &resource) {
        Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
        s.api().refuse(resource, 403, "no");
        s.add("c");
        s.begin();
        s.add("d", "q");
        s.begin();
        CHECK(s.at("q") == "n");
        s.world->run();
        CHECK(s.at().empty());
        return s.failures();
    };
    CHECK(run(claims) == Texts{"p: add finalizer to claim default/c: no"});
    CHECK(run(status_of_claims) == Texts{"p: add allocation and reservation to claim default/c: no"});
}

TEST_CASE("DynamicResources: devices whose write was not answered are given to no other claim", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.api().refuse(status_of_claims, 500, "etcdserver: request timed out");
    s.add("c");
    s.begin();
    s.add("d", "q");
    s.begin();
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    s.world->run();
    CHECK(s.failures() == Texts{"p: add allocation and reservation to claim default/c: etcdserver: request timed out"});
    CHECK(s.at() == "n");
    CHECK(s.devices() == "n/g0");
}

TEST_CASE("DynamicResources: devices in doubt stay with their claim when it is only looked at", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.api().refuse(status_of_claims, 500, "etcdserver: request timed out");
    s.add("c");
    s.begin();
    // For its own claim the devices are there.
    const auto decision = s.world->scheduler.dry_runs().run(claiming()).decision;
    CHECK(decision.node == "n");
    s.add("d", "q");
    s.begin();
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    s.world->run();
    CHECK(s.devices() == "n/g0");
    CHECK(s.devices("d").empty());
}

TEST_CASE("DynamicResources: devices in doubt stay with their claim when no node has enough for it", "[sim]") {
    // Its slice is gone when the pod is tried again, and the device comes back.
    const auto kind = model::kind_of("resource.k8s.io", "v1", "resourceslices");
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.api().refuse(status_of_claims, 500, "etcdserver: request timed out");
    s.add("c");
    s.begin();
    s.world->world().store().remove(kind, "of-n");
    s.wait(5 * second);
    CHECK(s.at().empty());
    s.world->world().store().remove(sim::pod_kind, "default/p");
    s.add("d", "q");
    CHECK(s.world->world().store().put(kind, *slice_of("n", gpu("g0")).object->tree));
    s.wait(5 * second);
    CHECK(s.why("q") == "2 cannot allocate all claims.");
    s.wait(6 * 60 * second);  // doubt has an end, and so has its wait for an event
    CHECK(s.at("q") == "n");
}

TEST_CASE("DynamicResources: doubt about a write has an end", "[sim]") {
    Devices s({wanting("c"), wanting("d"), slice_of("n", gpu("g0"))}, {});
    s.api().refuse(status_of_claims, 500, "etcdserver: request timed out");
    s.add("c");
    s.begin();
    s.world->world().store().remove(sim::pod_kind, "default/p");
    s.begin();
    s.wait(61 * second);
    s.add("d", "q");
    s.begin();
    CHECK(s.at("q") == "n");
}

TEST_CASE("DynamicResources: conflicts of a claim that gets devices", "[sim]") {
    SECTION("somebody else has written it meanwhile") {
        for (const auto &resource : {claims, status_of_claims}) {
            Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
            s.api().next(
                resource,
                {[&] { s.put(wanting("c", "exactly: {deviceClassName: gpus}", "labels: {a: b},")); }, 0, {}, {}, 0});
            s.run();
            CHECK(s.failures() == Texts{});
            CHECK(s.at() == "n");
            CHECK(s.claim()->value()["metadata"]["labels"]["a"].string() == "b");
            CHECK(s.claim()->value()["metadata"]["finalizers"].size() == 1);
        }
    }
    SECTION("again and again") {
        Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
        for (int i = 0; i < 5; ++i) s.api().refuse(status_of_claims, 409, conflict_text);
        s.run();
        CHECK(s.failures() == Texts{"p: add allocation and reservation to claim default/c: " + conflict_text});
        CHECK(s.at() == "n");
    }
    SECTION("it got devices elsewhere") {
        Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
        s.api().next(claims, {[&] { s.put(resource_claim("c", allocation + "}")); }, 0, {}, {}, 0});
        s.run();
        CHECK(s.failures() == Texts{"p: claim default/c got allocated elsewhere in the meantime"});
        CHECK(s.devices() == "p/g");  // which the next attempt honours
        CHECK(s.users() == "p-p");
    }
    SECTION("it is being deleted") {
        Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
        s.api().next(claims, {[&] {
                                  s.put(wanting("c", "exactly: {deviceClassName: gpus}",
                                                "finalizers: [x], deletionTimestamp: '2026-01-01T00:00:00Z',"));
                              },
                              0,
                              {},
                              {},
                              0});
        s.run();
        CHECK(s.failures() == Texts{"p: claim default/c got deleted in the meantime"});
    }
    SECTION("it is gone") {
        Devices s({wanting("c"), slice_of("n", gpu("g0"))}, {});
        s.api().next(
            claims,
            {{}, 409, conflict_text, [&] { s.world->world().store().remove(Devices::kind(), "default/c"); }, 0});
        s.run();
        CHECK(s.failures() ==
              Texts{"p: get updated claim default/c after conflict: resourceclaims.resource.k8s.io \"c\" not found"});
    }
}

TEST_CASE("DynamicResources: work that a restart has interrupted is ended", "[sim]") {
    const std::string finalizer = "finalizers: [resource.kubernetes.io/delete-protection],";
    Devices s({wanting("c", "exactly: {deviceClassName: gpus}", finalizer), slice_of("n", gpu("g0"))}, {});
    s.run();
    CHECK(s.at() == "n");
    CHECK(s.api().count(claims) == 0);
    CHECK(s.api().count(status_of_claims) == 1);
}

TEST_CASE("DynamicResources: a claim that requests nothing is allocated, too", "[sim]") {
    Devices s(
        {object("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: default, name: c, "
                "uid: u-c, resourceVersion: '7'}, spec: {}, status: {}}")});
    s.run();
    CHECK_FALSE(s.at().empty());
    CHECK(s.claim()->value()["status"]["allocation"]["devices"].is_object());
    CHECK(s.users() == "p-p");
}

TEST_CASE("DynamicResources: the node with the better alternative is preferred", "[sim]") {
    const std::string big = "selectors: [{cel: {expression: 'device.attributes[\"d.example.com\"].model == \"b\"'}}]";
    Devices s({wanting("c", "firstAvailable: [{name: big, deviceClassName: gpus, " + big +
                                "}, {name: any, deviceClassName: gpus}]"),
               slice_of("n", gpu("g0")), slice_of("m", gpu("g0", "b"))});
    s.run();
    CHECK(s.at() == "m");
    CHECK(s.claim()->value()["status"]["allocation"]["devices"]["results"].at(0)["request"].string() == "r/big");
}

TEST_CASE("DynamicResources: shares of a device, and their capacity", "[sim]") {
    const std::string shareable = "{name: g0, allowMultipleAllocations: true, capacity: {memory: {value: 10Gi}}}";
    auto half = [](const std::string &name) {
        return wanting(name, "exactly: {deviceClassName: gpus, capacity: {requests: {memory: 4Gi}}}");
    };
    Devices s({half("c"), half("d"), half("e"), slice_of("n", shareable)});
    s.add("c");
    s.begin();
    s.add("d", "q");
    s.begin();
    s.add("e", "r");
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.at("q") == "n");
    CHECK(s.why("r") == "2 cannot allocate all claims.");
    auto result = [&](const std::string &name) {
        const auto tree = s.claim(name);
        return std::string(tree->value()["status"]["allocation"]["devices"]["results"].at(0)["shareID"].string());
    };
    CHECK(result("c").size() == 36);
    CHECK(result("c") != result("d"));
    s.put(half("c"));
    s.world->run();
    CHECK(s.at("r") == "n");
}

TEST_CASE("DynamicResources: devices that are attached first are waited for", "[sim]") {
    Devices s({wanting("c"), slice_of("n",
                                      "{name: g0, bindingConditions: [Ready], bindingFailureConditions: [Broken], "
                                      "bindsToNode: true}")});
    s.add("c");
    s.begin();
    CHECK(s.users() == "p-p");
    CHECK(s.at().empty());
    CHECK(s.world->events.written == Texts{"Normal BindingConditionsPending Scheduling Pod p: waiting for binding "
                                           "conditions for device on node n"});
    auto now = s.claim();
    auto attached = decode::to_json(now->value());
    const std::string condition =
        R"("devices":[{"driver":"d.example.com","pool":"n","device":"g0","conditions":[{"type":"Ready","status":"True"}]}],)";
    attached.insert(attached.find("\"allocation\""), condition);
    s.put(object(attached));
    s.begin();
    CHECK(s.at() == "n");
}

TEST_CASE("DynamicResources: slices that come and go", "[sim]") {
    const auto kind = model::kind_of("resource.k8s.io", "v1", "resourceslices");
    Devices s({wanting("c", of_model("b")), slice_of("n", gpu("g0"))}, {claiming()});
    CHECK(s.why() == "2 cannot allocate all claims.");
    CHECK(s.world->world().store().put(kind, *slice_of("n", gpu("g1", "b")).object->tree));
    s.world->run();
    CHECK(s.at() == "n");
    CHECK(s.devices() == "n/g1");
}

#ifndef BERTH_SANITIZED  // it only computes, for minutes
TEST_CASE("DynamicResources: a search has an end, on a clock that stands still, too", "[sim]") {
    // There is no device for the second request, and each choice of 16 out of 40 is tried for the first.
    std::string devices;
    for (int i = 0; i < 40; ++i) devices += (i == 0 ? "" : ", ") + gpu("g" + std::to_string(i));
    Devices s({wanting("c", "exactly: {deviceClassName: gpus, count: 16}}, {name: s, " + of_model("b")),
               slice_of("n", devices)});
    s.add("c");
    s.begin();
    CHECK(s.failures().size() == 1);
    CHECK(s.world->message("p").find("node n: timed out trying to allocate devices") != std::string::npos);
}
#endif

TEST_CASE("DynamicResources: counts below zero and amounts beyond 64 bits are as upstream has them", "[sim]") {
    // The API server refuses such a count; the allocator finds that there are enough.
    Devices none({wanting("c", "exactly: {deviceClassName: gpus, allocationMode: ExactCount, count: -1}"),
                  slice_of("n", gpu("g0"))});
    none.run();
    CHECK_FALSE(none.at().empty());
    CHECK(none.devices().empty());
    // A binary quantity beyond 64 bits is the largest one.
    const std::string most = "exactly: {deviceClassName: gpus, capacity: {requests: {memory: 16Ei}}}";
    Devices large(
        {wanting("c", most), slice_of("n", "{name: g0, capacity: {memory: {value: '9223372036854775807'}}}")});
    large.run();
    CHECK(large.devices() == "n/g0");
    Devices less({wanting("c", most), slice_of("n", "{name: g0, capacity: {memory: {value: '9223372036854775806'}}}")});
    less.run();
    CHECK(less.at().empty());
    CHECK(less.why() == "2 cannot allocate all claims.");
}
