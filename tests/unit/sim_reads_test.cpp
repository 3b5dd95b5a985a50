// SPDX-License-Identifier: Apache-2.0
// What the simulated API server answers to reads.
#include "catch.h"
#include "object_text.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

#include "decode/wire.h"

#include <string>
#include <vector>

using namespace berth;

namespace {

const auto maps = model::kind_of("", "v1", "configmaps");

class Silent : public sim::Controller {
    void object_changed(const model::Kind &, model::AnyPtr, model::AnyPtr) override { ++changes; }

public:
    int changes = 0;  ///< of objects
};

struct Server {
    sim::VirtualClock clock{0};
    sim::World world{clock};
    Silent observer;
    env::ApiAnswer answer;

    explicit Server(bool watched = false, std::string extra = {}) {
        sim::Input input;
        input.nodes = {node_of("{kind: Node, metadata: {name: n1}}"), node_of("{kind: Node, metadata: {name: n2}}")};
        input.pods.push_back(
            pod_of("{kind: Pod, metadata: {name: web, uid: u, labels: {app: web}}, spec: {containers: []}}"));
        input.kinds = {maps};
        if (!watched) input.only_read = {maps};
        for (
            const auto *text :
            {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"x","uid":"1","labels":{"tier":"back"}}})",
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"x","uid":"2","labels":{"tier":"front"}},"data":{"k":"v"}})",
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"y","uid":"3"}})"})
            input.objects.push_back({maps, model::read_object(*decode::read_api_json(text), maps, {})});
        if (!extra.empty())
            input.objects.push_back({maps, model::read_object(*decode::read_api_json(extra), maps, {})});
        CHECK(input.watches(maps) == watched);
        world.start(input, observer);
        clock.run();
    }
    int send(env::Verb verb, const std::string &resource, const std::string &name_space, const std::string &name,
             env::ListOptions list = {}) {
        env::ApiRequest request;
        request.verb = verb;
        request.version = "v1";
        request.resource = resource;
        request.name_space = name_space;
        request.name = name;
        request.list = std::move(list);
        world.send(request, [this](env::ApiAnswer came) { answer = std::move(came); });
        clock.run();
        return answer.http_status;
    }
    /// "ConfigMapList x/a x/b then x/b +1".
    std::string list(const std::string &resource, const std::string &name_space = {}, env::ListOptions how = {}) {
        if (send(env::Verb::List, resource, name_space, {}, std::move(how)) != 200) return answer.body;
        const auto body = decode::read_api_json(answer.body);
        REQUIRE(body);
        const auto root = (*body)->value();
        std::string out(root["kind"].string());
        for (std::size_t i = 0; i < root["items"].size(); ++i) {
            const auto metadata = root["items"].at(i)["metadata"];
            (out += " ").append(metadata["namespace"].string()).append("/").append(metadata["name"].string());
        }
        if (const auto next = root["metadata"]["continue"])
            out.append(" then ").append(next.string()).append(" +") +=
                std::to_string(root["metadata"]["remainingItemCount"].integer().value_or(0));
        return out;
    }
};

}  // namespace

TEST_CASE("simulated API server: a get has the object, or 404", "[sim]") {
    Server server;
    CHECK(server.send(env::Verb::Get, "configmaps", "x", "a") == 200);
    const auto body = decode::read_api_json(server.answer.body);
    REQUIRE(body);
    CHECK((*body)->value()["data"]["k"].string() == "v");
    CHECK(server.send(env::Verb::Get, "configmaps", "y", "a") == 404);
    CHECK(server.answer.body == "configmaps \"a\" not found");
    CHECK(server.send(env::Verb::Get, "pods", "default", "web") == 200);
    CHECK(server.send(env::Verb::Get, "nodes", "", "n2") == 200);
    CHECK(server.send(env::Verb::Get, "nodes", "", "n3") == 404);
    CHECK(server.send(env::Verb::Get, "secrets", "x", "a") == 501);
    CHECK(server.answer.body ==
          "the simulated API server has no secrets: it has nodes, pods and what plugins declare to "
          "watch or read");
}

TEST_CASE("simulated API server: a list is sorted, and selects by namespace, labels and fields", "[sim]") {
    Server server;
    const std::string kind = "ConfigMapList";
    CHECK(server.list("configmaps") == kind + " x/a x/b y/b");
    CHECK(server.list("configmaps", "x") == kind + " x/a x/b");
    CHECK(server.list("configmaps", "z") == kind);
    CHECK(server.list("configmaps", "", {.label_selector = "tier", .field_selector = {}, .after = {}}) ==
          kind + " x/a x/b");
    CHECK(server.list("configmaps", "", {.label_selector = "tier notin (front)", .field_selector = {}, .after = {}}) ==
          kind + " x/b y/b");
    CHECK(server.list("configmaps", "", {.label_selector = "tier==front,tier", .field_selector = {}, .after = {}}) ==
          kind + " x/a");
    CHECK(server.list("configmaps", "", {.label_selector = "!tier", .field_selector = {}, .after = {}}) ==
          kind + " y/b");
    CHECK(server.list("configmaps", "", {.label_selector = {}, .field_selector = "metadata.name=b", .after = {}}) ==
          kind + " x/b y/b");
    CHECK(server.list("configmaps", "",
                      {.label_selector = {}, .field_selector = "metadata.namespace!=x", .after = {}}) == kind + " y/b");
    CHECK(server.list("nodes") == "NodeList /n1 /n2");
    CHECK(server.list("pods", "", {.label_selector = "app=web", .field_selector = {}, .after = {}}) == "PodList /web");
    CHECK(server.list("pods", "", {.label_selector = "app=none", .field_selector = {}, .after = {}}) == "PodList");
}

TEST_CASE("simulated API server: a list comes in pages", "[sim]") {
    Server server;
    env::ListOptions two;
    two.limit = 2;
    CHECK(server.list("configmaps", "", two) == "ConfigMapList x/a x/b then x/b +1");
    two.after = "x/b";
    CHECK(server.list("configmaps", "", two) == "ConfigMapList y/b");
    two = {.label_selector = "tier", .field_selector = {}, .after = {}, .limit = 1};
    CHECK(server.list("configmaps", "", two) == "ConfigMapList x/a then x/a +0");
}

TEST_CASE("simulated API server: a selector that is none is refused", "[sim]") {
    Server server;
    for (const auto *selector : {"a=(", "=a", "a in b", "a in (b", "a b", "a=b,", "-a=b", "a=b c"}) {
        INFO(selector);
        CHECK(server.send(env::Verb::List, "configmaps", "", "", {selector, {}, {}}) == 400);
    }
    for (const auto *selector : {"spec.x=1", "metadata.name", "metadata.name in (a,b)", "metadata.name in (a)"}) {
        INFO(selector);
        CHECK(server.send(env::Verb::List, "configmaps", "", "", {{}, selector, {}}) == 400);
    }
}

TEST_CASE("simulated API server: observers hear of what is watched, not of what is only read", "[sim]") {
    for (const bool watched : {true, false}) {
        Server server(watched);
        CHECK(server.observer.changes == (watched ? 3 : 0));
        CHECK(server.send(env::Verb::Delete, "configmaps", "x", "a") == 200);
        CHECK(server.observer.changes == (watched ? 4 : 0));
        CHECK(server.send(env::Verb::Get, "configmaps", "x", "a") == 404);
    }
}

TEST_CASE("simulated API server: an answer that is too long is none", "[sim]") {
    const std::string large(env::most_of_read, 'x');
    Server server(false,
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z","namespace":"z"},"data":{"k":")" +
                      large + "\"}}");
    CHECK(server.send(env::Verb::Get, "configmaps", "z", "z") == 0);
    CHECK(server.answer.too_long);
    CHECK(server.send(env::Verb::List, "configmaps", "", "") == 0);
    CHECK(server.answer.too_long);
    CHECK(server.send(env::Verb::List, "configmaps", "x", "") == 200);
}
