// SPDX-License-Identifier: Apache-2.0
#include "report/victims.h"

#include <algorithm>

namespace berth::report {

std::string giving_way(const model::Victims &victims) {
    constexpr std::size_t most = 10;
    const auto named = std::min(most, victims.pods.size());
    const auto more = victims.pods.size() - named + victims.more;
    std::string out;
    for (std::size_t i = 0; i < named; ++i) out += (i == 0 ? "" : ", ") + victims.pods[i];
    if (more > 0) out += " and " + std::to_string(more) + " more";
    return out + (named + more == 1 ? " gives way" : " give way");
}

}  // namespace berth::report
