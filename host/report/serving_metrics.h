// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The metrics of the HTTPS server.

#include <cstdint>
#include <string>

namespace berth::report {

struct ServingCounts {
    std::uint64_t strangers = 0, known = 0;  ///< connections now; strangers: of clients that were allowed nothing yet
    std::uint64_t accepted = 0;              ///< connections
    std::uint64_t crowded_out = 0;           ///< connections that were closed because there were too many
    std::uint64_t too_slow = 0;              ///< connections that were closed because a limit of time had passed
    std::uint64_t refused = 0;               ///< requests that no endpoint saw
};

/// In Prometheus' text format. No label holds what a client sent.
std::string serving_metrics(const ServingCounts &counts);

}  // namespace berth::report
