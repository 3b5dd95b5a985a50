// SPDX-License-Identifier: Apache-2.0
#include "report/serving_metrics.h"

#include <string_view>

namespace berth::report {
namespace {

void head(std::string &out, std::string_view name, std::string_view type, std::string_view help) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void line(std::string &out, std::string_view name, std::string_view labels, std::uint64_t value) {
    out.append(name).append(labels).append(" ").append(std::to_string(value)).append("\n");
}

}  // namespace

std::string serving_metrics(const ServingCounts &counts) {
    constexpr std::string_view open = "berth_serving_connections",
                               accepted = "berth_serving_connections_accepted_total",
                               closed = "berth_serving_connections_closed_total",
                               refused = "berth_serving_requests_refused_total";
    std::string out;
    head(out, open, "gauge", "Connections to the endpoints, of clients that were allowed something and of others.");
    line(out, open, R"({client="known"})", counts.known);
    line(out, open, R"({client="unknown"})", counts.strangers);
    head(out, accepted, "counter", "Connections that were accepted.");
    line(out, accepted, {}, counts.accepted);
    head(out, closed, "counter",
         "Connections that were closed because there were too many, or because the client was too slow.");
    line(out, closed, R"({reason="too_many"})", counts.crowded_out);
    line(out, closed, R"({reason="too_slow"})", counts.too_slow);
    head(out, refused, "counter", "Requests that were refused before any endpoint saw them.");
    line(out, refused, {}, counts.refused);
    return out;
}

}  // namespace berth::report
