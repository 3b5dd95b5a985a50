// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

#include <algorithm>

namespace kubernetes {

/// Does the toleration match the taint? (api/core/v1/toleration.go. Lt and Gt never match: their gate is off.)
inline bool tolerates(const berth_toleration &t, std::string_view key, std::string_view value,
                      std::string_view effect) {
    auto t_effect = berth::view(t.effect), t_key = berth::view(t.key), op = berth::view(t.op);
    if (!t_effect.empty() && t_effect != effect) return false;
    if (!t_key.empty() && t_key != key) return false;
    if (op.empty() || op == "Equal") return berth::view(t.value) == value;
    return op == "Exists";
}

inline bool tolerated(std::span<const berth_toleration> tolerations, const berth_taint &taint) {
    return std::any_of(tolerations.begin(), tolerations.end(), [&](const berth_toleration &t) {
        return tolerates(t, berth::view(taint.key), berth::view(taint.value), berth::view(taint.effect));
    });
}

/// The taint that the node controller gives a cordoned node (spec.unschedulable).
inline constexpr std::string_view cordon_taint = "node.kubernetes.io/unschedulable";

/// A taint that keeps pods away which do not tolerate it, instead of only ranking the node lower.
inline bool forbids(const berth_taint &taint) {
    return berth::view(taint.effect) == "NoSchedule" || berth::view(taint.effect) == "NoExecute";
}

}  // namespace kubernetes
