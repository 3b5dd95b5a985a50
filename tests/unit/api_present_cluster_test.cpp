// SPDX-License-Identifier: Apache-2.0
#include "api/present_cluster.h"

#include "asked_world.h"
#include "catch.h"
#include "config/defaults.h"
#include "config/read.h"
#include "decode/document.h"
#include "object_text.h"

#include <map>

using namespace berth;

namespace {

/// "namespace/name" → the node that the text says it is on, of every pod.
std::map<std::string, std::string> places(const decode::Document &list) {
    std::map<std::string, std::string> out;
    const auto items = list.value()["items"];
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items.at(i)["kind"].string() == "Pod")
            out[std::string(items.at(i)["metadata"]["name"].string())] = items.at(i)["spec"]["nodeName"].string();
    return out;
}

decode::Document written(const api::PresentCluster &cluster, api::Placing placing) {
    std::string text;
    api::write_cluster(cluster, config::built_in(), placing, [&](std::string_view more) { text += more; });
    auto out = decode::read_document(text, "cluster.json");
    INFO(text);
    REQUIRE(out);
    return *out;
}

model::PodPtr placed(const std::string &name, const std::string &metadata, const std::string &spec) {
    return pod_of("{metadata: {name: " + name + metadata + "}, spec: {nodeName: n1" + spec +
                  ", containers: [{name: c, image: i}]}, status: {phase: Running, nominatedNodeName: n2}}");
}

}  // namespace

TEST_CASE("present cluster: nodes, pods with and without one, and what plugins watch", "[api]") {
    AskedWorld world;
    auto &scheduler = world.world->scheduler;
    world.world->add_nodes(2);
    world.fit.filter = [](const std::string &) { return FilterSays{}; };
    scheduler.observer().pod_added(plain_pod("assumed"));
    world.settle();
    world.fit.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
    scheduler.observer().pod_added(plain_pod("waits"));
    world.settle();
    scheduler.observer().pod_added(placed("runs", "", ""));
    const auto claims = model::kind_of("", "v1", "persistentvolumeclaims");
    scheduler.observer().object_changed(
        claims, nullptr, any_object(claims, "{metadata: {name: c, namespace: default, managedFields: []}}"));
    const auto cluster = api::present_cluster(scheduler);
    CHECK(cluster.nodes.size() == 2);
    CHECK(cluster.placed.size() == 2);
    CHECK(cluster.waiting.size() == 1);
    REQUIRE(cluster.objects.size() == 1);

    const auto list = written(cluster, api::Placing::Pending);
    const auto items = list.value()["items"];
    CHECK(items.size() == 6);
    const auto claim = items.at(5);
    CHECK(claim["kind"].string() == "PersistentVolumeClaim");
    CHECK(claim["apiVersion"].string() == "v1");
    CHECK(claim["metadata"]["managedFields"].is_null());
    auto where = places(list);
    CHECK(where["waits"].empty());
    CHECK(where["runs"] == "n1");
    CHECK((where["assumed"] == "n1" || where["assumed"] == "n2"));
}

TEST_CASE("present cluster: placed anew are the scheduler's own pods alone", "[api]") {
    api::PresentCluster cluster;
    cluster.placed = {placed("ours", "", ""), placed("ends", ", deletionTimestamp: '2026-01-01T00:00:00Z'", ""),
                      placed("static", ", annotations: {kubernetes.io/config.mirror: x}", ""),
                      placed("theirs", "", ", schedulerName: theirs")};
    const std::map<std::string, std::string> stay{{"ours", "n1"}, {"ends", "n1"}, {"static", "n1"}, {"theirs", "n1"}};
    CHECK(places(written(cluster, api::Placing::Pending)) == stay);
    const auto list = written(cluster, api::Placing::All);
    auto anew = stay;
    anew["ours"] = "";
    CHECK(places(list) == anew);
    const auto ours = list.value()["items"].at(0);
    CHECK(ours["status"]["nominatedNodeName"].is_null());
    CHECK(ours["status"]["phase"].is_null());
}
