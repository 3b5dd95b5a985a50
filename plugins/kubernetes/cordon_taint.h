// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The taint of a cordoned node (spec.unschedulable), node.kubernetes.io/unschedulable.

#include <berth/plugin.hpp>

namespace kubernetes {

inline constexpr berth_taint cordon_taint{BERTH_STR("node.kubernetes.io/unschedulable"), {}, BERTH_STR("NoSchedule")};

}  // namespace kubernetes
