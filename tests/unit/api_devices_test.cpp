// SPDX-License-Identifier: Apache-2.0
#include "api/devices.h"

#include "asked_world.h"
#include "decode/write.h"

using namespace berth;

namespace {

const auto slices = model::kind_of("resource.k8s.io", "v1", "resourceslices");
const auto claims = model::kind_of("resource.k8s.io", "v1", "resourceclaims");

/// A world in which plugins watch these kinds.
struct World : AskedWorld {
    explicit World(const std::vector<model::Kind> &watched = {slices, claims}) {
        std::vector<plugin::Profile> profiles;
        profiles.push_back(fake_profile({&fit, &bind}));
        profiles.back().calls = &world->scheduler.calls();
        auto &instance = *profiles.back().instances.front();
        instance.context = std::make_shared<plugin::HostContext>("Fit");
        instance.context->kinds = watched;
        for (const auto &each : profiles.back().instances) each->calls = &world->scheduler.calls();
        world->scheduler.use(std::move(profiles));
    }
    void add(const model::Kind &kind, const std::string &yaml) {
        world->scheduler.observer().object_changed(kind, nullptr, any_object(kind, yaml));
    }
    void add_slice(const std::string &node, const std::string &devices) {
        add(slices, "{metadata: {name: slice-" + node + "}, spec: {driver: gpu, nodeName: " + node +
                        ", pool: {name: " + node + ", generation: 1}, devices: [" + devices + "]}}");
    }
    void add_claim(const std::string &name, const std::string &results, const std::string &users = {}) {
        add(claims, "{metadata: {name: " + name + ", namespace: team}, status: {allocation: {devices: {results: [" +
                        results + "]}}, reservedFor: [" + users + "]}}");
    }
};

std::string device(const std::string &name, const std::string &model) {
    return "{name: " + name + ", attributes: {model: {string: " + model + "}}}";
}
std::string result(const std::string &node, const std::string &device, const std::string &more = {}) {
    return "{driver: gpu, pool: " + node + ", device: " + device + more + "}";
}

}  // namespace

TEST_CASE("devices: by model and by node, the fullest first", "[api]") {
    World w;
    w.add_slice("n1", device("a", "H100") + ", " + device("b", "H100"));
    w.add_slice("n2", device("a", "H100") + ", " + device("b", "A40"));
    w.add_claim("c", result("n2", "a"));
    const auto document = w.read("devices");
    const auto root = document.value();
    CHECK(root["kind"].string() == "DeviceUse");
    CHECK(root["watched"].is_true());
    CHECK(!root["warnings"]);
    CHECK(decode::to_json(root["models"]) ==
          R"([{"driver":"gpu","model":"A40","devices":1,"allocated":0,"free":1,"nodes":1},)"
          R"({"driver":"gpu","model":"H100","devices":3,"allocated":1,"free":2,"nodes":2}])");
    CHECK(decode::to_json(root["nodes"]) ==
          R"([{"node":"n2","driver":"gpu","model":"H100","devices":1,"allocated":1,"free":0},)"
          R"({"node":"n1","driver":"gpu","model":"H100","devices":2,"allocated":0,"free":2},)"
          R"({"node":"n2","driver":"gpu","model":"A40","devices":1,"allocated":0,"free":1}])");
    CHECK(!root["omittedModels"]);
    const auto few = w.read("devices", "limit=1");
    CHECK(few.value()["models"].size() == 1);
    CHECK(few.value()["omittedModels"].integer() == 1);
    CHECK(few.value()["nodes"].size() == 1);
    CHECK(few.value()["omittedNodes"].integer() == 2);
}

TEST_CASE("devices: a node's, with the claims and pods that have them", "[api]") {
    World w;
    w.add_slice("n1", device("a", "H100") + ", " + device("b", "H100") + ", {name: c}");
    w.add_slice("n2", device("a", "H100"));
    w.add_claim("train", result("n1", "a") + ", " + result("n1", "a", ", shareID: x"),
                "{resource: pods, name: train-0, uid: u}, {resource: jobs, apiGroup: batch, name: no-pod}");
    w.add_claim("watch", result("n1", "a", ", adminAccess: true") + ", " + result("n1", "b", ", adminAccess: true"));
    const auto document = w.read("devices/n1");
    const auto root = document.value();
    CHECK(root["kind"].string() == "NodeDevices");
    CHECK(root["name"].string() == "n1");
    CHECK(decode::to_json(root["devices"]) ==
          R"([{"driver":"gpu","pool":"n1","name":"a","model":"H100","allocated":true,"free":false,"claims":[)"
          R"({"namespace":"team","name":"train","pods":["train-0"]},)"
          R"({"namespace":"team","name":"watch","pods":[],"adminAccess":true}]},)"
          R"({"driver":"gpu","pool":"n1","name":"b","model":"H100","allocated":false,"free":true,"claims":[)"
          R"({"namespace":"team","name":"watch","pods":[],"adminAccess":true}]},)"
          R"({"driver":"gpu","pool":"n1","name":"c","allocated":false,"free":true}])");
    CHECK(w.read("devices/n1", "limit=2").value()["omitted"].integer() == 1);
    CHECK(w.read("devices/elsewhere").value()["devices"].size() == 0);
    CHECK(w.ask("devices/").status == 404);
    CHECK(w.ask("devices/n1/a").status == 404);
}

TEST_CASE("devices: many users of one device are counted, not listed", "[api]") {
    World w;
    w.add_slice("n1", device("a", "H100"));
    std::string users;
    for (int i = 0; i < 12; ++i) users += (i ? ", " : "") + ("{resource: pods, name: p" + std::to_string(i) + "}");
    for (int i = 10; i < 22; ++i) w.add_claim("c" + std::to_string(i), result("n1", "a"), users);
    const auto document = w.read("devices/n1");
    const auto one = document.value()["devices"].at(0);
    CHECK(one["claims"].size() == 10);
    CHECK(one["omittedClaims"].integer() == 2);
    CHECK(one["claims"].at(0)["pods"].size() == 10);
    CHECK(one["claims"].at(0)["omittedPods"].integer() == 2);
}

TEST_CASE("devices: an answer says what no plugin watches", "[api]") {
    World none(std::vector<model::Kind>{});
    for (const char *path : {"devices", "devices/n1"}) {
        const auto document = none.read(path);
        CHECK(document.value()["watched"].boolean() == false);
        CHECK(!document.value()["models"]);
        CHECK(!document.value()["devices"]);
    }
    World w(std::vector{slices});
    const auto document = w.read("devices");
    CHECK(document.value()["watched"].is_true());
    CHECK(document.value()["models"].size() == 0);
    CHECK(document.value()["warnings"].at(0).string() ==
          "no plugin watches ResourceClaims: devices that are allocated count as free");
}

TEST_CASE("devices: hostile objects have no devices, and leave the others alone", "[api]") {
    World w;
    w.add_slice("n1", device("a", "H100"));
    w.add(slices, "{metadata: {name: odd}, spec: 7}");
    w.add(slices, "{metadata: {name: odder}, spec: {driver: [], pool: x, devices: {a: b}}}");
    w.add(slices,
          "{metadata: {name: z-odd}, spec: {driver: gpu, nodeName: n1, pool: {name: n1, generation: 1}, "
          "devices: [7, {name: {}}, {name: a}, {name: '\"</script>', attributes: [], consumesCounters: "
          "[{counterSet: none, counters: {x: {value: -9e99}}}]}]}}");
    w.add(claims, "{metadata: {name: c}, status: {allocation: [], reservedFor: 7}}");
    w.add_claim("d", "7, {}, " + result("none", "a") + ", " + result("n1", "a"), "7, {resource: pods}");
    const auto document = w.read("devices");
    const auto models = document.value()["models"];
    REQUIRE(models.size() == 2);
    CHECK(models.at(0)["devices"].integer() == 1);
    CHECK(models.at(1)["model"].string() == "H100");
    CHECK(models.at(1)["devices"].integer() == 1);
    CHECK(models.at(1)["allocated"].integer() == 1);
    const auto node = w.read("devices/n1");
    CHECK(node.value()["devices"].size() == 2);
}

TEST_CASE("devices: requests that are not right, and a cluster that is not known yet", "[api]") {
    World w;
    CHECK(w.ask("devices", {}, "POST").status == 405);
    CHECK(w.ask("devices/n1", {}, "DELETE").status == 405);
    CHECK(w.ask("devices", "limit=all").status == 400);
    CHECK(w.ask("devices/n1", "limit=-1").status == 400);
    w.knows = false;
    CHECK(w.ask("devices").status == 503);
    CHECK(w.ask("devices/n1").status == 503);
}
