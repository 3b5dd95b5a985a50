// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the server of the endpoints went through, for Prometheus.

#include "kube/server.h"

#include <string>

namespace berth::cli {

/// In Prometheus' text format. No label holds what a client sent.
std::string serving_metrics(const kube::ServerCounts &counts);

}  // namespace berth::cli
