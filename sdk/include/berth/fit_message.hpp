// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of FailedScheduling: "0/5 nodes are available: …" (upstream: FitError).

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// How many nodes gave each reason.
using ReasonCounts = std::map<std::string, std::uint64_t, std::less<>>;

/// "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu." A message of PreFilter stands in for
/// the reasons. The parts are sorted as plain strings, so "10 x" comes before "2 y".
inline std::string fit_message(std::uint64_t nodes, std::string_view pre_filter_message, const ReasonCounts &reasons) {
    std::string text = "0/" + std::to_string(nodes) + " nodes are available:";
    if (!pre_filter_message.empty()) return text.append(" ").append(pre_filter_message).append(".");
    std::vector<std::string> parts;
    parts.reserve(reasons.size());
    for (const auto &[reason, count] : reasons) parts.push_back(std::to_string(count) + " " + reason);
    std::sort(parts.begin(), parts.end());
    for (const auto &part : parts) text.append(&part == parts.data() ? " " : ", ").append(part);
    if (!parts.empty()) text += '.';
    return text;
}

}  // namespace berth
