// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include "catch.h"
#include "report/decision_ring.h"

using namespace berth;

namespace {

constexpr std::uint64_t mib = 1 << 20;

report::MemoryUse use_of(std::uint64_t pods, const env::ProcessMemory &process,
                         const std::optional<env::GroupMemory> &group = {}) {
    return report::memory_use({{"pods", pods}, {"nodes", 10 * mib}}, process, group);
}

}  // namespace

TEST_CASE("memory: the kinds together are what is resident", "[report]") {
    const auto use = use_of(100 * mib, {200 * mib, 20 * mib, 30 * mib});
    CHECK(use.of("program") == 20 * mib);
    CHECK(use.of("free") == 30 * mib);
    CHECK(use.of("other") == 40 * mib);
    std::uint64_t sum = 0;
    for (const auto &kind : use.kinds) sum += kind.bytes;
    CHECK(sum == use.resident);
    // Free heap may have been given back, and pages may have been swapped out.
    CHECK(use_of(100 * mib, {200 * mib, 20 * mib, 90 * mib}).of("free") == 70 * mib);
    CHECK(use_of(100 * mib, {50 * mib, 20 * mib, 90 * mib}).of("other") == 0);
    CHECK(use.of("no such kind") == 0);
}

TEST_CASE("memory: it is short when nine tenths are in use, or when the pods do not fit once more", "[report]") {
    const env::ProcessMemory process{400 * mib, 20 * mib, 0};
    auto short_of = [&](std::uint64_t pods, std::uint64_t used, std::uint64_t limit, std::uint64_t free_heap = 0) {
        const env::GroupMemory group{limit * mib, used * mib, (limit - used) * mib};
        return report::memory_warning(use_of(pods * mib, {process.resident, process.files, free_heap * mib}, group));
    };
    CHECK(report::memory_warning(use_of(300 * mib, process)).empty());
    CHECK(short_of(100, 500, 1000).empty());
    CHECK(short_of(10, 899, 1000).empty());
    CHECK(short_of(10, 901, 1000) ==
          "memory is short: 901 MiB of 1000 MiB are in use, 10 MiB of them by pods, which a new list needs once more; "
          "raise the container's limit (clusterSize of the chart)");
    CHECK(short_of(200, 800, 1000).empty());
    CHECK_FALSE(short_of(201, 800, 1000).empty());
    // Room that an earlier list has left behind is used again.
    CHECK(short_of(201, 800, 1000, 50).empty());
}

TEST_CASE("memory: as JSON, with the limit if there is one", "[report]") {
    const env::ProcessMemory process{100, 40, 5};
    const report::Answerer by{true, 1'767'225'600'000'000'000};
    CHECK(report::json(by, report::memory_use({{"pods", 30}}, process, {})) ==
          R"({"kind":"MemoryUse","apiVersion":"berth/v1alpha1","metadata":{},"leads":true,)"
          R"("time":"2026-01-01T00:00:00.000000Z","resident":100,"kinds":[{"name":"pods","bytes":30},)"
          R"({"name":"program","bytes":40},{"name":"free","bytes":5},{"name":"other","bytes":25}]})"
          "\n");
    const auto text = report::json(by, report::memory_use({{"pods", 30}}, process, env::GroupMemory{1000, 950, 50}));
    CHECK(text.find(R"("limit":1000,"used":950,"left":50,)") != text.npos);
    CHECK(text.find(R"("warnings":["memory is short)") != text.npos);
}

TEST_CASE("memory: the last decisions are counted as they come and go", "[report]") {
    report::DecisionRing ring(10);
    CHECK(ring.bytes() == 0);
    auto add = [&](std::size_t note) {
        model::Decision d;
        d.pod = {"default", "a-pod-with-a-rather-long-name-as-they-have", "u"};
        d.message = std::string(note, 'x');
        d.rejections.push_back({"Fit", 2, {std::string(note, 'y')}, 3});
        ring.add(d);
    };
    for (int i = 0; i < 10; ++i) add(100);
    const auto few = ring.bytes();
    CHECK(few > 10 * (sizeof(model::Decision) + 200));
    for (int i = 0; i < 10; ++i) add(400);
    CHECK(ring.bytes() >= few + 10 * 600);
    for (int i = 0; i < 10; ++i) add(100);
    CHECK(ring.bytes() == few);
}
