// SPDX-License-Identifier: Apache-2.0
#include "report/serving_metrics.h"

#include "catch.h"

using namespace berth;

TEST_CASE("serving metrics: Prometheus' text, with labels that nobody outside chooses", "[report]") {
    const auto text = report::serving_metrics({1, 2, 3, 4, 5, 6});
    for (const char *line :
         {"berth_serving_connections{client=\"known\"} 2\n", "{client=\"unknown\"} 1\n",
          "\nberth_serving_connections_accepted_total 3\n", "{reason=\"too_many\"} 4\n", "{reason=\"too_slow\"} 5\n",
          "\nberth_serving_requests_refused_total 6\n", "# TYPE berth_serving_connections gauge\n"})
        CHECK(text.find(line) != text.npos);
    CHECK(text.ends_with("\n"));
}
