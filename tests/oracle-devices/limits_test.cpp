// SPDX-License-Identifier: Apache-2.0
#include "catch.h"

#include "decode/document.h"
#include "devices/allocator.h"

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
    const Inventory inventory(slices);
    const auto claim = Claim::read("default", "c", of_claim.value());
    const auto device_class = Class::read("c", of_class.value());
    const Uses uses;
    const Counted selectors;
    const Allocator allocator(inventory, uses, selectors, [&](std::string_view) { return &device_class; }, {&claim});

    const auto stopped = allocator.allocate({"n", {}}, [&] { return selectors.evaluated > 0; });
    CHECK(stopped.outcome == Allocation::Outcome::Stopped);
    CHECK(selectors.evaluated == 1);
    CHECK(allocator.allocate({"n", {}}, [] { return false; }).outcome == Allocation::Outcome::Found);
}
