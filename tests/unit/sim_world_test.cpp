// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "decode/write.h"
#include "object_text.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

#include <string>
#include <vector>

using namespace berth;

namespace {

/// Writes down what the watch says of pods.
class Seen : public sim::Controller {
public:
    std::vector<std::string> lines;
    void pod_added(model::PodPtr pod) override { lines.push_back("added " + std::string(pod->name())); }
    void pod_updated(model::PodPtr, model::PodPtr after) override {
        lines.push_back(decode::to_json(after->tree->value()));
    }
    void pod_deleted(model::PodPtr pod) override { lines.push_back("deleted " + std::string(pod->name())); }
};

struct Api {
    sim::VirtualClock clock{0};
    sim::World world{clock};
    Seen seen;
    sim::Input input;

    explicit Api(const std::string &pod) {
        input.pods.push_back(pod_of(pod));
        world.start(input, seen);
        seen.lines.clear();
    }
    int send(env::Verb verb, const std::string &subresource, const std::string &body, const std::string &name = "web") {
        int status = 0;
        world.send(
            {verb, "", "v1", "pods", "default", name, subresource, "application/strategic-merge-patch+json", body},
            [&](const env::ApiAnswer &answer) { status = answer.http_status; });
        clock.run();
        return status;
    }
};

constexpr const char *placed =
    "{kind: Pod, metadata: {name: web, uid: u}, spec: {nodeName: n, "
    "terminationGracePeriodSeconds: 5, containers: []}, status: {phase: Running, conditions: "
    "[{type: Ready, status: 'True'}, {type: PodScheduled, status: 'True', reason: a}]}}";

}  // namespace

TEST_CASE("simulated API server: a status patch merges conditions by type, and null takes away", "[sim]") {
    Api api(placed);
    CHECK(
        api.send(env::Verb::Patch, "status",
                 R"({"status":{"nominatedNodeName":"m","$setElementOrder/conditions":[{"type":"Ready"}],"conditions":[)"
                 R"({"type":"Ready","status":"False"},{"type":"DisruptionTarget","status":"True"}]}})") == 200);
    REQUIRE(api.seen.lines.size() == 1);
    auto now = api.world.pod("default/web");
    CHECK(decode::to_json(now->tree->value()["status"]["conditions"]) ==
          R"([{"type":"Ready","status":"False"},{"type":"PodScheduled","status":"True","reason":"a"},)"
          R"({"type":"DisruptionTarget","status":"True"}])");
    CHECK(now->nominated_node() == "m");
    CHECK(now->phase() == "Running");
    CHECK(api.send(env::Verb::Patch, "status", R"({"status":{"nominatedNodeName":null}})") == 200);
    CHECK(api.world.pod("default/web")->nominated_node().empty());
    CHECK(api.send(env::Verb::Patch, "status", "{", "web") == 400);
    CHECK(api.send(env::Verb::Patch, "status", "{}", "nobody") == 404);
}

TEST_CASE("simulated API server: a deleted pod goes when its grace period is over", "[sim]") {
    Api api(placed);
    CHECK(api.send(env::Verb::Delete, "", "") == 200);
    REQUIRE(api.seen.lines.size() == 1);
    CHECK(api.world.pod("default/web")->terminating());
    CHECK(api.world.pod("default/web")->tree->value()["metadata"]["deletionTimestamp"].string() ==
          "1970-01-01T00:00:05Z");
    api.clock.advance_to(4'000'000'000);
    CHECK(api.send(env::Verb::Delete, "", "") == 200);
    CHECK(api.seen.lines.size() == 1);
    api.clock.advance_to(5'000'000'000);
    CHECK(api.seen.lines.back() == "deleted web");
    CHECK(api.world.pod("default/web") == nullptr);
    CHECK(api.send(env::Verb::Delete, "", "") == 404);
}

TEST_CASE("simulated API server: a pod without a node is deleted at once", "[sim]") {
    Api api("{kind: Pod, metadata: {name: web}, spec: {containers: []}}");
    CHECK(api.send(env::Verb::Delete, "", "") == 200);
    CHECK(api.seen.lines == std::vector<std::string>{"deleted web"});
    CHECK(api.send(env::Verb::Create, "eviction", "") == 501);
}
