// SPDX-License-Identifier: Apache-2.0
#include "report/time_series.h"

#include "catch.h"
#include "object_text.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

model::NodePtr node(const std::string &name, int cpu, int gpus = 0) {
    return node_of("{metadata: {name: " + name + "}, status: {allocatable: {cpu: " + std::to_string(cpu) +
                   ", example.com/gpu: " + std::to_string(gpus) + ", pods: 9}}}");
}

/// On no node if that is empty.
model::PodPtr pod(const std::string &name, int cpu, const std::string &node, int gpus = 0,
                  const std::string &scheduler = "default-scheduler") {
    auto requests = "cpu: " + std::to_string(cpu);
    if (gpus > 0) requests += ", example.com/gpu: " + std::to_string(gpus);
    return pod_of("{metadata: {name: " + name + "}, spec: {schedulerName: " + scheduler + ", nodeName: '" + node +
                  "', containers: [{name: c, image: i, resources: {requests: {" + requests + "}}}]}}");
}

struct Noted {
    sim::VirtualClock clock{5};
    std::uint64_t decided = 0;
    report::TimeSeries series{clock, [this] { return decided; }};
    report::Curves curves() const { return series.curves({"default-scheduler"}); }
};

constexpr std::size_t cpu = 0, gpu = 2;

}  // namespace

TEST_CASE("time series: stranded is what is free where a pod does not fit, by the share of pods that do not",
          "[report]") {
    Noted noted;
    noted.series.node_added(node("n1", 8));
    noted.series.node_added(node("n2", 2, 1));
    // Three shapes ask for cpu: 1, 4 (twice), and 1 with a GPU.
    noted.series.pod_added(pod("a", 1, ""));
    noted.series.pod_added(pod("b", 4, ""));
    noted.series.pod_added(pod("c", 4, ""));
    noted.series.pod_added(pod("d", 1, "", 1));
    auto curves = noted.curves();
    REQUIRE(curves.resources == std::vector<std::string>{"cpu", "memory", "example.com/gpu"});
    auto at = curves.samples.front();
    CHECK(at.pending == 4);
    CHECK(at.nodes_in_use == 0);
    CHECK(at.capacities[cpu].allocatable == 10'000);
    // n1: 8 cpu of no use to d alone, a quarter; n2: 2 cpu of no use to b and c, a half.
    CHECK(at.capacities[cpu].stranded == Approx(8'000 * 0.25 + 2'000 * 0.5));
    CHECK(at.capacities[gpu].stranded == Approx(0));

    // b takes a half of n1; then a takes the cpu that d would need on n2, whose GPU is of use to nobody.
    ++noted.decided;
    noted.series.pod_updated(pod("b", 4, ""), pod("b", 4, "n1"));
    ++noted.decided;
    noted.series.pod_updated(pod("a", 2, ""), pod("a", 2, "n2"));
    curves = noted.curves();
    REQUIRE(curves.samples.size() == 4);
    CHECK(curves.samples[1].decided == 1);
    CHECK(curves.samples[1].capacities[cpu].requested == 4'000);
    CHECK(curves.samples[1].capacities[cpu].stranded == Approx(4'000 * 0.25 + 2'000 * 0.5));
    at = curves.samples[2];
    CHECK(at.pending == 2);
    CHECK(at.nodes_in_use == 2);
    CHECK(at.capacities[cpu].stranded == Approx(4'000 * 0.25));
    CHECK(at.capacities[gpu].stranded == Approx(1));
}

TEST_CASE("time series: pods and nodes that go take everything with them, those of others do not wait", "[report]") {
    Noted noted;
    noted.series.node_added(node("n1", 8));
    noted.series.pod_added(pod("theirs", 1, "", 0, "another"));
    noted.series.pod_added(pod("a", 3, "n1"));
    noted.clock.advance_to(7);
    noted.series.pod_deleted(pod("a", 3, "n1"));
    noted.clock.advance_to(9);
    noted.series.node_updated(node("n1", 8), node("n1", 2));
    noted.clock.advance_to(10);
    noted.series.node_deleted(node("n1", 2));
    noted.clock.advance_to(12);
    const auto curves = noted.curves();
    REQUIRE(curves.samples.size() == 5);
    std::vector<std::int64_t> times, requested, allocatable;
    for (const auto &m : curves.samples) {
        times.push_back(m.time_ns);
        requested.push_back(m.capacities[cpu].requested);
        allocatable.push_back(m.capacities[cpu].allocatable);
        CHECK(m.pending == 0);
    }
    CHECK(times == std::vector<std::int64_t>{0, 2, 4, 5, 7});
    CHECK(requested == std::vector<std::int64_t>{3'000, 0, 0, 0, 0});
    CHECK(allocatable == std::vector<std::int64_t>{8'000, 8'000, 2'000, 0, 0});
    // Of the two cpu that were left the pod of three could use none.
    CHECK(curves.samples[2].capacities[cpu].stranded == Approx(2'000 * 0.5));
    CHECK(curves.samples[4].capacities[cpu].stranded == Approx(0).margin(1e-9));
}
