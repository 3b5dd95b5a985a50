// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of look-ups in berth_nodes and berth_pods (berth.host.nodes/1), behind their handles.

#include "model/handle.h"

#include <berth/view/nodes.h>
#include <berth/view/pod.h>

namespace berth::model {

class NodeLookUps {
public:
    virtual ~NodeLookUps() = default;
    /// BERTH_NO_SLOT: there is none of that name.
    virtual std::uint32_t find(berth_str name) const noexcept = 0;
    /// SUCCESS, NOT_FOUND or NO_MEMORY.
    virtual std::int32_t column(std::uint32_t id, berth_column *out) noexcept = 0;
};

class PodLookUps {
public:
    virtual ~PodLookUps() = default;
    /// How many rows are on the slot.
    virtual std::uint64_t pods_of(std::uint32_t slot, const std::uint32_t **rows) const noexcept = 0;
    virtual std::int32_t column(std::uint32_t id, berth_column *out) noexcept = 0;
    /// nullptr for an empty row.
    virtual const berth_pod *view_of(std::uint32_t row) const noexcept = 0;
};

inline NodeLookUps &look_ups(const berth_nodes &nodes) { return *from_handle<NodeLookUps>(nodes.handle); }
inline PodLookUps &look_ups(const berth_pods &pods) { return *from_handle<PodLookUps>(pods.handle); }

inline std::uint32_t find_node(const berth_nodes &nodes, berth_str name) { return look_ups(nodes).find(name); }

}  // namespace berth::model
