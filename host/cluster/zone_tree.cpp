// SPDX-License-Identifier: Apache-2.0
#include "cluster/zone_tree.h"

#include <algorithm>

namespace berth::cluster {

void ZoneTree::add(std::uint32_t zone, std::uint32_t slot) {
    if (zone >= slots_of_.size()) slots_of_.resize(zone + 1);
    if (slots_of_[zone].empty()) zones_.push_back(zone);
    slots_of_[zone].push_back(slot);
    ++count_;
}

void ZoneTree::remove(std::uint32_t zone, std::uint32_t slot) {
    auto &slots = slots_of_[zone];
    auto at = std::find(slots.begin(), slots.end(), slot);
    if (at == slots.end()) return;
    slots.erase(at);
    --count_;
    if (slots.empty()) zones_.erase(std::find(zones_.begin(), zones_.end(), zone));
}

void ZoneTree::list(std::vector<std::uint32_t> &out) const {
    out.clear();
    auto left = zones_;
    for (std::size_t i = 0; !left.empty(); ++i) {
        std::erase_if(left, [&](std::uint32_t zone) { return i >= slots_of_[zone].size(); });
        for (auto zone : left) out.push_back(slots_of_[zone][i]);
    }
}

}  // namespace berth::cluster
