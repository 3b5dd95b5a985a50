// SPDX-License-Identifier: Apache-2.0
#include "reserve_table.h"

namespace timeline_play {

using namespace berth;

namespace {

OnReserve on_reserve;

void reserve(void *, const berth_call *, berth_state *, const berth_pod *pod, const berth_nodes *, std::uint32_t,
             berth_str node, berth_status *) {
    on_reserve(*pod, model::view(node));
}

void unreserve(void *, const berth_call *, berth_state *, const berth_pod *, berth_str) {}

constexpr berth_plugin_reserve recording{sizeof(berth_plugin_reserve), 0, reserve, unreserve};

}  // namespace

void watch_reserves(std::vector<plugin::Profile> &profiles, OnReserve told) {
    on_reserve = std::move(told);
    for (auto &profile : profiles) {
        auto &instance = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
        instance.name = "Judge";
        instance.reserve = &recording;
        profile.reserve.insert(profile.reserve.begin(), &instance);
    }
}

}  // namespace timeline_play
