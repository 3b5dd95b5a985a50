// SPDX-License-Identifier: Apache-2.0
#include "cycle/nominated_pods.h"

#include "cycle/extensions.h"

#include <algorithm>

namespace berth::cycle {

bool has_nominated_pods(const Search &search, std::uint32_t slot) {
    const auto pods = search.nominations.on(model::view(search.nodes.name[slot]));
    return std::ranges::any_of(pods, [&](const auto &pod) { return comes_first(*pod, search.pod); });
}

WithNominatedPods::WithNominatedPods(const Search &search, std::span<const plugin::Instance *const> extensions,
                                     std::uint32_t slot)
    : state_(search.state.clone()) {
    if (!state_) {
        status_ = {.code = BERTH_STATUS_ERROR,
                   .error = "the pod's cycle state could not be copied: the clone of a plugin threw",
                   .reasons = {},
                   .plugin = {}};
        return;
    }
    simulation_.emplace(search.cache, slot);
    search_.emplace(
        Search{search.profile, search.pod, *state_, search.call, search.nodes, search.cache, search.nominations});
    for (const auto &pod : search.nominations.on(model::view(search.nodes.name[slot]))) {
        if (!comes_first(*pod, search.pod)) continue;
        simulation_->put(*pod);
        status_ = run_extensions(*search_, extensions, Change::Added, pod->view, slot);
        if (!status_.success()) return;
    }
}

}  // namespace berth::cycle
