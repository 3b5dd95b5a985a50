// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

namespace kubernetes {

/// The taint that the node controller gives a cordoned node (spec.unschedulable).
inline constexpr berth_taint cordon_taint{BERTH_STR("node.kubernetes.io/unschedulable"), {}, BERTH_STR("NoSchedule")};

}  // namespace kubernetes
