// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of tolerations against taints, as in Kubernetes 1.36 (api/core/v1/toleration.go, ToleratesTaint).

#include <berth/view/pod.h>
#include <berth/value.hpp>

#include <algorithm>
#include <span>
#include <string_view>

namespace berth {

/// Does the toleration match the taint? An empty effect matches every effect and an empty key every key; an empty
/// operator means Equal. Lt and Gt never match, because their feature gate is off by default, and neither does an
/// unknown operator. Allocates nothing.
inline bool tolerates(const berth_toleration &toleration, const berth_taint &taint) {
    const auto effect = view(toleration.effect), key = view(toleration.key), op = view(toleration.op);
    if (!effect.empty() && effect != view(taint.effect)) return false;
    if (!key.empty() && key != view(taint.key)) return false;
    if (op.empty() || op == "Equal") return view(toleration.value) == view(taint.value);
    return op == "Exists";
}

/// Does one of the tolerations match the taint?
inline bool tolerated(std::span<const berth_toleration> tolerations, const berth_taint &taint) {
    return std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const berth_toleration &toleration) { return tolerates(toleration, taint); });
}

/// Does the taint keep pods away that do not tolerate it? One with PreferNoSchedule, or with an effect that is unknown,
/// does not.
inline bool keeps_away(const berth_taint &taint) {
    return view(taint.effect) == "NoSchedule" || view(taint.effect) == "NoExecute";
}

}  // namespace berth
