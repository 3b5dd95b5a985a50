// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sentence that tells a user why no node took the pod (upstream's FitError).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace berth::cycle {

/// How many nodes gave each reason.
using ReasonCounts = std::map<std::string, std::uint64_t, std::less<>>;

/// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." A message of PreFilter stands in for
/// the reasons. The parts are sorted as plain strings, so "10 x" comes before "2 y".
std::string fit_message(std::uint64_t nodes, std::string_view pre_filter_message, const ReasonCounts &reasons);

}  // namespace berth::cycle
