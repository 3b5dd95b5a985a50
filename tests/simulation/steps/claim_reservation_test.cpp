// SPDX-License-Identifier: Apache-2.0

// DynamicResources from PreBind on: reserving claims for a pod, with an API server that refuses, is late, or has heard
// of something else meanwhile; then the devices that their drivers attach first.

#include "claims_world.h"

using namespace claims_world;

namespace {

/// One node, and pods that come once the faults of the API server are arranged.
struct Claims : ClaimsWorld {
    explicit Claims(std::vector<sim::InputObject> objects, const std::string &plugins = "")
        : ClaimsWorld({node("n")}, {}, std::move(objects), plugins) {}

    /// Pod `name` with these claims comes.
    void add(const std::vector<std::string> &claims, const std::string &name = "p") {
        std::string list;
        for (const auto &c : claims)
            list.append(list.empty() ? "" : "}, {name: y")
                .append(list.empty() ? "" : c)
                .append(list.empty() ? "" : ", ")
                .append("resourceClaimName: ")
                .append(c);
        CHECK(world->world().store().put(sim::pod_kind, *claiming(list, "", name)->tree));
    }
    void run(const std::vector<std::string> &claims = {"c"}) {
        add(claims);
        world->run();
    }

    void remove(const std::string &claim) { world->world().store().remove(kind(), "default/" + claim); }
};

sim::InputObject allocated(const std::string &name, const std::string &more = "", const std::string &meta = "") {
    return resource_claim(name, allocation + "}" + more, "resourceVersion: '7', " + meta);
}
const std::string conflict_text =
    "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\": the object has "
    "been modified; please apply your changes to the latest version and try again";

/// An allocated claim whose device must be attached first; `device` is what its driver says.
sim::InputObject attached(const std::string &name, const std::string &device, const std::string &since = "") {
    return resource_claim(name,
                          "allocation: {" + since +
                              "devices: {results: [{request: r, driver: d, pool: p, device: g, bindingConditions: "
                              "[Ready], bindingFailureConditions: [Broken]}]}}, devices: [" +
                              device + "]");
}
std::string says(const std::string &condition) {
    return "{driver: d, pool: p, device: g, conditions: [" + condition + "]}";
}
const std::string is_ready = says("{type: Ready, status: 'True', reason: r}"),
                  is_broken = says("{type: Broken, status: 'True', reason: Cable, message: came \"off\"}");

}  // namespace

TEST_CASE("DynamicResources: a claim is reserved beside others, and says since when", "[sim]") {
    Claims s({allocated("c", ", reservedFor: [{resource: pods, name: o, uid: u-o}]")});
    s.run();
    CHECK(s.at() == "n");
    CHECK(s.users() == "u-o p-p");
    const auto tree = s.claim("c");
    CHECK(tree->value()["status"]["allocation"]["allocationTimestamp"].string() == "2026-01-01T00:00:00Z");
    CHECK(s.api().count(status_of_claims) == 1);
    const auto entry = tree->value()["status"]["reservedFor"].at(1);
    CHECK(entry["resource"].string() == "pods");
    CHECK(entry["name"].string() == "p");
}

TEST_CASE("DynamicResources: a claim that is reserved for the pod is not written again", "[sim]") {
    Claims s({allocated("c", ", reservedFor: [{resource: pods, name: p, uid: p-p}]")});
    s.run();
    CHECK(s.at() == "n");
    CHECK(s.api().count(status_of_claims) == 0);
}

TEST_CASE("DynamicResources: a reservation that is refused fails the attempt in upstream's words", "[sim]") {
    for (const int status : {0, 300, 403, 500}) {
        Claims s({allocated("c")});
        s.api().next(status_of_claims, {{}, status == 0 ? 599 : status, "no", {}, 0});
        s.run();
        CHECK(s.failures() == Texts{"p: add reservation to claim default/c: no"});
        CHECK(s.at() == "n");
        CHECK(s.users() == "p-p");
    }
}

TEST_CASE("DynamicResources: what was reserved before a refusal is given back", "[sim]") {
    Claims s({allocated("c", ", reservedFor: [{resource: pods, name: o, uid: u-o}]"), allocated("d")});
    std::string users;
    s.api().next(status_of_claims, {});
    s.api().refuse(status_of_claims, 500, "no");
    // The next write gives it back; look before the pod is tried again.
    s.api().next(status_of_claims, {[&] { users = s.users(); }, 0, {}, [&] { users += ", " + s.users(); }, 0});
    s.run({"c", "d"});
    CHECK(s.failures() == Texts{"p: add reservation to claim default/d: no"});
    CHECK(users == "u-o p-p, u-o");
    CHECK(s.at() == "n");
    CHECK(s.users() == "u-o p-p");
    CHECK(s.users("d") == "p-p");
    const auto &request = s.api().asked.at(2);
    CHECK(request.verb == env::Verb::Patch);
    CHECK(request.body == R"({"metadata":{"uid":"u-c"},"status":{"reservedFor":[{"$patch":"delete","uid":"p-p"}]}})");
}

TEST_CASE("DynamicResources: a claim that somebody else has written is read again and reserved", "[sim]") {
    auto write = [](Claims &s) {
        CHECK(s.world->world().store().put(sim::pod_kind, *pod("o", "uid: u-o,", "nodeName: n,")->tree));
        s.put(allocated("c", ", reservedFor: [{resource: pods, name: o, uid: u-o}]"));
    };
    SECTION("before the answer comes") {
        Claims s({allocated("c")});
        s.api().next(status_of_claims, {[&] { write(s); }, 0, {}, {}, 0});
        s.add({"c"});
        s.begin();
        CHECK(s.failures() == Texts{});
        CHECK(s.users() == "u-o p-p");
        CHECK(s.at() == "n");
    }
    SECTION("and the watch tells of it later") {
        Claims s({allocated("c")});
        s.api().next(status_of_claims, {{}, 409, conflict_text, [&] { write(s); }, 0});
        s.run();
        CHECK(s.failures() == Texts{});
        CHECK(s.users() == "u-o p-p");
        CHECK(s.api().count(status_of_claims) == 2);
        CHECK(s.world->clock().monotonic_ns() <= second);
    }
    SECTION("or the watch has nothing to tell") {
        Claims s({allocated("c")});
        s.api().refuse(status_of_claims, 409, conflict_text);
        s.add({"c"});
        s.begin();
        CHECK(s.at().empty());
        s.wait(second);
        CHECK(s.at() == "n");
    }
    SECTION("or has nothing to tell the second time, of which the first time's patience knows nothing") {
        Claims s({allocated("c")});
        for (int i = 0; i < 2; ++i) s.api().refuse(status_of_claims, 409, conflict_text);
        s.add({"c"});
        s.begin();
        s.wait(second / 2);
        write(s);
        s.wait(second - 1);
        CHECK(s.api().count(status_of_claims) == 2);
        s.wait(1);
        CHECK(s.users() == "u-o p-p");
        CHECK(s.at() == "n");
    }
}

TEST_CASE("DynamicResources: five conflicts are enough", "[sim]") {
    auto run = [](int conflicts, const std::vector<std::string> &of) {
        Claims s({allocated("c"), allocated("d")});
        for (int i = 0; i < conflicts; ++i) s.api().refuse(status_of_claims, 409, conflict_text);
        s.run(of);
        CHECK(s.at() == "n");
        return s.failures();
    };
    CHECK(run(4, {"c"}).empty());
    CHECK(run(5, {"c"}) == Texts{"p: add reservation to claim default/c: " + conflict_text});
    // Of each claim.
    Claims s({allocated("c"), allocated("d")});
    for (int i = 0; i < 4; ++i) s.api().refuse(status_of_claims, 409, conflict_text);
    s.api().next(status_of_claims, {});
    for (int i = 0; i < 4; ++i) s.api().refuse(status_of_claims, 409, conflict_text);
    s.run({"c", "d"});
    CHECK(s.failures() == Texts{});
    CHECK(s.at() == "n");
}

TEST_CASE("DynamicResources: a claim that goes, or whose devices go, while another is reserved", "[sim]") {
    auto meanwhile = [](const std::function<void(Claims &)> &happens) {
        Claims s({allocated("c"), allocated("d")});
        s.api().next(status_of_claims, {[&] { happens(s); }, 0, {}, {}, 0});
        s.run({"c", "d"});
        CHECK(s.at().empty());
        return s.failures();
    };
    CHECK(meanwhile([](Claims &s) { s.remove("d"); }) ==
          Texts{"p: add reservation to claim default/d: resourceclaims.resource.k8s.io \"d\" not found"});
    CHECK(meanwhile([](Claims &s) {
              s.put(allocated("d", "", "finalizers: [x], deletionTimestamp: '2026-01-01T00:00:00Z',"));
          }) == Texts{"p: claim default/d got deleted in the meantime"});
    CHECK(meanwhile([](Claims &s) { s.put(resource_claim("d", "")); }) ==
          Texts{"p: claim default/d got deallocated elsewhere in the meantime"});
    // After a conflict upstream reads the claim, and says so.
    Claims s({allocated("c")});
    s.api().next(status_of_claims, {{}, 409, conflict_text, [&] { s.remove("c"); }, 0});
    s.run();
    CHECK(s.failures() ==
          Texts{"p: get updated claim default/c after conflict: resourceclaims.resource.k8s.io \"c\" not found"});
}

TEST_CASE("DynamicResources: a reservation is given up when another plugin's write has failed", "[sim]") {
    auto meanwhile = [](int status) {
        Claims s({allocated("c"), allocated("d"), storage_class("k", "WaitForFirstConsumer"),
                  claim("v", "accessModes: [ReadWriteOnce], storageClassName: k,"),
                  volume("w", "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,")});
        s.api().refuse("persistentvolumes", 500, "no");
        s.api().next(status_of_claims, {{}, status, conflict_text, {}, second / 2});
        auto p = pod("p", "uid: p-p,",
                     "resourceClaims: [{name: x, resourceClaimName: c}, {name: y, resourceClaimName: d}], volumes: [" +
                         of_claim("v") + "],");
        CHECK(s.world->world().store().put(sim::pod_kind, *p->tree));
        s.begin();
        CHECK(s.failures() == Texts{"p: running PreBind plugin \"VolumeBinding\": no"});
        // The answer comes after the end, and is the end of it.
        s.wait(second * 7 / 10);
        CHECK(s.api().count(status_of_claims) == 1);
        s.world->run();
        CHECK(s.at() == "n");
        CHECK(s.users() == "p-p");
        CHECK(s.users("d") == "p-p");
        return s.api().count(status_of_claims);
    };
    CHECK(meanwhile(0) == 2);  // what was written counts for the next attempt
    CHECK(meanwhile(409) == 3);
}

TEST_CASE("DynamicResources: a pod waits until its devices are attached", "[sim]") {
    Claims s({attached("c", ""), attached("d", "")});
    s.add({"c", "d"});
    s.begin();
    s.wait(second);
    CHECK(s.at().empty());
    CHECK(s.users() == "p-p");
    auto now = [&](const std::string &name, const std::string &device) {
        s.put(attached(name, device + "], reservedFor: [{resource: pods, name: p, uid: p-p}"));
        s.begin();
        return s.at();
    };
    CHECK(now("d", is_ready).empty());
    CHECK(now("c", says("{type: Ready, status: 'False', reason: r}")).empty());
    CHECK(now("c", is_ready) == "n");
    CHECK(s.failures() == Texts{});
}

TEST_CASE("DynamicResources: a device that cannot be attached, or a claim that goes, ends the wait", "[sim]") {
    auto waiting = [](const std::function<void(Claims &)> &happens) {
        Claims s({attached("c", "")});
        s.add({"c"});
        s.begin();
        happens(s);
        s.world->clock().run();
        return s.failures();
    };
    CHECK(waiting([](Claims &s) { s.put(attached("c", is_broken)); }) ==
          Texts{"p: device binding failed: claim=c, reason=Cable, message=\"came \\\"off\\\"\""});
    CHECK(waiting([](Claims &s) { s.remove("c"); }) == Texts{"p: could not find ResourceClaim \"default/c\""});
    CHECK(waiting([](Claims &s) { s.put(resource_claim("c", "")); }).empty());
}

TEST_CASE("DynamicResources: devices that take too long", "[sim]") {
    const std::string args = ", pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 5s}}]";
    SECTION("since the pod began to wait") {
        Claims s({attached("c", "")}, args);
        s.add({"c"});
        s.begin();
        s.wait(5 * second - 1);
        CHECK(s.failures() == Texts{});
        CHECK(s.world->events.written == Texts{"Normal BindingConditionsPending Scheduling Pod p: waiting for binding "
                                               "conditions for device on node n"});
        s.wait(1);
        CHECK(s.failures() == Texts{"p: device binding timeout: context deadline exceeded"});
    }
    SECTION("since they were allocated") {
        Claims s({attached("c", "")}, args);
        s.add({"c"});
        s.begin();
        s.put(attached("c", "", "allocationTimestamp: '2025-12-31T23:59:50Z', "));
        s.begin();
        CHECK(s.failures() == Texts{"p: device binding timeout: claim=c"});
    }
    SECTION("since they were allocated, and nothing happens") {
        Claims s({attached("c", "", "allocationTimestamp: '2025-12-31T23:59:53Z', ")},
                 ", pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 15s}}]");
        s.add({"c"});
        s.begin();
        s.wait(10 * second - 1);
        CHECK(s.failures() == Texts{});
        s.wait(1);
        CHECK(s.failures() == Texts{"p: device binding timeout: claim=c"});
    }
    SECTION("with the longest time that can be said") {
        Claims s({attached("c", "", "allocationTimestamp: '2025-12-31T23:59:53Z', ")},
                 ", pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 2562047h}}]");
        s.add({"c"});
        s.begin();
        CHECK(s.failures() == Texts{});
        s.put(attached("c", is_ready));
        s.begin();
        CHECK(s.failures() == Texts{});
    }
}

TEST_CASE("DynamicResources: pods that wait for one claim do not end each other's wait", "[sim]") {
    Claims s({attached("c", ""), attached("d", "")});
    s.add({"d", "c"}, "p");
    s.begin();
    s.add({"c"}, "q");
    s.begin();
    CHECK(s.users() == "p-p p-q");
    s.put(attached("d", is_broken));
    s.begin();
    CHECK(s.failures().size() == 1);
    s.put(attached("c", is_ready + "], reservedFor: [{resource: pods, name: q, uid: p-q}"));
    s.begin();
    CHECK(s.at("q") == "n");
}
