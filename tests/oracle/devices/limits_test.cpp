// SPDX-License-Identifier: Apache-2.0
#include "catch.h"

#include "decode/document.h"
#include "device_selectors.h"
#include "devices/allocator.h"

#include <algorithm>
#include <optional>

using namespace kubernetes::devices;

namespace {

/// Selectors that match, and are counted.
class Counted : public Selectors {
public:
    mutable int evaluated = 0;
    Selected select(const std::string &, const Slice &, const Device &) const override {
        ++evaluated;
        return {true, {}};
    }
};

std::string slice_of(int devices) {
    std::string out;
    for (int i = 0; i < devices; ++i) out += (i ? "," : "") + ("{\"name\":\"d" + std::to_string(i)) + "\"}";
    return R"({"driver":"a.example.com","nodeName":"n","pool":{"name":"n","generation":1,"resourceSliceCount":1},)"
           R"("devices":[)" +
           out + "]}";
}

berth::decode::Document parsed(const std::string &text) {
    auto document = berth::decode::read_document(text, "test");
    REQUIRE(document);
    return std::move(*document);
}

}  // namespace

TEST_CASE("devices: a search ends between two selectors", "[devices]") {
    // A tenant chooses the selectors, and each may be as dear as the API server permits.
    const std::string mode = GENERATE(R"("allocationMode":"All")", R"("allocationMode":"ExactCount","count":1)");
    const auto of_slice = parsed(slice_of(30)), of_class = parsed("{}");
    const auto of_claim = parsed(R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c",)" + mode +
                                 R"(,"selectors":[{"cel":{"expression":"one"}},{"cel":{"expression":"two"}}]}}]}})");
    const std::vector<SlicePtr> slices{std::make_shared<const Slice>(Slice::read("s", of_slice.value()))};
    const Inventory inventory(slices, Rules(false));
    const auto claim = Claim::read("default", "c", of_claim.value());
    const auto device_class = Class::read("c", of_class.value());
    const Uses uses;
    const Counted selectors;
    const Allocator allocator(inventory, uses, selectors, [&](std::string_view) { return &device_class; });

    const auto stopped = allocator.allocate({"n", {}}, {&claim}, [&] { return selectors.evaluated > 0; });
    CHECK(stopped.outcome == Allocation::Outcome::Stopped);
    CHECK(selectors.evaluated == 1);
    CHECK(allocator.allocate({"n", {}}, {&claim}, [] { return false; }).outcome == Allocation::Outcome::Found);
}

TEST_CASE("devices: what a selector said of a slice is not said of a later one in its place", "[devices]") {
    const auto first = parsed(slice_of(1)), second = parsed(slice_of(2));
    const std::string expression = "device.driver == 'a.example.com'";
    const kubernetes::DeviceSelectors selectors(kubernetes::cel::Rules(false));
    std::optional<Slice> place(Slice::read("s", first.value()));
    CHECK(selectors.select(expression, *place, place->devices[0]).matches);
    place.emplace(Slice::read("s", second.value()));
    CHECK(selectors.select(expression, *place, place->devices[1]).matches);
}

TEST_CASE("devices: the fault of a selector is cut if it is long", "[devices]") {
    const auto document = parsed(slice_of(1));
    const auto slice = Slice::read("s", document.value());
    const kubernetes::DeviceSelectors selectors(kubernetes::cel::Rules(false));
    const auto fault = [&](const std::string &expression) {
        return selectors.select(expression, slice, slice.devices[0]).fault;
    };
    CHECK(fault("device.attributes['a'].b") == "CEL runtime error: no such key: b");
    CHECK(fault("nothing").starts_with("CEL compile error: compilation failed: ERROR: <input>:1:1: undeclared"));
    // Each character has two bytes; behind "…: " stands an odd number of them.
    std::string many;
    for (int i = 0; i < 2000; ++i) many += "ä";
    const auto runtime = fault("device.attributes['a']['" + many + "']");
    CHECK(runtime.starts_with("CEL runtime error: no such key: ääää"));
    CHECK(runtime.ends_with("ä…"));
    CHECK(runtime.size() <= 1024 + std::string_view("…").size());
    CHECK(fault("'" + many + "' == nothing").size() <= 1024 + std::string_view("…").size());
}

// promise(editor): The memory for what Berth remembers of selectors is bounded, including their compiled programs and
// their errors.
TEST_CASE("devices: the memory for data about selectors is bounded", "[devices]") {
    const auto document = parsed(slice_of(30'000));
    kubernetes::DeviceSelectors selectors(kubernetes::cel::Rules(false));
    const auto most = kubernetes::DeviceSelectors::bytes_at_most;
    std::size_t seen = 0;
    const auto select = [&](const std::string &expression, const Slice &slice) {
        for (const auto &device : slice.devices) {
            (void)selectors.select(expression, slice, device);
            seen = std::max(seen, selectors.bytes());
        }
    };
    const std::string expression =
        "device.attributes['" + std::string(1000, 'a') + "']['" + std::string(1000, 'b') + "']";
    const auto first = Slice::read("s", document.value());
    select("true", first);
    const auto before = selectors.bytes();
    select(expression, first);
    CHECK(selectors.bytes() > before + 30'000'000);
    selectors.forget(first);
    CHECK(selectors.bytes() < before + 200'000);
    // Nobody forgets these: each is one that the cluster no longer has.
    for (int i = 0; i < 4; ++i) select(expression, Slice::read("s", document.value()));
    CHECK(seen > most / 2);
    CHECK(seen < most + 10'000);
    // An expression of two hundred characters may be a program of megabytes.
    const auto small = parsed(slice_of(1));
    const auto one = Slice::read("s", small.value());
    std::string doubled = "optional.of(device.driver)";
    for (int i = 0; i < 12; ++i) doubled += ".optMap(x, x)";
    seen = 0;
    for (int i = 0; i < 20; ++i) select(doubled + ".hasValue() || " + std::to_string(i) + " == 0", one);
    CHECK(seen > most / 2);
    CHECK(seen < most + 10'000'000);
}
