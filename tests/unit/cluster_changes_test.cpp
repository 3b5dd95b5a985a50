// SPDX-License-Identifier: Apache-2.0
#include "cluster/cache.h"
#include "cluster/change_log.h"
#include "cluster_world.h"

#include "catch.h"
#include "model/look_ups.h"

#include <random>

using namespace berth;
using namespace berth::cluster_test;
using cluster::Cache;

namespace {

/// What a plugin that counts would keep: who is in which row, and where; told only of changes.
struct Follower {
    struct Row {
        std::string pod;
        std::uint32_t slot = BERTH_NO_SLOT;
    };
    std::vector<Row> rows;
    std::vector<std::string> zone_of;  ///< by slot; "" where no node is
    std::map<std::string, int> counts;
    std::uint64_t seen = 0;
    std::vector<std::string> told;
    const berth_nodes *nodes = nullptr;
    int restarts = 0, phase = 0;

    std::string zone(std::uint32_t slot) const {
        if (!(nodes->node_flags[slot] & BERTH_FLAG_NODE_EXISTS)) return {};
        return std::to_string(nodes->allocatable_cpu[slot]);  // stands for a label
    }
    std::string text(std::uint32_t row) const {
        const auto *pod = model::look_ups(*nodes->pods).view_of(row);
        REQUIRE(pod);
        return std::string(model::view(pod->uid)) + "/" + std::to_string(pod->priority);
    }
    void count(const std::string &pod, std::uint32_t slot, int by) {
        auto &n = counts[pod.substr(pod.find('/')) + " in " + zone_of[slot]];
        n += by;
    }
    void removed(std::uint32_t row, const berth_pod *pod, std::uint32_t slot) {
        CHECK(phase == 0);
        auto was = std::string(model::view(pod->uid)) + "/" + std::to_string(pod->priority);
        told.push_back("- " + was);
        REQUIRE(row < rows.size());
        REQUIRE(rows[row].pod == was);
        REQUIRE(rows[row].slot == slot);
        count(was, slot, -1);
        rows[row] = {};
    }
    void changed(std::uint32_t slot) {
        CHECK(phase <= 1);
        phase = 1;
        told.push_back("node " + std::string(model::view(nodes->name[slot])));
        zone_of.resize(nodes->slots);
        auto now = zone(slot);
        if (zone_of[slot] == now) return;
        std::vector<std::string> here;
        for (const auto &row : rows)
            if (row.slot == slot) here.push_back(row.pod);
        for (const auto &pod : here) count(pod, slot, -1);
        zone_of[slot] = now;
        for (const auto &pod : here) count(pod, slot, 1);
    }
    void added(std::uint32_t row) {
        phase = 2;
        rows.resize(nodes->pods->rows);
        REQUIRE(rows[row].slot == BERTH_NO_SLOT);
        rows[row] = {text(row), nodes->pods->node_slot[row]};
        told.push_back("+ " + rows[row].pod);
        count(rows[row].pod, rows[row].slot, 1);
    }
    void restart() {
        ++restarts;
        rows.clear();
        counts.clear();
        zone_of.assign(nodes->slots, {});
        for (std::uint32_t slot = 0; slot < nodes->slots; ++slot) zone_of[slot] = zone(slot);
        rows.resize(nodes->pods->rows);
        for (std::uint32_t row = 0; row < nodes->pods->rows; ++row)
            if (nodes->pods->node_slot[row] != BERTH_NO_SLOT) added(row);
    }

    std::vector<std::string> follow(Cache &cache) {
        nodes = &cache.snapshot();
        told.clear();
        phase = 0;
        static constexpr berth_plugin_changes functions{
            sizeof functions, 0,
            [](void *ctx, std::uint32_t row, const berth_pod *pod, std::uint32_t slot) {
                static_cast<Follower *>(ctx)->removed(row, pod, slot);
            },
            [](void *ctx, std::uint32_t slot) { static_cast<Follower *>(ctx)->changed(slot); },
            [](void *ctx, std::uint32_t row) { static_cast<Follower *>(ctx)->added(row); }};
        if (!cache.changes(seen, nodes->snapshot_id, {functions, this})) restart();
        seen = nodes->snapshot_id;
        std::erase_if(counts, [](const auto &c) { return c.second == 0; });
        return told;
    }
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("changes: the first question begins the log, the next are answered from it", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    cache.add_pod(make_pod({.uid = "1", .node = "a"}));
    Follower f;
    f.follow(cache);
    CHECK(f.restarts == 1);
    CHECK(f.follow(cache).empty());
    cache.assume(make_pod({.uid = "2", .node = "a"}));
    CHECK(f.follow(cache) == Told{"node a", "+ 2/0"});
    cache.add_pod(make_pod({.uid = "2", .node = "a", .priority = 7}));
    CHECK(f.follow(cache) == Told{"- 2/0", "node a", "+ 2/7"});
    CHECK(f.restarts == 1);
}

TEST_CASE("changes: what was undone in between is not told", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    auto pod = make_pod({.uid = "1", .node = "a"});
    Follower f;
    f.follow(cache);
    cache.assume(pod);
    cache.forget(*pod);
    CHECK(f.follow(cache) == Told{"node a"});
    cache.assume(pod);
    f.follow(cache);
    cache.add_pod(pod);  // confirmed: no longer assumed, hence another version
    CHECK(f.follow(cache) == Told{"- 1/0", "node a", "+ 1/0"});
    cache.remove_node("a");
    cache.add_node(make_node({.name = "a"}));
    CHECK(f.follow(cache) == Told{"node a"});
}

TEST_CASE("changes: the pods of a node come and go with it", "[cluster]") {
    Cache cache;
    Follower f;
    f.follow(cache);
    cache.add_pod(make_pod({.uid = "1", .node = "late"}));
    CHECK(f.follow(cache) == Told{"node late"});
    cache.add_node(make_node({.name = "late"}));
    CHECK(f.follow(cache) == Told{"node late", "+ 1/0"});
    cache.remove_node("late");
    CHECK(f.follow(cache) == Told{"- 1/0", "node late"});
    cache.remove_pod(*make_pod({.uid = "1"}));
    CHECK(f.follow(cache) == Told{"node "});
    cache.add_node(make_node({.name = "next"}));  // in the slot that is free now
    CHECK(f.follow(cache) == Told{"node next"});
}

TEST_CASE("changes: a row that is used again is told of last", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    cache.add_node(make_node({.name = "b"}));
    cache.add_pod(make_pod({.uid = "1", .node = "a"}));
    Follower f;
    f.follow(cache);
    cache.remove_pod(*make_pod({.uid = "1"}));
    cache.add_pod(make_pod({.uid = "2", .node = "b"}));
    CHECK(f.follow(cache) == Told{"- 1/0", "node a", "node b", "+ 2/0"});
}

TEST_CASE("changes: too many of them, and a snapshot that is not the present one", "[cluster]") {
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    Follower f, other;
    f.follow(cache);
    other.follow(cache);
    for (std::size_t i = 0; i < cluster::ChangeLog::capacity; ++i)
        cache.add_pod(make_pod({.uid = std::to_string(i % 10), .node = "a", .priority = static_cast<int>(i)}));
    f.follow(cache);
    CHECK(f.restarts == 1);
    cache.add_pod(make_pod({.uid = "x", .node = "a"}));
    f.follow(cache);
    CHECK(f.restarts == 1);
    other.follow(cache);
    CHECK(other.restarts == 2);
    auto old = cache.snapshot().snapshot_id;
    cache.add_pod(make_pod({.uid = "y", .node = "a"}));
    const berth_plugin_changes functions{};
    CHECK_FALSE(cache.changes(old, old, {functions, nullptr}));
    CHECK_FALSE(cache.changes(old + 100, cache.snapshot().snapshot_id, {functions, nullptr}));
}

// promise(tenant): Berth keeps removed pods, so that plugins can read the changes since an earlier snapshot. The kept
// pods take at most 16 MiB in total.
TEST_CASE("changes: pods that are gone are not kept alive beyond a number of bytes", "[cluster]") {
    constexpr std::size_t megabyte = 1 << 20, pods = 200;
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    Follower f;
    f.follow(cache);
    std::vector<std::weak_ptr<const model::Pod>> gone;
    for (std::size_t i = 0; i < pods; ++i) {
        auto pod = make_pod({.uid = "1", .node = "a", .annotations = {{"large", std::string(megabyte, 'x')}}});
        gone.push_back(pod);
        cache.add_pod(pod);
        cache.remove_pod(*pod);
    }
    auto alive = std::ranges::count_if(gone, [](const auto &pod) { return !pod.expired(); });
    CHECK(alive > 7);
    CHECK(alive <= 16);
    f.follow(cache);
    CHECK(f.restarts == 2);
    cache.add_pod(make_pod({.uid = "2", .node = "a"}));
    CHECK(f.follow(cache) == Told{"node a", "+ 2/0"});
}

TEST_CASE("changes: what pods that are gone share with others counts as kept by them", "[cluster]") {
    constexpr std::size_t megabyte = 1 << 20, pods = 100;
    Cache cache;
    cache.add_node(make_node({.name = "a"}));
    Follower f;
    f.follow(cache);
    std::vector<std::weak_ptr<const model::Tree>> specs;
    for (std::size_t i = 0; i < pods; ++i) {
        auto spec = std::make_shared<model::Tree>();
        spec->root = model::make_string(spec->arena, std::string(megabyte, 'x'));
        auto tree = std::make_shared<model::Tree>();
        tree->root = spec->root;
        tree->shared[0] = spec;
        auto pod = std::const_pointer_cast<model::Pod>(make_pod({.uid = "1", .node = "a"}));
        pod->tree = tree;
        specs.emplace_back(spec);
        cache.add_pod(pod);
        cache.remove_pod(*pod);
    }
    auto alive = std::ranges::count_if(specs, [](const auto &spec) { return !spec.expired(); });
    CHECK(alive > 7);
    CHECK(alive <= 16);
}

TEST_CASE("changes: the slots that have changed are those that were touched since", "[cluster]") {
    Cache cache;
    for (const auto *name : {"a", "b", "c"}) cache.add_node(make_node({.name = name}));
    const auto slot = [&](const char *name) {
        const auto &nodes = cache.snapshot();
        return model::find_node(nodes, model::to_str(name));
    };
    const auto since = cache.snapshot().snapshot_id, order = cache.order_id();
    std::vector<std::uint32_t> slots;
    CHECK(cache.add_changed(since, slots));
    CHECK(slots.empty());
    cache.add_pod(make_pod({.uid = "1", .node = "c"}));
    cache.add_pod(make_pod({.uid = "2", .node = "a"}));
    cache.remove_pod(*make_pod({.uid = "1"}));
    CHECK(cache.add_changed(since, slots));
    CHECK(slots == std::vector{slot("c"), slot("a"), slot("c")});
    CHECK(cache.order_id() == order);
    CHECK_FALSE(cache.add_changed(cache.snapshot().snapshot_id + 1, slots));
    cache.add_node(make_node({.name = "d"}));
    CHECK(slot("d") != BERTH_NO_SLOT);
    CHECK(cache.order_id() != order);
    slots.clear();
    for (int i = 0; i < 2000; ++i) cache.add_pod(make_pod({.uid = "2", .node = "a", .priority = i}));
    CHECK_FALSE(cache.add_changed(since, slots));
    CHECK(slots.empty());
}

TEST_CASE("changes: counts that follow are those made anew, after any sequence of events", "[cluster]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(seed);
        auto below = [&](unsigned n) { return random() % n; };
        Cache cache;
        std::vector<Follower> followers(3);
        std::map<std::string, model::PodPtr> assumed;
        for (int step = 0; step < 1500; ++step) {
            auto name = "n" + std::to_string(below(6));
            auto uid = "u" + std::to_string(below(15));
            auto pod = make_pod({.uid = uid,
                                 .node = "n" + std::to_string(below(7)),
                                 .phase = below(15) ? "" : "Failed",
                                 .priority = static_cast<int>(below(3))});
            switch (below(8)) {
                case 0:
                case 1: cache.add_node(make_node({.name = name, .cpu = static_cast<int>(below(3))})); break;
                case 2: cache.remove_node(name); break;
                case 3: cache.remove_pod(*pod); break;
                case 4: cache.forget(*(assumed.contains(uid) ? assumed[uid] : pod)); break;
                case 5:
                    assumed[uid] = pod;
                    cache.assume(pod);
                    break;
                default: cache.update_pod(assumed.contains(uid) && below(2) ? assumed[uid] : pod); break;
            }
            auto &f = followers[below(40) ? 0 : 1 + below(2)];
            f.follow(cache);
            Follower anew;
            anew.nodes = &cache.snapshot();
            anew.restart();
            std::erase_if(anew.counts, [](const auto &c) { return c.second == 0; });
            REQUIRE(f.counts == anew.counts);
        }
        CHECK(followers[0].restarts == 1);
    }
}
