// SPDX-License-Identifier: Apache-2.0
#include "model/shadow.h"

#include <numeric>

namespace berth::model {

std::string_view agreement_name(Agreement agreement) {
    constexpr std::array<std::string_view, agreements> names{"same",          "other_node", "only_real", "only_shadow",
                                                             "other_reasons", "error",      "skipped"};
    return names[static_cast<std::size_t>(agreement)];
}

std::uint64_t ShadowCounts::compared() const {
    return std::accumulate(attempts.begin(), attempts.end(), std::uint64_t{0}) - of(Agreement::Skipped);
}

}  // namespace berth::model
