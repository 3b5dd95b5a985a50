// SPDX-License-Identifier: Apache-2.0

/// PodState: prefers nodes with terminating pods, and nodes with fewer nominated pods.

#include <berth/plugin.hpp>

#include <algorithm>
#include <map>

namespace {

class PodState {
    const berth::Host &host_;
    berth::StateKey<std::map<std::uint32_t, std::int64_t>> nominated_;

public:
    explicit PodState(const berth::Host &host)
        : host_(host), nominated_(host.state_key<std::map<std::uint32_t, std::int64_t>>("PodState")) {}

    // Nominations can be read only on the loop; score may run on several threads.
    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod, berth::Nodes nodes,
                             berth::Slots slots) const {
        std::map<std::uint32_t, std::int64_t> nominated;
        for (auto slot : slots) host_.each_nominated(nodes[slot].name(), [&](const berth_pod *) { ++nominated[slot]; });
        state.put(nominated_, std::move(nominated));
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto &nominated = state.need(nominated_);
        auto pods = nodes.pods();
        for (std::size_t i : call.each(slots)) {
            auto on = pods.on(slots[i]);
            auto found = nominated.find(slots[i]);
            out[i] = std::count_if(on.begin(), on.end(), [&](auto row) { return pods.terminating(row); }) -
                     (found == nominated.end() ? 0 : found->second);
        }
    }

    void normalize(berth::Scores scores) const {
        const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
        const auto least = *lowest, range = *highest - *lowest;
        for (auto &score : scores) score = range == 0 ? 0 : (score - least) * 100 / range;
    }
};

}  // namespace

BERTH_PLUGIN(PodState, "PodState", "1.0.0")
