// SPDX-License-Identifier: Apache-2.0
#include "cycle/fit_message.h"

#include <algorithm>
#include <vector>

namespace berth::cycle {

std::string fit_message(std::uint64_t nodes, std::string_view pre_filter_message, const ReasonCounts &reasons) {
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

}  // namespace berth::cycle
