// SPDX-License-Identifier: Apache-2.0
#include "report/metrics.h"

#include "catch.h"

using namespace berth;
using report::Metric;

namespace {

bool tells(const report::Metrics &metrics, const std::string &line) {
    return ("\n" + metrics.text()).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("metrics: counters, gauges and histograms in Prometheus' words", "[report]") {
    report::Metrics metrics;
    const Metric runs{"runs_total", "[STABLE] Number of runs."};
    metrics.counter(runs, {{"result", "good"}}).add();
    metrics.counter(runs, {{"result", "good"}}).add(2);
    metrics.gauge({"height", "How high."}).set(1.5);
    const Metric took{"took_seconds", "How long.", report::exponential_buckets(0.001, 2, 3)};
    CHECK(took.buckets == std::vector<double>{0.001, 0.002, 0.004});
    auto histogram = metrics.histogram(took);
    histogram.observe(0.002);
    histogram.observe(1);
    CHECK(
        tells(metrics,
              "# HELP runs_total [STABLE] Number of runs.\n# TYPE runs_total counter\nruns_total{result=\"good\"} 3"));
    CHECK(tells(metrics, "height 1.5"));
    CHECK(tells(metrics,
                "took_seconds_count 2\ntook_seconds_sum 1.002\ntook_seconds_bucket{le=\"0.001\"} 0\n"
                "took_seconds_bucket{le=\"0.002\"} 1\ntook_seconds_bucket{le=\"0.004\"} 1\n"
                "took_seconds_bucket{le=\"+Inf\"} 2"));
    CHECK(metrics.text().find("\nprocess_open_fds ") != std::string::npos);
    CHECK(metrics.text().find("\nprocess_resident_memory_bytes ") != std::string::npos);
}

TEST_CASE("metrics: gauges whose labels come and go are 0 in between", "[report]") {
    report::Metrics metrics;
    const Metric blamed{"blamed", "Pods."};
    metrics.gauge(blamed, {{"plugin", "A"}}).set(3);
    metrics.clear_gauges(blamed);
    metrics.gauge(blamed, {{"plugin", "B"}}).set(1);
    CHECK(tells(metrics, "blamed{plugin=\"A\"} 0"));
    CHECK(tells(metrics, "blamed{plugin=\"B\"} 1"));
    // What belongs to nobody counts for nobody.
    report::Counter{}.add();
    report::Gauge{}.set(1);
    report::Histogram{}.observe(1);
}
