// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod with the node that the scheduling cycle chose, for its binding cycle.

#include "cluster/cache.h"
#include "plugin/call.h"
#include "plugin/profile.h"

#include <memory>

namespace berth::bind {

struct Placement {
    std::shared_ptr<const void> keeps;  ///< keeps `profile` and the extenders alive; destroyed last
    const plugin::Profile *profile = nullptr;
    model::PodPtr pod;  ///< the assumed copy: its node name is set
    berth_pod view{};   ///< the same, with attempts and times filled in
    std::uint32_t slot = BERTH_NO_SLOT;
    std::unique_ptr<plugin::State> state;       ///< until PostBind or Unreserve has returned
    std::unique_ptr<plugin::CallContext> call;  ///< of this attempt

    berth_str node() const { return view.node_name; }
};

}  // namespace berth::bind
