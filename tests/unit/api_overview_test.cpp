// SPDX-License-Identifier: Apache-2.0
#include "asked_world.h"

#include <map>
#include <thread>

using namespace berth;
using World = AskedWorld;

namespace {

model::NodePtr node(const std::string &name, const std::string &zone, const std::string &more = {}) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   ", labels: {topology.kubernetes.io/region: r, topology.kubernetes.io/zone: " + zone + "}}, spec: {" +
                   more + "}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10', example.com/gpu: '2'}}}");
}

model::PodPtr pod(const std::string &name, const std::string &more = {}) {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default, uid: " + name +
                  "}, spec: {" + more +
                  "containers: [{name: c, image: i, env: [{name: KEY, value: planted-secret}], resources: "
                  "{requests: {cpu: 500m, memory: 1Gi, example.com/gpu: '1'}}}]}}");
}

}  // namespace

TEST_CASE("overview: the nodes as columns, by zone and resource", "[api]") {
    World w;
    w.world->scheduler.observer().node_added(node("n1", "a"));
    w.world->scheduler.observer().node_added(node("n2", "b", "unschedulable: true"));
    w.world->scheduler.observer().node_added(node("n3", "a"));
    w.world->scheduler.observer().pod_added(pod("p", "nodeName: n3, "));
    const auto document = w.read("cluster");
    const auto root = document.value();
    CHECK(root["kind"].string() == "NodeColumns");
    REQUIRE(root["names"].size() == 3);
    REQUIRE(root["zones"].size() == 2);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto name = root["names"].at(i).string();
        const auto zone = root["zones"].at(static_cast<std::size_t>(*root["zone"].at(i).integer())).string();
        CHECK(zone == (name == "n2" ? "r/b" : "r/a"));
        if (name == "n2") CHECK(root["unschedulable"].at(0).integer() == static_cast<std::int64_t>(i));
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> use;
        for (std::size_t k = 0; k < root["resources"].size(); ++k) {
            const auto one = root["resources"].at(k);
            use[std::string(one["name"].string())] = {*one["requested"].at(i).integer(),
                                                      *one["allocatable"].at(i).integer()};
        }
        const bool used = name == "n3";
        CHECK(use["cpu"] == std::pair<std::int64_t, std::int64_t>{used ? 500 : 0, 4000});
        CHECK(use["memory"] == std::pair<std::int64_t, std::int64_t>{used ? 1 << 30 : 0, std::int64_t{8} << 30});
        CHECK(use["pods"] == std::pair<std::int64_t, std::int64_t>{used ? 1 : 0, 10});
        CHECK(use["example.com/gpu"] == std::pair<std::int64_t, std::int64_t>{used ? 1 : 0, 2});
        CHECK(use.size() == 4);
    }
    CHECK(root["unschedulable"].size() == 1);
}

TEST_CASE("overview: a node tells its pods and what they ask for, and nothing of their environment", "[api]") {
    World w;
    w.world->scheduler.observer().node_added(node("n1", "a", "taints: [{key: k, value: v, effect: NoSchedule}]"));
    w.world->scheduler.observer().pod_added(pod("p", "nodeName: n1, priority: 7, "));
    const auto document = w.read("nodes/n1");
    const auto root = document.value();
    CHECK(root["name"].string() == "n1");
    CHECK(root["zone"].string() == "r/a");
    CHECK(root["taints"].at(0).string() == "k=v:NoSchedule");
    REQUIRE(root["pods"].size() == 1);
    const auto one = root["pods"].at(0);
    CHECK(one["pod"]["name"].string() == "p");
    CHECK(one["priority"].integer() == 7);
    CHECK(one["requests"]["cpu"].integer() == 500);
    CHECK(one["requests"]["example.com/gpu"].integer() == 1);
    CHECK(w.ask("nodes/n1").body.find("planted-secret") == std::string::npos);
    CHECK(w.ask("nodes/nowhere").status == 404);
    CHECK(w.ask("nodes/").status == 404);
    CHECK(w.ask("cluster", {}, "POST").status == 405);
    w.knows = false;
    CHECK(w.ask("cluster").status == 503);
    CHECK(w.ask("nodes/n1").status == 503);
}

TEST_CASE("overview: pods that wait tell who rejects how many nodes, the longest waiting first", "[api]") {
    World w;
    w.fit.filter = [](const std::string &name) {
        return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {name == "n1" ? "too small" : "too far"}};
    };
    w.world->add_nodes(3);
    for (const char *name : {"p1", "p2", "p3"}) {
        w.world->scheduler.observer().pod_added(plain_pod(name));
        w.settle();
        w.world->pass_seconds(1);
    }
    const auto document = w.read("pending");
    const auto root = document.value();
    CHECK(root["kind"].string() == "WaitingPods");
    REQUIRE(root["items"].size() == 3);
    CHECK(*root["counts"]["active"].integer() + *root["counts"]["backingOff"].integer() +
              *root["counts"]["unschedulable"].integer() ==
          3);
    const auto first = root["items"].at(0);
    CHECK(first["pod"]["name"].string() == "p1");
    CHECK(root["items"].at(2)["pod"]["name"].string() == "p3");
    CHECK(first["rejectedBy"].at(0).string() == "Fit");
    CHECK(first["evaluatedNodes"].integer() == 3);
    REQUIRE(first["rejections"].size() == 2);
    CHECK(first["rejections"].at(0)["nodes"].integer() == 2);
    CHECK(first["rejections"].at(0)["reasons"].at(0).string() == "too far");
    CHECK(!root["omitted"]);
    const auto few = w.read("pending", "limit=1");
    CHECK(few.value()["items"].size() == 1);
    CHECK(few.value()["omitted"].integer() == 2);
    CHECK(w.ask("pending", "limit=all").status == 400);
}

TEST_CASE("changes: whoever knows the present waits for what is new", "[api]") {
    World w;
    w.world->add_nodes(1);
    const auto first = w.ask("changes");
    CHECK(first.content_type == "text/event-stream");
    CHECK(first.body.starts_with("event: changed\nid: "));
    CHECK(first.body.ends_with("\ndata: {}\n\n"));
    const auto id = first.body.substr(19, first.body.find('\n', 19) - 19);
    w.answers.clear();
    w.begin("changes", "since=" + id);
    w.api->look();
    w.world->clock.run();
    CHECK(w.answers.empty());
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    w.api->look();
    w.world->clock.run();
    REQUIRE(w.answers.size() == 1);
    CHECK(w.answers[0].body.starts_with("event: changed\n"));
    CHECK(w.answers[0].body.find("id: " + id + "\n") == std::string::npos);
    const auto later = w.ask("changes");
    const auto now = later.body.substr(19, later.body.find('\n', 19) - 19);
    w.answers.clear();
    for (std::size_t i = 0; i < api::Changes::most_waiting; ++i) w.begin("changes", "since=" + now);
    CHECK(w.answers.empty());
    w.begin("changes", "since=" + now);
    REQUIRE(w.answers.size() == 1);
    CHECK(w.answers[0].status == 429);
}

TEST_CASE("changes: whoever follows is told again and again, but not too often", "[api]") {
    World w;
    w.world->add_nodes(1);
    w.begin("changes", "follow=true");
    REQUIRE(w.answers.size() == 1);
    CHECK(w.answers[0].content_type == "text/event-stream");
    const auto stream = w.answers[0].stream;
    REQUIRE(stream);
    auto heard = [&] {
        w.api->look();
        w.world->clock.run();
        return stream->take();
    };
    const auto begun = std::chrono::steady_clock::now();
    const auto first = heard();
    CHECK(first.starts_with("event: changed\nid: "));
    CHECK(first.ends_with("\ndata: {}\n\n"));
    CHECK(heard().empty());
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    auto second = heard();
    // Unless this machine has taken its time.
    if (std::chrono::steady_clock::now() - begun < api::Changes::breath) CHECK(second.empty());
    std::this_thread::sleep_for(api::Changes::breath);
    second += heard();
    CHECK(second.starts_with("event: changed\nid: "));
    CHECK(second != first);
    std::this_thread::sleep_for(api::Changes::breath);
    CHECK(heard().empty());

    w.answers.clear();
    for (std::size_t i = 1; i < api::Changes::most_streams; ++i) w.begin("changes", "follow=true");
    for (const auto &answer : w.answers) CHECK(answer.status == 200);
    auto others = std::exchange(w.answers, {});
    w.begin("changes", "follow=true");
    REQUIRE(w.answers.size() == 1);
    CHECK(w.answers[0].status == 429);
    stream->leave();
    w.answers.clear();
    w.begin("changes", "follow=true");
    CHECK(w.answers[0].status == 200);
    // One that no connection has.
    others.pop_back();
    w.begin("changes", "follow=true");
    REQUIRE(w.answers.size() == 2);
    CHECK(w.answers[1].status == 200);
}
