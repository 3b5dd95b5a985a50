// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nominated pods, which are not placed yet (upstream: nominator; kube-scheduler v1.36.3, backend/queue/nominator.go).

#include "model/decision.h"
#include "model/pod.h"
#include "plugin/services.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::cluster {

/// In memory before the API server knows, so that the next pod sees the nomination. By UID. Loop only.
class Nominations final : public plugin::Nominator {
    std::unordered_map<std::string, std::vector<model::PodPtr>> by_node_;
    struct Nominated {
        std::string node;
        model::Victims victims;
    };
    std::unordered_map<std::string, Nominated> nominated_;  ///< by UID

public:
    bool empty() const { return nominated_.empty(); }
    /// Nominates `pod` for that node ("": none) instead of any other; without a node, for the one in its status.
    /// Victims that were named stay as long as the pod is not nominated anew and the node is the same.
    void set(const model::PodPtr &pod, std::optional<std::string_view> node = std::nullopt,
             model::Victims victims = {});
    /// A pending pod has a new version: what its status says counts, unless neither version says anything.
    void update(const model::Pod &before, const model::PodPtr &after);
    bool remove(std::string_view uid) override;
    /// Of that pod nothing but its name counts, until it is nominated anew.
    void bare(std::string_view uid);
    void visit(std::string_view node, const std::function<void(const berth_pod &)> &visit) const override;

    /// In the order in which they were nominated.
    std::span<const model::PodPtr> on(std::string_view node) const;
    std::string_view node_of(std::string_view uid) const;  ///< "" if none
    /// The victims of the pod on its node, as far as a plugin named them.
    model::Victims victims_of(std::string_view uid) const;
    std::size_t size() const { return nominated_.size(); }
    /// Calls `fn(node, pods)` for each nominated node, in no order.
    template <class Fn>
    void each_node(Fn &&fn) const {
        for (const auto &[node, pods] : by_node_) fn(std::string_view(node), std::span<const model::PodPtr>(pods));
    }
};

}  // namespace berth::cluster
