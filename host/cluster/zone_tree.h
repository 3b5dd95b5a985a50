// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The order of nodes by zone, in turn (upstream: nodeTree). As in kube-scheduler v1.36.3
/// (pkg/scheduler/backend/cache/node_tree.go): zones as first seen, a zone's nodes as they came; the list takes the
/// first node of every zone, then the second of every zone, …

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::cluster {

/// Zones are codes, nodes are slots. Loop only.
class ZoneTree {
    std::vector<std::vector<std::uint32_t>> slots_of_;  // by zone code
    std::vector<std::uint32_t> zones_;                  // those that have nodes
    std::size_t count_ = 0;

public:
    void add(std::uint32_t zone, std::uint32_t slot);
    /// A zone that loses its last node loses its place among the zones.
    void remove(std::uint32_t zone, std::uint32_t slot);
    std::size_t count() const { return count_; }
    void list(std::vector<std::uint32_t> &out) const;
};

}  // namespace berth::cluster
