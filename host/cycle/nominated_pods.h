// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nominated pods of equal or higher priority, which Filter counts on their node (upstream: addGENominatedPods).

#include "cluster/node_simulation.h"
#include "cycle/search.h"

#include <memory>
#include <optional>
#include <span>

namespace berth::cycle {

/// Whether a nominated pod comes before the one that is searched for: it has the same priority or a higher one.
inline bool comes_first(const model::Pod &nominated, const berth_pod &pod) {
    return nominated.view.priority >= pod.priority && nominated.uid() != model::view(pod.uid);
}

/// Whether such pods are nominated to the node of `slot`.
bool has_nominated_pods(const Search &search, std::uint32_t slot);

/// A search with these pods on the node of `slot`, in the snapshot and in a copy of the plugins' state, as long as this
/// lives. Loop only.
class WithNominatedPods {
    std::unique_ptr<plugin::State> state_;
    std::optional<cluster::NodeSimulation> simulation_;
    std::optional<Search> search_;
    model::Status status_;

public:
    /// `extensions`: the plugins whose PreFilter hears of other pods.
    WithNominatedPods(const Search &search, std::span<const plugin::Instance *const> extensions, std::uint32_t slot);
    WithNominatedPods(const WithNominatedPods &) = delete;
    WithNominatedPods &operator=(const WithNominatedPods &) = delete;

    /// Success, or the complete text of what failed; then there is no search.
    const model::Status &status() const { return status_; }
    const Search &search() const { return *search_; }
};

}  // namespace berth::cycle
