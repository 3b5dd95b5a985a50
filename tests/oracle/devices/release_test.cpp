// SPDX-License-Identifier: Apache-2.0
// What the allocator of devices decides otherwise as 1.37 than as 1.36. Each rule is also judged alone: with it on, and
// all others as in 1.36.
#include "catch.h"

#include "decode/document.h"
#include "devices/allocator.h"

#include <deque>
#include <limits>

using namespace kubernetes::devices;

namespace {

/// Selectors match, but for those that are faults: of each device, or all alike.
class Given : public Selectors {
public:
    Selected select(const std::string &expression, const Slice &, const Device &) const override {
        if (!expression.starts_with("CEL ")) return {true};
        return {false, expression, expression.starts_with("CEL runtime")};
    }
};

/// A node n of zone z, and classes c, and d that has a configuration.
class World {
    std::deque<berth::decode::Document> documents_;
    std::vector<SlicePtr> slices_;
    std::vector<Claim> claims_;
    Class plain_, configured_;

    berth::Value read(const std::string &text) {
        auto document = berth::decode::read_document(text, "test");
        REQUIRE(document);
        documents_.push_back(std::move(*document));
        return documents_.back().value();
    }

public:
    Uses uses;

    World()
        : plain_(Class::read("c", read("{}"))),
          configured_(Class::read("d", read(R"({"config":[{"opaque":{"driver":"of-class"}}]})"))) {}

    World &slice(const std::string &name, const std::string &rest, const std::string &driver = "a", int slices = 1) {
        slices_.push_back(std::make_shared<const Slice>(Slice::read(
            name, read("{\"driver\":\"" + driver +
                       "\",\"pool\":{\"name\":\"p\",\"generation\":1,\"resourceSliceCount\":" + std::to_string(slices) +
                       "}," + rest + "}"))));
        return *this;
    }
    World &claim(const std::string &devices) {
        claims_.push_back(
            Claim::read("ns", "claim-" + std::to_string(claims_.size()), read("{\"devices\":{" + devices + "}}")));
        return *this;
    }

    /// The devices, or what is said instead.
    std::string ask(const Rules &rules, bool as_json = false) const {
        const Inventory inventory(slices_, rules);
        const Given selectors;
        auto find_class = [&](std::string_view name) { return name == "d" ? &configured_ : &plain_; };
        const Allocator allocator(inventory, uses, selectors, find_class);
        Allocator::Claims wanted;
        for (const auto &one : claims_) wanted.push_back(&one);
        const std::vector<berth_label> labels{{berth::to_str("zone"), berth::to_str("z")}};
        const auto found = allocator.allocate({"n", labels}, wanted, [] { return false; });
        if (found.outcome == Allocation::Outcome::NotFound) return found.text.empty() ? "none" : found.text;
        if (found.outcome != Allocation::Outcome::Found) return found.text;
        std::string out;
        for (std::size_t i = 0; i < claims_.size(); ++i) {
            if (as_json)
                out += allocation_json(
                    claims_[i], found.claims[i], "n", find_class, [] { return std::string("id"); }, rules);
            else
                for (const auto &chosen : found.claims[i].devices)
                    out += (out.empty() ? "" : " ") + chosen.slice->driver + "/" + chosen.device->name;
        }
        return out;
    }
};

/// That rule alone; nullptr: none.
Rules with(bool Rules::*rule) {
    Rules out(false);
    if (rule) out.*rule = true;
    return out;
}

/// `before` without the rule, `now` with it alone and as 1.37.
void check(const World &world, bool Rules::*rule, const std::string &before, const std::string &now,
           bool as_json = false) {
    CHECK(world.ask(Rules(false), as_json) == before);
    CHECK(world.ask(with(rule), as_json) == now);
    CHECK(world.ask(Rules(true), as_json) == now);
}

const std::string one = R"("requests":[{"name":"r","exactly":{"deviceClassName":"c"}}])";
const std::string all = R"("requests":[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}])";
const std::string counters = R"("sharedCounters":[{"name":"s","counters":{"memory":{"value":"10"}}}])";

std::string request(const std::string &name, const std::string &rest, const std::string &device_class = "c") {
    return "{\"name\":\"" + name + "\",\"exactly\":{\"deviceClassName\":\"" + device_class + "\"" + rest + "}}";
}
std::string requests(const std::string &list) { return "\"requests\":[" + list + "]"; }
std::string wants(const std::string &memory) {
    return requests(request("r", R"(,"capacity":{"requests":{"memory":")" + memory + R"("}})"));
}
std::string consuming(const std::string &name, const std::string &rest = "") {
    return "{\"name\":\"" + name + R"(","consumesCounters":[{"counterSet":"s","counters":{"memory":{"value":"6"}})" +
           rest + "}]}";
}
/// A slice with a device that has a capacity.
std::string with_memory(const std::string &value, const std::string &policy = "", const std::string &name = "d") {
    return R"("nodeName":"n","devices":[{"name":")" + name +
           R"(","allowMultipleAllocations":true,"capacity":{"memory":{"value":")" + value + "\"" +
           (policy.empty() ? "" : ",\"requestPolicy\":" + policy) + "}}}]";
}
std::string range(const std::string &least, const std::string &step) {
    return R"({"default":")" + least + R"(","validRange":{"min":")" + least + R"(","step":")" + step + "\"}}";
}

}  // namespace

TEST_CASE("devices: counters are those of a driver's pool", "[devices][release]") {
    World world;
    for (const std::string driver : {"a", "b"})
        world.slice(driver + "0", R"("nodeName":"n",)" + counters, driver, 2)
            .slice(driver + "1", R"("nodeName":"n","devices":[)" + consuming("d") + "]", driver, 2);
    world.claim(requests(request("r", R"(,"count":2)")));
    check(world, &Rules::counters_by_driver, "none", "a/d b/d");
    // Those that claims have are counted once as well.
    World used;
    for (const std::string driver : {"a", "b"})
        used.slice(driver + "0", R"("nodeName":"n",)" + counters, driver, 2)
            .slice(driver + "1", R"("nodeName":"n","devices":[)" + consuming("d") + "," + consuming("e") + "]", driver,
                   2);
    used.uses[device_id("a", "p", "d")].exclusive = 1;
    used.claim(one);
    check(used, &Rules::counters_by_driver, "none", "b/d");
}

TEST_CASE("devices: shared counters reach the nodes of their slice", "[devices][release]") {
    const std::string term = R"({"matchExpressions":[{"key":"zone","operator":"In","values":["y"]}]})";
    const std::string other_zone = R"("nodeSelector":{"nodeSelectorTerms":[)" + term + "]},";
    for (const std::string &elsewhere : {std::string(R"("nodeName":"m",)"), other_zone}) {
        // The pool lacks a slice.
        World world;
        world.slice("0", elsewhere + counters, "a", 3).slice("1", R"("nodeName":"n","devices":[{"name":"d"}])", "b");
        world.claim(all);
        check(world, &Rules::counter_slices_follow_node,
              "claim ns/claim-0, request r: asks for all devices, but resource pool a/p is currently being updated",
              "b/d");
    }
    // Devices elsewhere in their pool have them all the same.
    World world;
    world.slice("0", R"("nodeName":"m",)" + counters, "a", 2)
        .slice("1", R"("nodeName":"n","devices":[)" + consuming("d") + "," + consuming("e") + "]", "a", 2);
    world.claim(one);
    check(world, &Rules::counter_slices_follow_node, "a/d", "a/d");
    world.claim(one);
    check(world, &Rules::counter_slices_follow_node, "none", "none");
}

TEST_CASE("devices: groups of compatibility are not known", "[devices][release]") {
    auto world = [](const std::string &groups, bool here) {
        World out;
        out.slice("0", R"("nodeName":"n",)" + counters, "a", 3)
            .slice("1", R"("nodeName":"n","devices":[{"name":"d"}])", "a", 3)
            .slice("2",
                   R"("nodeName":")" + std::string(here ? "n" : "m") + R"(","devices":[)" +
                       consuming("e", ",\"compatibilityGroups\":" + groups) + "]",
                   "a", 3)
            .claim(one);
        return out;
    };
    check(world(R"(["g"])", true), &Rules::compatibility_groups_refuse, "a/d", "none");
    check(world(R"(["g"])", false), &Rules::compatibility_groups_refuse, "a/d", "none");
    check(world("[]", true), &Rules::compatibility_groups_refuse, "a/d", "a/d");
}

TEST_CASE("devices: a request that derives attributes is an error", "[devices][release]") {
    World world;
    world.slice("0", R"("nodeName":"n","devices":[{"name":"d"}])");
    world.claim(requests(request("r", R"(,"derivedAttributes":[{"name":"x"}])")));
    check(world, &Rules::derived_attributes_refuse, "a/d",
          "claim ns/claim-0, request r: cannot handle request with derived attributes, the feature is disabled");
    World of_alternative;
    of_alternative.slice("0", R"("nodeName":"n","devices":[{"name":"d"}])");
    of_alternative.claim(
        R"("requests":[{"name":"r","firstAvailable":[{"name":"s","deviceClassName":"c","derivedAttributes":[{}]}]}])");
    check(of_alternative, &Rules::derived_attributes_refuse, "a/d",
          "claim ns/claim-0, request s: cannot handle request with derived attributes, the feature is disabled");
}

TEST_CASE("devices: distinct attributes differ between all devices", "[devices][release]") {
    auto device = [](const std::string &name, const std::string &value) {
        return "{\"name\":\"" + name + R"(","attributes":{"a/x":{"string":")" + value + "\"}}}";
    };
    World world;
    world.slice("0", R"("nodeName":"n","devices":[)" + device("d", "1") + "," + device("e", "2") + "," +
                         device("f", "1") + "]");
    world.claim(requests(request("r", R"(,"count":3)")) + R"(,"constraints":[{"distinctAttribute":"a/x"}])");
    // Only the last device of the request was looked at.
    check(world, &Rules::distinct_by_device, "a/d a/e a/f", "none");
    // One that was tried and given back does not count: the second request has memory on the first device alone.
    World back;
    back.slice("0", R"("nodeName":"n","devices":[{"name":"d","attributes":{"a/x":{"string":"1"}},)"
                    R"("capacity":{"memory":{"value":"8"}}},)" +
                        device("e", "2") + "]");
    back.claim(requests(request("r", "") + "," + request("q", R"(,"capacity":{"requests":{"memory":"1"}})")) +
               R"(,"constraints":[{"distinctAttribute":"a/x"}])");
    check(back, &Rules::distinct_by_device, "a/e a/d", "a/e a/d");
}

TEST_CASE("devices: a share without capacity has taken the counters", "[devices][release]") {
    World world;
    auto device = consuming("d");
    device.insert(1, R"("allowMultipleAllocations":true,)");
    world.slice("0", R"("nodeName":"n",)" + counters, "a", 2)
        .slice("1", R"("nodeName":"n","devices":[)" + device + "]", "a", 2);
    world.uses[device_id("a", "p", "d")].add_share(nullptr);
    world.claim(one);
    check(world, &Rules::bare_share_in_use, "none", "a/d");
}

TEST_CASE("devices: all devices are those without room as well", "[devices][release]") {
    World world;
    world.slice("0", with_memory("8"), "a").slice("1", with_memory("8"), "b");
    const Consumed six{{"memory", Amount{berth::Quantity::of(6), "6"}}};
    world.uses[device_id("a", "p", "d")].add_share(&six);
    world.claim(requests(request("r", R"(,"allocationMode":"All","capacity":{"requests":{"memory":"4"}})")));
    check(world, &Rules::all_with_full_devices, "b/d", "none");
    // Those that never had so much are not meant.
    World small;
    small.slice("0", with_memory("2"), "a").slice("1", with_memory("8"), "b");
    small.claim(requests(request("r", R"(,"allocationMode":"All","capacity":{"requests":{"memory":"4"}})")));
    check(small, &Rules::all_with_full_devices, "b/d", "b/d");
}

TEST_CASE("devices: an amount that cannot be is an error", "[devices][release]") {
    const std::string range_fault = "capacity request cannot be represented in the device's range arithmetic: ";
    const std::string checking = "claim ns/claim-0, request r: checking capacity for device ";
    auto at = [](const std::string &value, const std::string &policy, const std::string &wanted) {
        World out;
        out.slice("0", with_memory(value, policy)).claim(wanted);
        return out;
    };
    check(at("10E", range("0", "2"), wants("9223372036854775808")), &Rules::capacity_faults, "a/d",
          checking + "a/p/d: capacity \"memory\": " + range_fault + "request 9223372036854775808 exceeds MaxInt64");
    check(at("10E", range("0", "2"), wants("9223372036854775807")), &Rules::capacity_faults, "a/d",
          checking + "a/p/d: capacity \"memory\": " + range_fault +
              "rounding request 9223372036854775807 up to the next step passes MaxInt64");
    check(at("8", "", wants("-1")), &Rules::capacity_faults, "a/d",
          checking + "a/p/d: capacity \"memory\": capacity value is negative");
    check(at("-1", "", one), &Rules::capacity_faults, "a/d",
          checking + "a/p/d: capacity \"memory\": capacity value is negative");
    // "All" names the device alone.
    check(at("-1", "", all), &Rules::capacity_faults, "a/d",
          checking + "d: capacity \"memory\": capacity value is negative");
    // A device without a capacity that is wanted is none of the request's.
    World other;
    other.slice("0", with_memory("-1"), "a").slice("1", R"("nodeName":"n","devices":[{"name":"d"}])", "b");
    other.claim(requests(request("r", R"(,"capacity":{"requests":{"gone":"1"}})")));
    check(other, &Rules::capacity_faults, "none", "none");
}

TEST_CASE("devices: an amount that is rounded up is written as its step", "[devices][release]") {
    auto consumed = [](const std::string &step, const std::string &wanted, const Rules &rules) {
        World world;
        world.slice("0", with_memory("1E", range("0", step))).claim(wants(wanted));
        const auto json = world.ask(rules, true);
        const auto at = json.find(R"("consumedCapacity":{"memory":")");
        REQUIRE(at != std::string::npos);
        const auto begin = at + std::string_view(R"("consumedCapacity":{"memory":")").size();
        return json.substr(begin, json.find('"', begin) - begin);
    };
    struct Row {
        const char *step, *wanted, *before, *now;
    };
    for (const auto &row :
         {Row{"2k", "3k", "4000", "4k"}, Row{"1e3", "1500", "2000", "2e3"}, Row{"1Ki", "1500", "2Ki", "2Ki"},
          Row{"5", "7", "10", "10"}, Row{"1e3", "10e5", "1000000", "1e6"}, Row{"1M", "1", "1000000", "1M"},
          Row{"500", "700", "1k", "1k"}, Row{"100E", "0", "0", "0"}, Row{"1024", "1025", "2Ki", "2048"}}) {
        INFO(row.step << " " << row.wanted);
        CHECK(consumed(row.step, row.wanted, Rules(false)) == row.before);
        CHECK(consumed(row.step, row.wanted, with(&Rules::rounded_as_step)) == row.now);
        CHECK(consumed(row.step, row.wanted, Rules(true)) == row.now);
    }
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    CHECK(Amount::of(least, Amount::Format::Binary).text == "-9223372036854775808");
    CHECK(Amount::of(least + 1024, Amount::Format::Binary).text == "-9007199254740991Ki");
}

TEST_CASE("devices: the request that goes beyond the limit is named", "[devices][release]") {
    World world;
    world.slice("0", R"("nodeName":"n","devices":[{"name":"d"}])");
    world.claim(requests(request("q", R"(,"count":30)") + "," + request("r", R"(,"count":3)")) +
                R"(,"constraints":[{}])");
    check(world, &Rules::claim_limit_by_request,
          "claim ns/claim-0: number of requested devices 33 exceeds the claim limit of 32",
          "claim ns/claim-0, request r: adding 3 devices exceeds the claim limit of 32, with 30 already accounted for");
    World large;
    large.claim(requests(request("q", R"(,"count":9223372036854775807)")));
    check(
        large, &Rules::claim_limit_by_request,
        "claim ns/claim-0: number of requested devices 9223372036854775807 exceeds the claim limit of 32",
        "claim ns/claim-0, request q: adding 9223372036854775807 devices exceeds the claim limit of 32, with 0 already "
        "accounted for");
}

TEST_CASE("devices: the fault of a selector names the device", "[devices][release]") {
    auto world = [](const std::string &fault) {
        World out;
        out.slice("0", R"("nodeName":"n","devices":[{"name":"d"}])");
        out.claim(requests(request("r", R"(,"selectors":[{"cel":{"expression":"CEL )" + fault + "\"}}]")));
        return out;
    };
    check(world("runtime error: odd"), &Rules::selector_faults_by_device,
          "claim ns/claim-0: selector #0: CEL runtime error: odd",
          "claim ns/claim-0: selector #0 on device a/p/d: CEL runtime error: odd");
    check(
        world("runtime error: no such key: x"), &Rules::selector_faults_by_device,
        "claim ns/claim-0: selector #0: CEL runtime error: no such key: x",
        "claim ns/claim-0: selector #0 on device a/p/d: CEL runtime error: no such key: x. consider using CEL optional "
        "chaining (.? followed by orValue()) or guarding the check with has() for optional fields");
    check(world("compile error: odd"), &Rules::selector_faults_by_device,
          "claim ns/claim-0: selector #0: CEL compile error: odd",
          "claim ns/claim-0: selector #0: CEL compile error: odd");
}

TEST_CASE("devices: a configuration stands once, bare if it is for all", "[devices][release]") {
    auto config = [](const std::string &config_requests, const Rules &rules, const std::string &second = "d") {
        World world;
        world.slice("0", R"("nodeName":"n","devices":[{"name":"d"},{"name":"e"}])");
        world.claim(R"("requests":[)" + request("q", "", "d") + R"(,{"name":"r","firstAvailable":[)" +
                    R"({"name":"s","deviceClassName":")" + second + R"(","count":9},{"name":"t","deviceClassName":")" +
                    second + R"("}]}],"config":[{"requests":)" + config_requests + R"(,"opaque":{"driver":"mine"}}])");
        const auto json = world.ask(rules, true);
        const auto at = json.find("\"config\":");
        REQUIRE(at != std::string::npos);
        return json.substr(at, json.find("]}", at) + 1 - at);
    };
    const std::string of_class = R"("config":[{"source":"FromClass",)";
    const std::string for_both = of_class + R"("requests":["q","r/t"],"opaque":{"driver":"of-class"}},)";
    const std::string for_all = of_class + R"("opaque":{"driver":"of-class"}},)";
    const std::string for_first = of_class + R"("requests":["q"],"opaque":{"driver":"of-class"}},)";
    const std::string mine = R"("opaque":{"driver":"mine"}})";
    auto from = [&](const std::string &list) { return R"({"source":"FromClaim",)" + list + mine; };
    const auto now = with(&Rules::config_of_all_is_bare);

    const std::string both = R"(["q","r"])", chosen = R"(["q","r/t"])", other = R"(["q","r/s"])", none = R"(["r/s"])";
    CHECK(config(both, Rules(false)) ==
          for_both + from("\"requests\":" + both + ",") + "," + from("\"requests\":" + both + ",") + "]");
    CHECK(config(both, now) == for_all + from("") + "]");
    CHECK(config(chosen, now) == for_all + from("") + "]");
    CHECK(config(other, now) == for_all + from("\"requests\":" + other + ",") + "]");
    CHECK(config("[]", now) == for_all + from("") + "]");
    CHECK(config(none, now, "c") == for_first.substr(0, for_first.size() - 1) + "]");
    CHECK(config(chosen, Rules(true), "c") == for_first + from("") + "]");
}
