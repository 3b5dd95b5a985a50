// SPDX-License-Identifier: Apache-2.0
// What is known of earlier searches for devices is what a search finds: random pools, in which uses of devices and
// labels of nodes come and go.
#include "catch.h"

#include "decode/document.h"
#include "known_allocations.h"

#include <algorithm>
#include <deque>
#include <random>

using namespace kubernetes;
using namespace kubernetes::devices;

namespace {

class All : public Selectors {
public:
    Selected select(const std::string &, const Slice &, const Device &) const override { return {true}; }
};

class World {
    std::deque<berth::decode::Document> documents_;
    std::mt19937 random_;
    std::vector<SlicePtr> slices_;
    std::deque<Claim> claims_;
    std::vector<std::string> ids_;  ///< of devices
    std::vector<bool> labelled_;    ///< by node

public:
    static constexpr std::size_t nodes = 3;
    Rules rules{false};
    DeviceUses uses;
    KnownAllocationsByContent known;
    std::shared_ptr<const Inventory> inventory;
    Allocator::Claims wanted;
    Class plain;

    bool once_in(unsigned n) { return random_() % n == 0; }
    std::size_t below(std::size_t n) { return random_() % n; }
    berth::Value read(const std::string &text) {
        auto document = berth::decode::read_document(text, "test");
        if (!document) FAIL(document.error().text);
        documents_.push_back(std::move(*document));
        return documents_.back().value();
    }
    std::string node(std::size_t i) const { return "n" + std::to_string(i); }

    explicit World(unsigned seed) : random_(seed), labelled_(nodes), plain(Class::read("c", read("{}"))) {
        rules.counters_by_driver = once_in(2);
        rules.counter_slices_follow_node = once_in(2);
        const bool odd = once_in(2);  // there are slices that reach more than one node, or none
        for (std::size_t n = 0; n < nodes; ++n) add_pool(n, odd);
        if (odd && once_in(2))
            slice("more", "d2", "q", 1, 1 + below(2),
                  "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, "
                  "operator: In, values: [a]}]}]}, " +
                      std::string(once_in(2) ? "devices: [{name: far}]" : "devices: []"));
        inventory = std::make_shared<const Inventory>(slices_, rules);
        const auto claims = 1 + below(2);
        for (std::size_t i = 0; i < claims; ++i) {
            const char *kinds[] = {
                "exactly: {deviceClassName: c}", "exactly: {deviceClassName: c, count: 2}",
                "exactly: {deviceClassName: c, allocationMode: All}",
                "firstAvailable: [{name: x, deviceClassName: c, count: 3}, {name: y, deviceClassName: c}]"};
            claims_.push_back(
                Claim::read("ns", "claim" + std::to_string(i),
                            read("{devices: {requests: [{name: r, " + std::string(kinds[below(4)]) + "}]}}")));
            wanted.push_back(&claims_.back());
        }
    }
    void slice(const std::string &name, const std::string &driver, const std::string &pool, std::size_t generation,
               std::size_t count, const std::string &rest) {
        slices_.push_back(std::make_shared<const Slice>(Slice::read(
            name, read("{driver: " + driver + ", pool: {name: " + pool + ", generation: " + std::to_string(generation) +
                       ", resourceSliceCount: " + std::to_string(count) + "}, " + rest + "}"))));
        for (const auto &device : slices_.back()->devices) ids_.push_back(device.id);
    }
    void add_pool(std::size_t n, bool odd) {
        const auto name = node(n), pool = odd && once_in(3) ? std::string("pool") : "pool-" + name;
        const bool counted = once_in(2);
        std::string devices;
        for (std::size_t i = 0, end = 1 + below(3); i < end; ++i)
            devices += (devices.empty() ? "" : ", ") + std::string("{name: ") + name + "-" + std::to_string(i) +
                       (counted ? ", consumesCounters: [{counterSet: s, counters: {m: {value: '" +
                                      std::to_string(1 + below(2)) + "'}}}]"
                                : "") +
                       (once_in(4) ? ", allowMultipleAllocations: true" : "") + "}";
        const std::size_t slices = counted ? 2 : 1;
        if (counted)
            slice("c-" + name, "d", pool, 1, slices,
                  "nodeName: " + name + ", sharedCounters: [{name: s, counters: {m: {value: '2'}}}]");
        slice("s-" + name, odd && once_in(6) ? "d2" : "d", pool, 1, slices,
              "nodeName: " + name + ", devices: [" + devices + "]");
    }
    void change() {
        if (once_in(4)) {
            const auto n = below(nodes);
            labelled_[n] = !labelled_[n];
            return;
        }
        const auto claim = "claim " + std::to_string(below(4));
        if (once_in(2)) return uses.remove(claim);
        uses.put(claim, {DeviceUse{ids_[below(ids_.size())], once_in(4)}});
    }
    std::vector<berth_label> labels(std::size_t n) const {
        if (!labelled_[n]) return {};
        return {{berth::to_str("rack"), berth::to_str("a")}};
    }
};

std::string text_of(const std::vector<ClaimDevices> &claims, const Allocator::Claims &wanted) {
    std::string out;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        for (const auto &c : claims[i].devices) {
            const auto &alternatives = wanted[i]->demands[0].alternatives;
            const bool own = c.request >= alternatives.data() && c.request < alternatives.data() + alternatives.size();
            out +=
                c.device->id + (own ? " for " + c.request->name : " for another's") + (c.shared ? " shared; " : "; ");
        }
        for (auto one : claims[i].alternatives) out += std::to_string(one) + ",";
    }
    return out;
}

}  // namespace

TEST_CASE("devices: what is known of a node is what a search finds there") {
    const All selectors;
    std::size_t hits = 0, independent = 0;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        CAPTURE(seed);
        World w(seed);
        independent += w.inventory->nodes_are_independent();
        for (int attempt = 0; attempt < 40; ++attempt) {
            const Allocator allocator(*w.inventory, w.uses.all(), selectors, [&](auto) { return &w.plain; });
            const auto known = w.known.of("content", w.inventory, w.uses);
            std::vector<std::size_t> order{0, 1, 2};
            std::swap(order[0], order[w.below(order.size())]);
            for (const auto n : order) {
                if (w.once_in(4)) continue;
                const auto name = w.node(n);
                const auto labels = w.labels(n);
                const auto fresh = allocator.allocate({name, labels}, w.wanted, [] { return false; });
                if (!known) continue;
                if (const auto ending = known->ending(name)) {
                    ++hits;
                    REQUIRE(ending->outcome == fresh.outcome);
                    CHECK(ending->text == fresh.text);
                    CHECK(ending->steps == fresh.steps);
                    const auto found = known->found(name, w.wanted);
                    REQUIRE(found.has_value() == (fresh.outcome == Allocation::Outcome::Found));
                    if (found) CHECK(text_of(*found, w.wanted) == text_of(fresh.claims, w.wanted));
                } else if (fresh.outcome == Allocation::Outcome::Found ||
                           fresh.outcome == Allocation::Outcome::NotFound) {
                    known->keep(name, w.wanted, fresh);
                }
            }
            w.change();
        }
    }
    // The judgement is worth something only if much is known.
    CHECK(hits > 5'000);
    CHECK(independent > 250);
    CHECK(independent < 550);
}
