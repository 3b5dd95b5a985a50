// SPDX-License-Identifier: Apache-2.0
// Columns that are asked for in passing: what a pod may name and what that may cost.
#include "cluster/cache.h"
#include "cluster/declarations.h"
#include "cluster_world.h"

#include "catch.h"
#include "model/look_ups.h"

#include <malloc.h>
#include <random>

using namespace berth;
using namespace berth::cluster_test;
using cluster::Cache;
using cluster::Declarations;

namespace {

std::optional<berth_column> column(const berth_nodes &nodes, std::uint32_t id) {
    berth_column out{};
    out.struct_size = sizeof out;
    if (model::look_ups(nodes).column(id, &out) != BERTH_STATUS_SUCCESS) return std::nullopt;
    return out;
}

bool absent(const berth_nodes &nodes, std::uint32_t id) {
    auto c = column(nodes, id);
    REQUIRE(c);
    return (c->flags & BERTH_FLAG_COLUMN_ABSENT) != 0;
}

/// The label of a node as a column has it; nothing if it has none.
std::optional<std::string> text(const berth_nodes &nodes, std::uint32_t id, std::string_view node) {
    auto c = column(nodes, id);
    REQUIRE(c);
    auto slot = model::find_node(nodes, model::to_str(node));
    REQUIRE(slot < c->rows);
    if (!berth_valid(&*c, slot)) return std::nullopt;
    auto code = static_cast<const std::uint32_t *>(c->data)[slot];
    return std::string(model::view(static_cast<const berth_str *>(c->dict)[code]));
}

bool valid(const berth_nodes &nodes, std::uint32_t id, std::uint32_t slot) {
    auto c = column(nodes, id);
    REQUIRE(c);
    return berth_valid(&*c, slot) != 0;
}

std::int64_t number(const berth_nodes &nodes, std::uint32_t id, std::uint32_t slot) {
    auto c = column(nodes, id);
    REQUIRE(c);
    return static_cast<const std::int64_t *>(c->data)[slot];
}

std::string made_up(int i) { return "x.example/made-up-" + std::to_string(i); }

/// Another attempt.
void next(Cache &cache) {
    cache.end_attempt();
    cache.begin_attempt();
}

}  // namespace

// promise(tenant): A label, annotation or resource name that no node has takes no memory, regardless of the number of
// pods that name it.
TEST_CASE("asked columns: all keys that no node has share one column, and no key takes memory", "[cluster]") {
    Cache cache;
    for (int i = 0; i < 100; ++i) cache.add_node(make_node({.name = "n" + std::to_string(i)}));
    cache.add_pod(make_pod({.uid = "1", .node = "n1", .scalars = {{made_up(1), 5}}}));
    const auto &nodes = cache.snapshot();
    cache.begin_attempt();
    std::vector<std::uint32_t> ids;
    const std::vector<std::uint32_t> kinds{BERTH_COLUMN_NODE_LABEL, BERTH_COLUMN_NODE_ANNOTATION,
                                           BERTH_COLUMN_NODE_ALLOCATABLE, BERTH_COLUMN_NODE_REQUESTED};
    for (auto kind : kinds) ids.push_back(cache.ask_column(kind, made_up(0)));
    const auto before = mallinfo2().uordblks;
    bool all = true;
    for (int i = 1; i < 10'000; ++i)
        for (std::size_t k = 0; k < kinds.size(); ++k) all = all && cache.ask_column(kinds[k], made_up(i)) == ids[k];
    CHECK(all);
    CHECK(mallinfo2().uordblks < before + 4096);
    for (auto id : ids) CHECK(absent(nodes, id));
    auto slot = model::find_node(nodes, model::to_str("n1"));
    for (std::size_t k = 0; k < 3; ++k) CHECK_FALSE(valid(nodes, ids[k], slot));
    // What is requested of a resource that no node offers is not counted.
    CHECK(number(nodes, ids[2], slot) == 0);
    CHECK(number(nodes, ids[3], slot) == 0);
    CHECK(valid(nodes, ids[3], slot));
    // Nodes that come later are in it.
    cache.end_attempt();
    for (int i = 0; i < 100; ++i) cache.add_node(make_node({.name = "m" + std::to_string(i)}));
    (void)cache.snapshot();
    cache.begin_attempt();
    for (auto kind : kinds) CHECK(absent(nodes, cache.ask_column(kind, made_up(1))));
    CHECK(column(nodes, ids[0])->rows == 200);
}

TEST_CASE("asked columns: every node offers cpu, memory, ephemeral storage and pods", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .cpu = 4000, .pods = 7}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .cpu = 300}));
    const auto &nodes = cache.snapshot();
    CHECK(number(nodes, cache.ask_column(BERTH_COLUMN_NODE_ALLOCATABLE, "pods"), 0) == 7);
    CHECK(number(nodes, cache.ask_column(BERTH_COLUMN_NODE_REQUESTED, "cpu"), 0) == 300);
}

TEST_CASE("asked columns: a column that an instance holds stays right when the first node with its key comes",
          "[cluster]") {
    Cache cache;
    auto label = cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk");
    auto offered = cache.declare_column(BERTH_COLUMN_NODE_ALLOCATABLE, "x/y");
    auto asked = cache.declare_column(BERTH_COLUMN_NODE_REQUESTED, "x/y");
    cache.add_node(make_node({.name = "a"}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .scalars = {{"x/y", 2}}}));
    const auto &nodes = cache.snapshot();
    cache.begin_attempt();
    CHECK_FALSE(absent(nodes, label));
    CHECK(cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk") == label);
    CHECK(number(nodes, asked, 0) == 2);
    for (int i = 0; i < 3000; ++i) next(cache);
    cache.end_attempt();
    cache.add_node(make_node({.name = "b", .labels = {{"disk", "ssd"}}, .scalars = {{"x/y", 8}}}));
    (void)cache.snapshot();
    CHECK(text(nodes, label, "b") == "ssd");
    CHECK(number(nodes, offered, model::find_node(nodes, model::to_str("b"))) == 8);
    CHECK(number(nodes, asked, 0) == 2);
}

TEST_CASE("asked columns: a key that comes to a node is there in the next attempt, and one that goes is absent",
          "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    const auto &nodes = cache.snapshot();
    cache.begin_attempt();
    CHECK(absent(nodes, cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk")));
    cache.end_attempt();
    auto keys = nodes.label_keys_version;
    cache.update_node(make_node({.name = "a", .annotations = {{"note", "1"}}, .scalars = {{"x/y", 8}}}));
    CHECK(cache.snapshot().label_keys_version == keys);
    cache.update_node(make_node({.name = "a", .labels = {{"disk", "ssd"}}}));
    CHECK(cache.snapshot().label_keys_version > keys);
    keys = nodes.label_keys_version;
    cache.begin_attempt();
    auto disk = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk");
    CHECK(text(nodes, disk, "a") == "ssd");
    CHECK(absent(nodes, cache.ask_column(BERTH_COLUMN_NODE_ALLOCATABLE, "x/y")));
    cache.end_attempt();
    cache.update_node(make_node({.name = "a", .labels = {{"disk", "hdd"}}}));
    CHECK(cache.snapshot().label_keys_version == keys);
    cache.begin_attempt();
    CHECK(cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk") == disk);
    CHECK(text(nodes, disk, "a") == "hdd");
    cache.end_attempt();
    cache.remove_node("a");
    cache.add_node(make_node({.name = "b"}));
    CHECK(cache.snapshot().label_keys_version > keys);
    cache.begin_attempt();
    CHECK_FALSE(column(nodes, disk));  // freed
    CHECK(absent(nodes, cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk")));
}

TEST_CASE("asked columns: an id is good for its attempt, and never means another column", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .labels = {{"disk", "ssd"}, {"zone", "z"}}}));
    const auto &nodes = cache.snapshot();
    cache.begin_attempt();
    auto disk = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk");
    for (int i = 0; i < 2000; ++i) (void)cache.ask_column(BERTH_COLUMN_POD_LABEL, made_up(i));
    CHECK(text(nodes, disk, "a") == "ssd");
    next(cache);
    CHECK_FALSE(column(nodes, disk));  // too many were asked for after it
    disk = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk");
    for (std::uint64_t i = 0; i < Declarations::idle; ++i) {
        next(cache);
        CHECK(text(nodes, cache.ask_column(BERTH_COLUMN_NODE_LABEL, "zone"), "a") == "z");
    }
    CHECK(text(nodes, disk, "a") == "ssd");  // nobody has asked for it all the time
    next(cache);
    CHECK_FALSE(column(nodes, disk));
    for (int i = 0; i < 10; ++i) (void)cache.ask_column(BERTH_COLUMN_NODE_FIELD, "/" + made_up(i));
    CHECK_FALSE(column(nodes, disk));
    CHECK(cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk") != disk);
    CHECK(cache.ask_column(99, "disk") == 0);
}

// promise(tenant): The number of columns for pods' labels and for fields is bounded; beyond it, plugins read the
// objects.
TEST_CASE("asked columns: each attempt gets a limited number of columns for pods' labels and fields", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .labels = {{"disk", "ssd"}}}));
    cache.add_pod(make_pod({.uid = "1", .node = "a", .labels = {{made_up(3), "yes"}}}));
    const auto &nodes = cache.snapshot();
    std::uint32_t kept = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        next(cache);
        std::size_t got = 0;
        std::vector<std::uint32_t> ids;
        for (int i = 0; i < 3000; ++i)
            ids.push_back(cache.ask_column(BERTH_COLUMN_POD_LABEL, made_up(i + 3 * attempt)));
        for (auto id : ids) got += id != 0;
        CHECK(got == Declarations::most);
        for (std::size_t i = 0; i < got; ++i) {
            berth_column c{};
            c.struct_size = sizeof c;
            REQUIRE(model::look_ups(*nodes.pods).column(ids[i], &c) == BERTH_STATUS_SUCCESS);
            CHECK(berth_valid(&c, 0) == (i + 3 * static_cast<std::size_t>(attempt) == 3));
        }
        CHECK(cache.ask_column(BERTH_COLUMN_NODE_FIELD, "/spec") == 0);
        // A key that nodes have is never too many.
        CHECK(text(nodes, cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk"), "a") == "ssd");
        kept = ids.front();
    }
    // Between two attempts the last ones that were asked for are good.
    cache.end_attempt();
    std::vector<std::uint32_t> ids;
    for (int i = 0; i < 3000; ++i) ids.push_back(cache.ask_column(BERTH_COLUMN_POD_LABEL, made_up(i)));
    berth_column c{};
    c.struct_size = sizeof c;
    for (std::size_t i = 0; i < ids.size(); ++i)
        CHECK((model::look_ups(*nodes.pods).column(ids[i], &c) == BERTH_STATUS_SUCCESS) ==
              (i >= ids.size() - Declarations::most));
    CHECK(model::look_ups(*nodes.pods).column(kept, &c) == BERTH_STATUS_NOT_FOUND);
}

TEST_CASE("asked columns: one that is released goes as those that were asked for do", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a", .labels = {{"disk", "ssd"}}}));
    const auto &nodes = cache.snapshot();
    auto disk = cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk");
    CHECK(cache.declare_column(BERTH_COLUMN_NODE_LABEL, "disk") == disk);
    cache.release_column(disk);
    for (std::uint64_t i = 0; i < 2 * Declarations::idle; ++i) next(cache);
    CHECK(text(nodes, disk, "a") == "ssd");
    CHECK(cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk") == disk);
    cache.release_column(disk);
    CHECK(text(nodes, disk, "a") == "ssd");  // the attempt at hand has asked for it
    for (std::uint64_t i = 0; i <= Declarations::idle; ++i) next(cache);
    CHECK_FALSE(column(nodes, disk));
    // What stands for all others is nobody's to release.
    auto none = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "none");
    cache.release_column(none);
    cache.release_column(none);
    CHECK(absent(nodes, none));
    cache.release_column(4711);
}

TEST_CASE("asked columns: an event's tables know which are gone", "[cluster]") {
    Cache cache;
    auto node = make_node({.name = "a", .labels = {{"disk", "ssd"}}}), bare = make_node({.name = "a"});
    cache.add_node(node);
    (void)cache.snapshot();
    auto disk = cache.ask_column(BERTH_COLUMN_NODE_LABEL, "disk");
    CHECK(text(cache.one_node(0, *node), disk, "a") == "ssd");
    CHECK(text(cache.one_node(1, *bare), disk, "a") == std::nullopt);
    CHECK(absent(cache.one_node(0, *node), cache.ask_column(BERTH_COLUMN_NODE_LABEL, "none")));
    cache.update_node(bare);
    (void)cache.snapshot();
    next(cache);
    CHECK_FALSE(column(cache.one_node(0, *node), disk));
    // The place of the one that is gone is used again, in all tables.
    auto name = cache.ask_column(BERTH_COLUMN_NODE_FIELD, "/spec");
    CHECK(name != disk);
    CHECK(column(cache.one_node(0, *node), name)->type == BERTH_COLUMN_TYPE_VALUE);
    CHECK(cache.one_node(1, *node).label_keys_version == cache.snapshot().label_keys_version);
}

TEST_CASE("asked columns: whatever nodes and attempts do, what is asked for says what the nodes say", "[cluster]") {
    const auto seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    Cache cache;
    std::map<std::string, Texts> truth;
    std::map<std::string, std::uint32_t> held;
    for (int step = 0; step < 4000; ++step) {
        auto name = "n" + std::to_string(below(12));
        if (below(3) == 0) {
            cache.remove_node(name);
            truth.erase(name);
        } else {
            Texts labels;
            for (unsigned i = below(4); i > 0; --i) labels["k" + std::to_string(below(700))] = std::to_string(below(3));
            cache.add_node(make_node({.name = name, .labels = labels}));
            truth[name] = labels;
        }
        if (below(200) == 0) held["k" + std::to_string(below(700))] = 0;
        for (auto &[key, id] : held)
            if (id == 0) id = cache.declare_column(BERTH_COLUMN_NODE_LABEL, key);
        if (!held.empty() && below(50) == 0) {
            cache.release_column(held.begin()->second);
            held.erase(held.begin());
        }
        cache.begin_attempt();
        const auto &nodes = cache.snapshot();
        auto asked = held;
        // Some of what nodes have, and some of what only pods name.
        for (const auto &[node, labels] : truth)
            for (const auto &[key, value] : labels)
                if (below(2)) asked[key] = cache.ask_column(BERTH_COLUMN_NODE_LABEL, key);
        for (unsigned i = below(4) == 0 ? 600 : 3; i > 0; --i) {
            auto key = "k" + std::to_string(below(700));
            asked[key] = cache.ask_column(BERTH_COLUMN_NODE_LABEL, key);
            (void)cache.ask_column(BERTH_COLUMN_POD_ANNOTATION, key);
        }
        bool right = true;
        for (const auto &[key, id] : asked)
            for (const auto &[node, labels] : truth) {
                auto at = labels.find(key);
                auto wanted = at == labels.end() ? std::nullopt : std::optional(at->second);
                right = right && text(nodes, id, node) == wanted;
            }
        REQUIRE(right);
        cache.end_attempt();
    }
}
