// SPDX-License-Identifier: Apache-2.0
#include "api/added_nodes.h"

#include "catch.h"
#include "decode/document.h"
#include "object_text.h"

using namespace berth;

namespace {

/// Of n17, as it came from an API server, and of a node that has the first name that one like it would get.
model::NodePtr find(std::string_view name) {
    if (name == "n17-new-1") return node_of("{metadata: {name: n17-new-1}, status: {}}");
    if (name != "n17") return nullptr;
    return node_of(
        R"({metadata: {name: n17, uid: u17, annotations: {a: b}, labels: {kubernetes.io/hostname: n17, zone: z}},
        spec: {providerID: p, unschedulable: true, taints: [{key: gpu, effect: NoSchedule}]},
        status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110", nvidia.com/gpu: "2"}, images: [{names: [x], sizeBytes: 5}],
                 conditions: [{type: Ready, status: "False"}]}})");
}

std::variant<std::string, std::vector<kube::Cause>> added(const std::string &wanted) {
    const auto document = decode::read_document(wanted, "changes.json");
    REQUIRE(document);
    return api::added_nodes(document->value(), find, "addNodes");
}

std::vector<model::NodePtr> nodes(const std::string &wanted) {
    const auto text = added(wanted);
    REQUIRE(std::holds_alternative<std::string>(text));
    std::vector<model::NodePtr> out;
    std::string rest = std::get<std::string>(text);
    while (!rest.empty()) {
        REQUIRE(rest.starts_with("---\n"));
        const auto end = rest.find("---\n", 4);
        out.push_back(node_of(rest.substr(4, end == rest.npos ? end : end - 4)));
        rest = end == rest.npos ? "" : rest.substr(end);
    }
    return out;
}

std::vector<std::string> causes(const std::string &wanted) {
    std::vector<std::string> out;
    const auto made = added(wanted);
    REQUIRE(std::holds_alternative<std::vector<kube::Cause>>(made));
    for (const auto &cause : std::get<std::vector<kube::Cause>>(made))
        out.push_back(cause.field + ": " + cause.message);
    return out;
}

}  // namespace

TEST_CASE("added nodes: like another, but new", "[api]") {
    const auto made = nodes(R"([{"like": "n17", "count": 2}])");
    REQUIRE(made.size() == 2);
    CHECK(made[0]->name == "n17-new-2");
    CHECK(made[1]->name == "n17-new-3");
    for (const auto &node : made) {
        CAPTURE(node->name);
        CHECK(node->label("kubernetes.io/hostname") == node->name);
        CHECK(node->label("zone") == "z");
        CHECK(node->allocatable.cpu == 4000);
        CHECK(node->allocatable_pods == 110);
        CHECK(node->allocatable.scalars_len == 1);
        CHECK(node->uid != "u17");
        CHECK(!node->unschedulable);
        CHECK(node->images.empty());
        CHECK(node->annotations.empty());
        REQUIRE(node->taints.size() == 1);
        CHECK(model::view(node->taints[0].key) == "gpu");
        CHECK(node->tree->value()["status"]["conditions"].is_null());
    }
}

TEST_CASE("added nodes: what is said takes the place of what the other has", "[api]") {
    const auto made =
        nodes(R"([{"like": "n17", "count": 1, "allocatable": {"cpu": "500m"}, "labels": {"zone": "y", "more": "x"},
                                 "taints": []},
                                {"count": 1, "allocatable": {"cpu": "2", "memory": "1Gi", "pods": "10"}}])");
    REQUIRE(made.size() == 2);
    CHECK(made[0]->allocatable.cpu == 500);
    CHECK(made[0]->allocatable.memory == std::int64_t{8} << 30);
    CHECK(made[0]->label("zone") == "y");
    CHECK(made[0]->label("more") == "x");
    CHECK(made[0]->taints.empty());
    CHECK(made[1]->name == "new-1");
    CHECK(made[1]->allocatable.memory == 1 << 30);
    CHECK(made[1]->allocatable_pods == 10);
    CHECK(made[1]->label("zone").empty());
}

TEST_CASE("added nodes: what cannot be is named with its field", "[api]") {
    using Texts = std::vector<std::string>;
    CHECK(causes("{}") == Texts{"addNodes: expected a list of nodes to add"});
    CHECK(causes(R"([{"like": "n18", "count": 0, "cpu": 4}, 7])") ==
          Texts{"addNodes[0].cpu: expected one of like, count, allocatable, labels, taints",
                "addNodes[0].like: the cluster has no node \"n18\"",
                "addNodes[0].count: expected a whole number from 1, and 5000 nodes in all at most",
                "addNodes[1]: expected an object with like or allocatable, and count"});
    CHECK(causes(R"([{"count": 1, "allocatable": {"cpu": "4", "pods": "5"}}])") ==
          Texts{"addNodes[0].allocatable.memory: expected a quantity, as there is no node that it is like"});
    CHECK(causes(R"([{"like": "n17", "count": 1, "allocatable": {"cpu": "much"}}])") ==
          Texts{"addNodes[0].allocatable.cpu: expected a quantity like 500m or 2Gi, got \"much\""});
    CHECK(causes(R"([{"count": 1, "allocatable": {"cpu": "much", "pods": "5"}}])") ==
          Texts{"addNodes[0].allocatable.memory: expected a quantity, as there is no node that it is like",
                "addNodes[0].allocatable.cpu: expected a quantity like 500m or 2Gi, got \"much\""});
    CHECK(causes(R"([{"like": "n17", "count": 1, "labels": [], "taints": {}}])") ==
          Texts{"addNodes[0].labels: expected an object", "addNodes[0].taints: expected a list of taints"});
    CHECK(causes(R"([{"like": "n17", "count": 4000}, {"like": "n17", "count": 1001}])") ==
          Texts{"addNodes[1].count: expected a whole number from 1, and 5000 nodes in all at most"});
}

// promise(peer): The nodes that a what-if adds take a bounded amount of memory, regardless of their labels and taints.
TEST_CASE("added nodes: their size as YAML is bounded", "[api]") {
    std::string labels = R"("l":"v")";
    constexpr int enough = 1000;  // of 70 bytes, on 5,000 nodes
    for (int i = 0; i < enough; ++i) labels += ",\"" + std::string(60, 'l') + std::to_string(i) + R"(":"v")";
    const auto of = [&](int count) {
        return R"([{"like":"n17","count":)" + std::to_string(count) + R"(,"labels":{)" + labels + "}}]";
    };
    CHECK(std::holds_alternative<std::string>(added(of(10))));
    CHECK(
        causes(of(5000)) ==
        std::vector<std::string>{"addNodes[0]: the nodes to add take more than 32 MiB of YAML; expected fewer of them, "
                                 "or shorter labels and taints"});
}
