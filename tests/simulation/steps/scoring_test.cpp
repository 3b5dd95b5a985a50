// SPDX-License-Identifier: Apache-2.0
#include "running_world.h"

#include "../../../plugins/score-imagelocality/image_name.h"

#include <set>

using namespace running_world;

namespace {

std::string only(const std::string &scorer, int weight, const std::string &args = "") {
    return "profiles: [{schedulerName: default-scheduler, plugins: {score: {disabled: [{name: '*'}], enabled: "
           "[{name: " +
           scorer + ", weight: " + std::to_string(weight) + "}]}}, pluginConfig: [{name: " + scorer + ", args: {" +
           args + "}}]}]\n";
}

model::PodPtr with_images(const std::string &name, const std::string &images, const std::string &node_name) {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" +
                  (node_name.empty() ? "" : "nodeName: " + node_name + ", ") + images + "}}");
}

std::int64_t raw(const model::Decision &d, const std::string &node_name) {
    for (const auto &n : d.nodes)
        if (n.name == node_name) return n.scores.at(0).raw;
    FAIL("no such node");
    return -1;
}

}  // namespace

TEST_CASE("RunningImageLocality: the score is the share of the pod's images that the node's pods use", "[sim]") {
    sim::Input input;
    input.nodes = {node("all"), node("half"), node("none")};
    input.pods = {with_images("p1",
                              "initContainers: [{name: i, image: 'docker.io/library/tool:latest'}], containers: "
                              "[{name: c, image: app@sha256:12}]",
                              "all"),
                  with_images("p2", "containers: [{name: c, image: tool}]", "half"),
                  with_images("p3", "containers: [{name: c, image: 'tool:2'}]", "none"),
                  with_images("new",
                              "initContainers: [{name: i, image: tool}], containers: [{name: c, image: "
                              "'app:1@sha256:12'}, {name: d, image: tool}]",
                              "")};
    RunningWorld world(only("RunningImageLocality", 10), input);
    const auto &d = world.sink.last.at("default/new");
    CHECK(raw(d, "all") == 100);
    CHECK(raw(d, "half") == 50);
    CHECK(raw(d, "none") == 0);
    CHECK(d.node == "all");
}

TEST_CASE("RunningImageLocality: images that the node merely holds count when the argument says so", "[sim]") {
    sim::Input input;
    input.nodes = {
        node("bare"),
        node_of("{apiVersion: v1, kind: Node, metadata: {name: held}, status: {allocatable: {cpu: '16', memory: 64Gi, "
                "pods: '110'}, images: [{names: ['docker.io/library/tool@sha256:1', 'docker.io/library/tool:latest'], "
                "sizeBytes: 5}]}}")};
    input.pods = {with_images("new", "containers: [{name: c, image: tool}]", "")};
    {
        RunningWorld world(only("RunningImageLocality", 1, "countNodeImages: true"), input);
        CHECK(world.node_of("new") == "held");
        CHECK(raw(world.sink.last.at("default/new"), "held") == 100);
    }
    RunningWorld world(only("RunningImageLocality", 1), input);
    CHECK(raw(world.sink.last.at("default/new"), "held") == 0);
}

TEST_CASE("RunningImageLocality: names are completed as container runtimes do", "[sim]") {
    CHECK(normalized_image("nginx") == "docker.io/library/nginx:latest");
    CHECK(normalized_image("nginx:1.25") == "docker.io/library/nginx:1.25");
    CHECK(normalized_image("library/nginx") == "docker.io/library/nginx:latest");
    CHECK(normalized_image("bitnami/nginx") == "docker.io/bitnami/nginx:latest");
    CHECK(normalized_image("index.docker.io/nginx") == "docker.io/library/nginx:latest");
    CHECK(normalized_image("quay.io/a/b") == "quay.io/a/b:latest");
    CHECK(normalized_image("localhost/a") == "localhost/a:latest");
    CHECK(normalized_image("registry:5000/a") == "registry:5000/a:latest");
    CHECK(normalized_image("registry:5000/a:7") == "registry:5000/a:7");
    CHECK(normalized_image("a:7@sha256:12") == "docker.io/library/a@sha256:12");
}

TEST_CASE("RandomScore: every score from 0 to 100 comes out about equally often", "[sim]") {
    sim::Input input;
    for (int i = 0; i < 50; ++i) input.nodes.push_back(node("n" + std::to_string(i)));
    for (int i = 0; i < 400; ++i) input.pods.push_back(pod("p" + std::to_string(i)));
    RunningWorld world(only("RandomScore", 1), input);
    std::vector<double> seen(101);
    double all = 0;
    for (const auto &[key, d] : world.sink.last)
        for (const auto &n : d.nodes) {
            REQUIRE(n.scores.size() == 1);
            REQUIRE(n.scores[0].raw >= 0);
            REQUIRE(n.scores[0].raw <= 100);
            seen[static_cast<std::size_t>(n.scores[0].raw)] += 1;
            all += 1;
        }
    REQUIRE(all == 20'000);
    double chi = 0;
    for (auto n : seen) chi += (n - all / 101) * (n - all / 101) / (all / 101);
    CHECK(chi < 160);  // of 100 degrees of freedom: 1 in 8,000 above, and the seed is fixed
    CHECK(chi > 50);   // more even than chance would be a fault too
}

TEST_CASE("RandomScore: its seed gives other numbers", "[sim]") {
    sim::Input input;
    input.nodes = {node("a"), node("b")};
    input.pods = {pod("p")};
    RunningWorld first(only("RandomScore", 1), input), again(only("RandomScore", 1), input),
        other(only("RandomScore", 1, "seed: 9"), input);
    auto of = [](RunningWorld &w) {
        return raw(w.sink.last.at("default/p"), "a") * 1000 + raw(w.sink.last.at("default/p"), "b");
    };
    CHECK(of(first) == of(again));
    CHECK(of(first) != of(other));
}

TEST_CASE("RandomScore: max is the highest score, and comes out", "[sim]") {
    sim::Input input;
    for (int i = 0; i < 100; ++i) input.nodes.push_back(node("n" + std::to_string(i)));
    input.pods = {pod("p")};
    RunningWorld world(only("RandomScore", 1, "max: 3"), input);
    std::set<std::int64_t> seen;
    for (const auto &n : world.sink.last.at("default/p").nodes) seen.insert(n.scores.at(0).raw);
    CHECK(seen == std::set<std::int64_t>{0, 1, 2, 3});
}
