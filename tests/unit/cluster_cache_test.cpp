// SPDX-License-Identifier: Apache-2.0
#include "cluster/cache.h"
#include "cluster_world.h"

#include "catch.h"
#include "model/look_ups.h"

using namespace berth;
using namespace berth::cluster_test;
using cluster::Cache;

namespace {

std::uint32_t slot(const berth_nodes &nodes, std::string_view name) {
    return model::find_node(nodes, model::to_str(name));
}

std::string order(const berth_nodes &nodes) {
    std::string out;
    for (std::uint32_t i = 0; i < nodes.count; ++i)
        out += (i ? " " : "") + std::string{model::view(nodes.name[nodes.order[i]])};
    return out;
}

std::uint64_t pods_on(const berth_nodes &nodes, std::uint32_t at) {
    const std::uint32_t *rows = nullptr;
    return model::look_ups(*nodes.pods).pods_of(at, &rows);
}

berth_column column(const berth_nodes &nodes, std::uint32_t id) {
    berth_column out{};
    out.struct_size = sizeof out;
    REQUIRE(model::look_ups(nodes).column(id, &out) == BERTH_STATUS_SUCCESS);
    return out;
}

/// Port numbers in use on a slot, with repeats.
std::vector<int> ports(const berth_nodes &nodes, std::uint32_t id, std::uint32_t at) {
    auto c = column(nodes, id);
    std::vector<int> out;
    for (auto i = c.offsets[at].begin; i < c.offsets[at].end; ++i)
        out.push_back(static_cast<const berth_port *>(c.dict)[static_cast<const std::uint32_t *>(c.data)[i]].port);
    return out;
}

}  // namespace

TEST_CASE("cluster: the pods that nobody but us has placed are counted", "[cluster]") {
    Cache cache;
    auto one = make_pod({.uid = "1", .node = "a"}), two = make_pod({.uid = "2", .node = "a"});
    cache.assume(one);
    cache.assume(two);
    CHECK(cache.assumed_count() == 2);
    cache.assume(make_pod({.uid = "2", .node = "b"}));
    CHECK(cache.assumed_count() == 2);
    cache.add_pod(one);
    CHECK(cache.assumed_count() == 1);
    cache.update_pod(make_pod({.uid = "1", .node = "b"}));
    CHECK(cache.assumed_count() == 1);
    cache.forget(*make_pod({.uid = "2", .node = "b"}));
    CHECK(cache.assumed_count() == 0);
    cache.remove_pod(*one);
    CHECK(cache.assumed_count() == 0);
}

TEST_CASE("cluster: an assumed pod counts on its node until it is forgotten", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto pod = make_pod({.uid = "1", .node = "a", .cpu = 250});
    cache.assume(pod);
    CHECK(cache.is_assumed("1"));
    const auto &nodes = cache.snapshot();
    CHECK(nodes.requested_cpu[slot(nodes, "a")] == 250);
    CHECK(nodes.pod_count[slot(nodes, "a")] == 1);
    CHECK((nodes.pods->pod_flags[0] & BERTH_FLAG_POD_ASSUMED) != 0);
    cache.forget(*make_pod({.uid = "1", .node = "b"}));
    CHECK(cache.is_assumed("1"));
    cache.forget(*make_pod({.uid = "1"}));
    CHECK_FALSE(cache.is_assumed("1"));
    cache.snapshot();
    CHECK(nodes.requested_cpu[slot(nodes, "a")] == 0);
    CHECK(cache.pod_count() == 0);
}

TEST_CASE("cluster: the last pod of a node takes the place of one that goes, and a new version is the last",
          "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto pods = [&] {
        const auto &nodes = cache.snapshot();
        const std::uint32_t *rows = nullptr;
        std::string out;
        for (auto n = model::look_ups(*nodes.pods).pods_of(slot(nodes, "a"), &rows); n > 0; --n)
            out += static_cast<const model::Pod &>(*model::object_of(nodes.pods->obj[*rows++])).uid();
        return out;
    };
    for (const auto *uid : {"1", "2", "3", "4"}) cache.add_pod(make_pod({.uid = uid, .node = "a"}));
    CHECK(pods() == "1234");
    cache.remove_pod(*make_pod({.uid = "1", .node = "a"}));
    CHECK(pods() == "423");
    cache.update_pod(make_pod({.uid = "4", .node = "a"}));
    CHECK(pods() == "324");
    cache.assume(make_pod({.uid = "5", .node = "a"}));
    cache.add_pod(make_pod({.uid = "3", .node = "a"}));
    CHECK(pods() == "5243");
    cache.add_pod(make_pod({.uid = "5", .node = "a"}));
    CHECK(pods() == "3245");
}

TEST_CASE("cluster: the watch confirms an assumed pod, and then nobody can forget or assume it", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    cache.add_node(make_node({.name = "b"}));
    cache.assume(make_pod({.uid = "1", .node = "a"}));
    cache.update_pod(make_pod({.uid = "1"}));
    CHECK(cache.is_assumed("1"));
    auto placed = make_pod({.uid = "1", .node = "a"});
    cache.add_pod(placed);
    CHECK_FALSE(cache.is_assumed("1"));
    cache.forget(*placed);
    cache.assume(make_pod({.uid = "1", .node = "b"}));
    const auto &nodes = cache.snapshot();
    CHECK(nodes.pod_count[slot(nodes, "a")] == 1);
    CHECK(nodes.pod_count[slot(nodes, "b")] == 0);
    CHECK(nodes.pods->pod_flags[0] == 0);
}

TEST_CASE("cluster: a pod that was resized is taken out with its old amounts", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .cpu = 100, .memory = 5}));
    cache.update_pod(make_pod({.uid = "1", .node = "a", .cpu = 900, .memory = 6}));
    const auto &nodes = cache.snapshot();
    CHECK(nodes.requested_cpu[0] == 900);
    CHECK(nodes.requested_memory[0] == 6);
    CHECK(nodes.requested_cpu_nonzero[0] == 901);
    CHECK(nodes.pod_count[0] == 1);
}

TEST_CASE("cluster: sums beyond 64 bits are undone exactly", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto id = cache.declare_column(BERTH_COLUMN_NODE_REQUESTED, "x/y");
    auto huge = std::numeric_limits<std::int64_t>::max() / 8;
    for (auto uid : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"})
        cache.add_pod(
            make_pod({.uid = uid, .node = "a", .cpu = huge, .memory = 8 * huge, .scalars = {{"x/y", 8 * huge}}}));
    for (auto uid : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) cache.remove_pod(*make_pod({.uid = uid}));
    const auto &nodes = cache.snapshot();
    CHECK(nodes.requested_cpu[0] == huge);
    CHECK(nodes.requested_memory[0] == 8 * huge);
    CHECK(static_cast<const std::int64_t *>(column(nodes, id).data)[0] == 8 * huge);
}

TEST_CASE("cluster: a node removed before its pods is a ghost that the snapshot does not show", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .cpu = 300}));
    cache.remove_node("a");
    const auto &nodes = cache.snapshot();
    CHECK(nodes.count == 0);
    CHECK(nodes.pods->count == 0);
    CHECK(nodes.pods->node_slot[0] == BERTH_NO_SLOT);
    CHECK(slot(nodes, "a") == BERTH_NO_SLOT);
    CHECK(pods_on(nodes, 0) == 0);
    CHECK(cache.pod_count() == 1);
    cache.add_node(make_node({.name = "a"}));
    cache.snapshot();
    CHECK(nodes.requested_cpu[slot(nodes, "a")] == 300);
    CHECK(pods_on(nodes, slot(nodes, "a")) == 1);
    CHECK(nodes.pods->count == 1);
}

TEST_CASE("cluster: a pod on an unknown node is there once the node comes", "[cluster]") {
    Cache cache;
    auto label = cache.declare_column(BERTH_COLUMN_POD_LABEL, "app");
    cache.add_pod(make_pod({.uid = "1", .node = "late", .cpu = 300, .labels = {{"app", "web"}}}));
    const auto &nodes = cache.snapshot();
    CHECK(nodes.count == 0);
    berth_column c{};
    c.struct_size = sizeof c;
    REQUIRE(model::look_ups(*nodes.pods).column(label, &c) == BERTH_STATUS_SUCCESS);
    CHECK_FALSE(berth_valid(&c, 0));
    cache.add_node(make_node({.name = "late"}));
    cache.snapshot();
    CHECK(nodes.requested_cpu[slot(nodes, "late")] == 300);
    REQUIRE(model::look_ups(*nodes.pods).column(label, &c) == BERTH_STATUS_SUCCESS);
    CHECK(berth_valid(&c, 0));
}

TEST_CASE("cluster: odd events are survived: doubles, strangers, moves, finished pods, pods without uid", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .cpu = 1}));
    cache.add_node(make_node({.name = "a", .cpu = 2}));
    cache.add_node(make_node({.name = "b"}));
    cache.remove_node("nobody");
    cache.remove_pod(*make_pod({.uid = "stranger"}));
    cache.forget(*make_pod({.uid = "stranger"}));
    cache.add_pod(make_pod({.uid = "", .node = "a"}));
    cache.assume(make_pod({.uid = "1"}));
    for (int i = 0; i < 2; ++i) cache.add_pod(make_pod({.uid = "1", .node = "a"}));
    cache.update_pod(make_pod({.uid = "1", .node = "b"}));
    cache.add_pod(make_pod({.uid = "2", .node = "a"}));
    cache.update_pod(make_pod({.uid = "2", .node = "a", .phase = "Succeeded"}));
    cache.add_pod(make_pod({.uid = "3", .node = "a", .phase = "Failed"}));
    const auto &nodes = cache.snapshot();
    CHECK(cache.node_count() == 2);
    CHECK(nodes.allocatable_cpu[slot(nodes, "a")] == 2);
    CHECK(nodes.pod_count[slot(nodes, "a")] == 0);
    CHECK(nodes.pod_count[slot(nodes, "b")] == 1);
    CHECK(cache.pod_count() == 1);
}

TEST_CASE("cluster: nodes are visited zone by turns, and the order waits for a node to come or go", "[cluster]") {
    Cache cache;
    for (auto [name, zone] : {std::pair{"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}, {"c1", "c"}, {"c2", "c"}})
        cache.add_node(make_node({.name = name, .zone = zone}));
    const auto &nodes = cache.snapshot();
    CHECK(order(nodes) == "a1 b1 c1 a2 c2 a3");
    cache.update_node(make_node({.name = "a1", .zone = "c"}));
    cache.remove_node("b1");
    cache.add_node(make_node({.name = "b1", .zone = "b"}));
    cache.snapshot();
    CHECK(order(nodes) == "a1 b1 c1 a2 c2 a3");
    cache.remove_node("c2");
    cache.snapshot();
    CHECK(order(nodes) == "a2 c1 b1 a3 a1");
}

TEST_CASE("cluster: who asks for a slot between two snapshots leaves the order as it is", "[cluster]") {
    Cache cache;
    for (auto [name, zone] : {std::pair{"a1", "a"}, {"a2", "a"}})
        cache.add_node(make_node({.name = name, .zone = zone}));
    const auto &nodes = cache.snapshot();
    cache.update_node(make_node({.name = "a1", .zone = "b"}));
    cache.add_node(make_node({.name = "c1", .zone = "c"}));
    CHECK(cache.slot("c1") != BERTH_NO_SLOT);
    cache.remove_node("c1");
    CHECK(cache.slot("c1") == BERTH_NO_SLOT);
    CHECK(cache.slot("a1") == slot(nodes, "a1"));
    cache.snapshot();
    CHECK(order(nodes) == "a1 a2");
}

TEST_CASE("cluster: a slot is its node's for life, and its generation never goes back", "[cluster]") {
    Cache cache;
    for (auto name : {"a", "b", "c"}) cache.add_node(make_node({.name = name}));
    const auto &nodes = cache.snapshot();
    auto b = slot(nodes, "b");
    auto generation = nodes.slot_generation[b];
    cache.remove_node("a");
    cache.snapshot();
    CHECK(slot(nodes, "b") == b);
    CHECK(nodes.slot_generation[b] == generation);
    cache.remove_node("b");
    cache.snapshot();
    cache.add_node(make_node({.name = "d"}));
    cache.snapshot();
    CHECK(slot(nodes, "d") == b);
    CHECK(nodes.slot_generation[b] > generation);
    CHECK(nodes.slots == 3);
}

TEST_CASE("cluster: a snapshot of an unchanged cluster is the same snapshot", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto id = cache.snapshot().snapshot_id;
    cache.declare_column(BERTH_COLUMN_NODE_LABEL, "x");
    CHECK(cache.snapshot().snapshot_id == id);
    cache.assume(make_pod({.uid = "1", .node = "a"}));
    CHECK(cache.snapshot().snapshot_id != id);
}

TEST_CASE("cluster: a column declared inside a cycle is filled and moves nothing else", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .labels = {{"disk", "ssd"}}}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .scalars = {{"x/y", 3}}}));
    auto disk = cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk");
    auto nodes = cache.snapshot();
    auto before = column(nodes, disk);
    auto gpu = cache.declare_column(BERTH_COLUMN_NODE_REQUESTED, "x/y");
    CHECK(gpu != disk);
    CHECK(cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk") == disk);
    CHECK(static_cast<const std::int64_t *>(column(nodes, gpu).data)[0] == 3);
    CHECK(column(nodes, disk).data == before.data);
    CHECK(column(nodes, disk).dict == before.dict);
    CHECK(cache.snapshot().requested_cpu == nodes.requested_cpu);
    CHECK(cache.declare_column(99, "") == 0);
    CHECK_FALSE(
        berth_valid(std::vector{column(nodes, cache.declare_column(BERTH_COLUMN_NODE_LABEL, "none"))}.data(), 0));
}

TEST_CASE("cluster: a column is asked for by the table of its kind, and a short struct is not overrun", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto id = cache.declare_column(BERTH_COLUMN_NODE_TAINTS, "a key that means nothing here");
    CHECK(cache.declare_column(BERTH_COLUMN_NODE_TAINTS, "") == id);
    const auto &nodes = cache.snapshot();
    berth_column out{};
    out.struct_size = sizeof out;
    CHECK(model::look_ups(*nodes.pods).column(id, &out) == BERTH_STATUS_NOT_FOUND);
    CHECK(model::look_ups(nodes).column(id + 1, &out) == BERTH_STATUS_NOT_FOUND);
    CHECK(model::look_ups(nodes).column(0, &out) == BERTH_STATUS_NOT_FOUND);
    out.struct_size = offsetof(berth_column, dict);
    out.dict_len = 12345;
    CHECK(model::look_ups(nodes).column(id, &out) == BERTH_STATUS_SUCCESS);
    CHECK(out.struct_size == offsetof(berth_column, dict));
    CHECK(out.type == BERTH_COLUMN_TYPE_CODES);
    CHECK(out.dict_len == 12345);
}

TEST_CASE("cluster: a port that two pods use stays used when one of them goes", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto id = cache.declare_column(BERTH_COLUMN_NODE_PORTS, "");
    cache.add_pod(make_pod({.uid = "1", .node = "a", .ports = {80, 443}}));
    cache.add_pod(make_pod({.uid = "2", .node = "a", .ports = {80}}));
    const auto &nodes = cache.snapshot();
    cache.remove_pod(*make_pod({.uid = "1"}));
    CHECK(ports(nodes, id, 0) == std::vector{80});
    cache.remove_pod(*make_pod({.uid = "2"}));
    CHECK(ports(nodes, id, 0).empty());
}

TEST_CASE("cluster: an image keeps the size that was seen first until no node lists it", "[cluster]") {
    Cache cache;
    auto id = cache.declare_column(BERTH_COLUMN_NODE_IMAGES, "");
    auto image = [&](std::string_view name) {
        const auto &nodes = cache.snapshot();
        auto c = column(nodes, id);
        REQUIRE(berth_valid(&c, slot(nodes, name)));
        auto range = c.offsets[slot(nodes, name)];
        REQUIRE(range.end - range.begin == 1);
        const auto &entry =
            static_cast<const berth_image *>(c.dict)[static_cast<const std::uint32_t *>(c.data)[range.begin]];
        return std::pair{entry.size_bytes, entry.node_count};
    };
    cache.add_node(make_node({.name = "a", .images = {{{"nginx", "nginx"}, 10}}}));
    cache.add_node(make_node({.name = "b", .images = {{{"nginx"}, 20}}}));
    CHECK(image("b") == std::pair{std::int64_t{10}, 2u});
    cache.remove_node("a");
    CHECK(image("b") == std::pair{std::int64_t{10}, 1u});
    cache.update_node(make_node({.name = "b", .images = {{{"nginx"}, 20}}}));
    CHECK(image("b") == std::pair{std::int64_t{20}, 1u});
}

TEST_CASE("cluster: an event's table shows the node it is given with the pods of now, in the snapshot's codes",
          "[cluster]") {
    Cache cache;
    auto id = cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk");
    cache.add_node(make_node({.name = "x", .labels = {{"disk", "hdd"}}}));
    auto old = make_node({.name = "a", .cpu = 1, .labels = {{"disk", "ssd"}}});
    cache.add_node(old);
    cache.add_pod(make_pod({.uid = "1", .node = "a", .cpu = 40}));
    auto now = make_node({.name = "a", .cpu = 2, .labels = {{"disk", "hdd"}}});
    cache.update_node(now);
    const auto &before = cache.one_node(0, *old);
    const auto &after = cache.one_node(1, *now);
    CHECK(before.slots == 1);
    CHECK(before.allocatable_cpu[0] == 1);
    CHECK(after.allocatable_cpu[0] == 2);
    CHECK(before.requested_cpu[0] == 40);
    CHECK(pods_on(after, 0) == 1);
    CHECK(slot(after, "a") == 0);
    CHECK(order(before) == "a");
    const auto &nodes = cache.snapshot();
    auto code = [&](const berth_nodes &table, std::uint32_t at) {
        return static_cast<const std::uint32_t *>(column(table, id).data)[at];
    };
    CHECK(code(before, 0) != code(after, 0));
    CHECK(code(after, 0) == code(nodes, slot(nodes, "x")));
    auto stranger = make_node({.name = "stranger"});
    CHECK(cache.one_node(0, *stranger).pod_count[0] == 0);
}

TEST_CASE("cluster: what columns and dictionaries take is known without a walk", "[cluster]") {
    Cache cache;
    const auto columns = cache.column_bytes(), dictionaries = cache.dictionary_bytes();
    constexpr std::size_t nodes = 1000;
    for (std::size_t i = 0; i < nodes; ++i) cache.add_node(make_node({.name = "node-" + std::to_string(i)}));
    cache.snapshot();
    const auto with_nodes = cache.column_bytes();
    CHECK(with_nodes > columns + nodes * 100);
    cache.declare_column(BERTH_COLUMN_NODE_LABEL, "rack");
    CHECK(cache.column_bytes() >= with_nodes + nodes * sizeof(std::uint32_t));
    // Labels that nobody else has: each set is kept as long as its pod is there, and a few longer.
    const auto before = cache.dictionary_bytes();
    CHECK(before >= dictionaries);
    std::size_t most = 0;
    for (std::size_t i = 0; i < 20 * nodes; ++i) {
        const auto pod = make_pod({.uid = std::to_string(i), .node = "node-0", .labels = {{"job", std::to_string(i)}}});
        cache.add_pod(pod);
        if (i < 5000) continue;
        if (i == 5000) most = cache.dictionary_bytes();
        cache.remove_pod(*make_pod({.uid = std::to_string(i - 5000), .node = "node-0"}));
        if (i % 100 == 0) cache.snapshot();
    }
    CHECK(most > before + 5000 * sizeof(berth_label_set));
    CHECK(cache.dictionary_bytes() < 2 * most);
    for (std::size_t i = 15 * nodes - 1; i < 20 * nodes; ++i)
        cache.remove_pod(*make_pod({.uid = std::to_string(i), .node = "node-0"}));
    cache.snapshot();
    CHECK(cache.dictionary_bytes() < before + (most - before) / 2);
}
