// SPDX-License-Identifier: Apache-2.0
// What a plugin has kept of a snapshot's arrays, while the cycle goes on.
#include "cluster/node_simulation.h"
#include "cluster_world.h"

#include "catch.h"
#include "model/look_ups.h"

#include <random>
#include <set>

using namespace berth;
using namespace berth::cluster_test;
using cluster::Cache;
using cluster::NodeSimulation;

namespace {

std::string str(const berth_str &s) { return std::string{model::view(s)}; }

std::string str(const berth_label_set &set) {
    std::string out;
    for (std::uint64_t i = 0; i < set.len; ++i) out += str(set.labels[i].key) + "=" + str(set.labels[i].value) + ",";
    return out;
}

template <class T, class F>
std::string entries(const T *dictionary, const std::uint64_t *generations, std::uint64_t n, F text) {
    std::string out;
    for (std::uint64_t code = 0; code < n; ++code)
        out += text(dictionary[code]) + "#" + std::to_string(generations[code]) + " ";
    return out;
}

/// The columns that a plugin declared.
struct Ids {
    std::uint32_t ports, app, images;

    explicit Ids(Cache &cache)
        : ports(cache.declare_column(BERTH_COLUMN_NODE_PORTS, "")),
          app(cache.declare_column(BERTH_COLUMN_POD_LABEL, "app")),
          images(cache.declare_column(BERTH_COLUMN_POD_IMAGES, "")) {}
};

/// A plugin that copies the structs and reads the arrays later, without another call of the host.
class Reader {
    berth_nodes nodes_;
    berth_pods pods_;
    berth_column ports_{}, app_{}, images_{};
    std::vector<std::pair<const std::uint32_t *, std::uint64_t>> rows_;  // by slot

    static std::string ports(const berth_column &c, std::uint32_t slot) {
        std::string out;
        for (auto i = c.offsets[slot].begin; i < c.offsets[slot].end; ++i)
            out += std::to_string(
                       static_cast<const berth_port *>(c.dict)[static_cast<const std::uint32_t *>(c.data)[i]].port) +
                   " ";
        return out;
    }
    std::string pod(std::uint32_t row) const {
        auto out = str(pods_.namespaces[pods_.namespace_code[row]]) + " " +
                   str(pods_.label_sets[pods_.label_set_code[row]]) + " ";
        if (berth_valid(&app_, row))
            out += str(static_cast<const berth_str *>(app_.dict)[static_cast<const std::uint32_t *>(app_.data)[row]]);
        for (auto i = images_.offsets[row].begin; i < images_.offsets[row].end; ++i)
            out +=
                " " +
                str(static_cast<const berth_str *>(images_.dict)[static_cast<const std::uint32_t *>(images_.data)[i]]);
        return out + ";";
    }

public:
    Reader(const berth_nodes &nodes, const Ids &ids) : nodes_(nodes), pods_(*nodes.pods) {
        auto get = [](auto &&look_ups, std::uint32_t id, berth_column &out) {
            out.struct_size = sizeof out;
            REQUIRE(look_ups.column(id, &out) == BERTH_STATUS_SUCCESS);
        };
        get(model::look_ups(nodes), ids.ports, ports_);
        get(model::look_ups(pods_), ids.app, app_);
        get(model::look_ups(pods_), ids.images, images_);
        for (std::uint32_t slot = 0; slot < nodes.slots; ++slot) {
            const std::uint32_t *rows = nullptr;
            auto n = model::look_ups(pods_).pods_of(slot, &rows);
            rows_.emplace_back(rows, n);
        }
    }

    /// All entries of all dictionaries.
    std::string dictionaries() const {
        return entries(pods_.namespaces, pods_.namespace_generation, pods_.namespaces_len,
                       [](const auto &s) { return str(s); }) +
               entries(pods_.label_sets, pods_.label_set_generation, pods_.label_sets_len,
                       [](const auto &s) { return str(s); }) +
               entries(static_cast<const berth_port *>(ports_.dict), ports_.dict_generation, ports_.dict_len,
                       [](const auto &p) { return std::to_string(p.port); }) +
               entries(static_cast<const berth_str *>(app_.dict), app_.dict_generation, app_.dict_len,
                       [](const auto &s) { return str(s); }) +
               entries(static_cast<const berth_str *>(images_.dict), images_.dict_generation, images_.dict_len,
                       [](const auto &s) { return str(s); });
    }
    std::string node(std::uint32_t slot) const {
        std::string out = std::to_string(nodes_.requested_cpu[slot]) + " " + std::to_string(nodes_.pod_count[slot]) +
                          " " + ports(ports_, slot) + ": ";
        for (std::uint64_t i = 0; i < rows_[slot].second; ++i) out += pod(rows_[slot].first[i]);
        return out;
    }
    std::string ports(std::uint32_t slot) const { return ports(ports_, slot); }
    std::vector<std::uint32_t> port_codes(std::uint32_t slot) const {
        const auto *codes = static_cast<const std::uint32_t *>(ports_.data);
        return {codes + ports_.offsets[slot].begin, codes + ports_.offsets[slot].end};
    }
    std::string all() const {
        auto out = dictionaries();
        for (std::uint32_t slot = 0; slot < nodes_.slots; ++slot) out += "\n" + node(slot);
        return out;
    }
};

class Cluster {
    int number_ = 0;

public:
    static constexpr unsigned node_count = 4;
    std::mt19937 random;
    Cache cache;
    Ids ids{cache};

    explicit Cluster(unsigned seed) : random(seed) {
        for (unsigned i = 0; i < node_count; ++i) cache.add_node(make_node({.name = "n" + std::to_string(i)}));
        for (unsigned i = 0; i < 3 * node_count; ++i) cache.add_pod(pod("n" + std::to_string(i % node_count)));
    }
    /// All its values are new.
    model::PodPtr pod(const std::string &node) {
        const auto n = std::to_string(++number_);
        return make_pod({.uid = n,
                         .node = node,
                         .name_space = "namespace-" + n,
                         .labels = {{"app", "app-" + n}, {"x", n}},
                         .images = {"image-" + n, "other-image-" + n},
                         .ports = {number_, number_ + 10'000}});
    }
    /// Takes some of the node's pods, and puts one of these back.
    void take(NodeSimulation &simulation) {
        const std::uint32_t *rows = nullptr;
        auto count = model::look_ups(*cache.snapshot().pods).pods_of(simulation.slot(), &rows);
        const std::vector<std::uint32_t> before(rows, rows + count);
        for (auto row : before)
            if (random() % 2 != 0) REQUIRE(simulation.take(row));
        for (auto row : before)
            if (simulation.give_back(row)) break;
    }
    void put(NodeSimulation &simulation, unsigned n, std::vector<model::PodPtr> &guests) {
        for (; n > 0; --n) {
            guests.push_back(pod("n" + std::to_string(simulation.slot())));
            simulation.put(*guests.back());
        }
    }
};

}  // namespace

TEST_CASE("kept arrays: what a plugin has kept says the same while and after a node has other pods", "[cluster]") {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        INFO("seed " << seed);
        Cluster world(seed);
        auto &cache = world.cache;
        cache.reserve(60);
        cache.begin_attempt();
        const auto &nodes = cache.snapshot();
        const Reader kept(nodes, world.ids);
        const auto before = kept.all(), dictionaries = kept.dictionaries();
        for (int i = 0; i < 8; ++i) {
            const auto slot = static_cast<std::uint32_t>(world.random() % Cluster::node_count);
            const auto other = (slot + 1) % Cluster::node_count;
            const auto of_other = kept.node(other), ports = kept.ports(slot);
            std::vector<model::PodPtr> guests;
            std::vector<Reader> within;
            {
                NodeSimulation outer(cache, slot);
                world.take(outer);
                for (int k = 0; k < 3; ++k) {
                    world.put(outer, static_cast<unsigned>(world.random() % 8), guests);
                    within.emplace_back(cache.snapshot(), world.ids);
                }
                const auto of_outer = within.back().ports(slot), shown = within.back().dictionaries();
                {
                    NodeSimulation inner(cache, slot);
                    world.take(inner);
                    world.put(inner, 20, guests);
                    REQUIRE(within.back().dictionaries() == shown);
                }
                REQUIRE(within.back().ports(slot) == of_outer);
                REQUIRE(kept.dictionaries() == dictionaries);
                REQUIRE(kept.node(other) == of_other);
                for (const auto &reader : within) REQUIRE(reader.node(other) == of_other);
            }
            REQUIRE(kept.all() == before);
            // Also arrays that came while the node had other pods.
            for (const auto &reader : within) {
                REQUIRE(reader.ports(slot) == ports);
                REQUIRE(reader.node(other) == of_other);
            }
        }
        cache.end_attempt();
    }
}

TEST_CASE("kept arrays: a list that a plugin has kept is one that the row had, while a node has other pods",
          "[cluster]") {
    Cluster world(1);
    auto &cache = world.cache;
    cache.reserve(60);
    cache.begin_attempt();
    const auto &nodes = cache.snapshot();
    const Reader kept(nodes, world.ids);
    std::set<std::vector<std::uint32_t>> lists{kept.port_codes(0)};
    std::vector<model::PodPtr> guests;
    NodeSimulation simulation(cache, 0);
    for (int i = 0; i < 60; ++i) {
        world.put(simulation, 1, guests);
        lists.insert(Reader(nodes, world.ids).port_codes(0));
        REQUIRE(lists.contains(kept.port_codes(0)));
    }
    CHECK(lists.size() == 61);
}

TEST_CASE("kept arrays: what a plugin has kept outlives a pod that is assumed, until the attempt ends", "[cluster]") {
    Cluster world(1);
    auto &cache = world.cache;
    cache.begin_attempt();
    const Reader kept(cache.snapshot(), world.ids);
    const auto before = kept.dictionaries(), of_other = kept.node(1);
    std::vector<model::PodPtr> assumed;
    for (int i = 0; i < 100; ++i) {
        assumed.push_back(world.pod("n0"));
        cache.assume(assumed.back());
    }
    const Reader reserving(cache.snapshot(), world.ids);
    const auto with_assumed = reserving.dictionaries();
    CHECK(with_assumed.size() > before.size());
    for (const auto &pod : assumed) cache.forget(*pod);
    // Now most codes have no row, but they keep their values until the attempt has ended.
    const Reader after(cache.snapshot(), world.ids);
    CHECK(after.dictionaries() == with_assumed);
    CHECK(reserving.dictionaries() == with_assumed);
    CHECK(kept.dictionaries() == before);
    CHECK(kept.node(1) == of_other);
    cache.end_attempt();
    cache.add_pod(world.pod("n0"));
    cache.begin_attempt();
    CHECK(Reader(cache.snapshot(), world.ids).dictionaries().size() < with_assumed.size() / 2);
    cache.end_attempt();
}

// promise(tenant): The memory that one attempt takes to add pods to nodes in dry runs does not grow with the number of
// dry runs.
TEST_CASE("kept arrays: an attempt with many simulations takes little memory, and frees it at its end", "[cluster]") {
    Cluster world(1);
    auto &cache = world.cache;
    for (int i = 0; i < 60; ++i) cache.add_pod(world.pod("n0"));
    cache.reserve(10);
    std::vector<model::PodPtr> guests;
    for (int i = 0; i < 10; ++i) guests.push_back(world.pod("n0"));
    cache.begin_attempt();
    const std::uint32_t *rows = nullptr;
    auto n = model::look_ups(*cache.snapshot().pods).pods_of(0, &rows);
    const std::vector<std::uint32_t> all(rows, rows + n);
    const auto before = cache.column_bytes();
    std::size_t most = 0, settled = 0;
    for (int i = 0; i < 200; ++i) {
        NodeSimulation simulation(cache, 0);
        for (auto row : all) REQUIRE(simulation.take(row));
        for (const auto &guest : guests) {
            simulation.put(*guest);
            REQUIRE(simulation.give_back(all[static_cast<std::size_t>(&guest - guests.data())]));
        }
        most = std::max(most, cache.column_bytes());
        if (i == 10) settled = most;
    }
    CHECK(most > before);
    CHECK(most == settled);
    const auto within = cache.column_bytes();
    cache.end_attempt();
    CHECK(cache.column_bytes() < within);
}
