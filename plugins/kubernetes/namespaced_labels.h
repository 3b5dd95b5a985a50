// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's namespace and labels as one text, the key of cached results.

#include <berth/plugin.hpp>

#include <string>

namespace kubernetes {

/// A pod's namespace and labels as one text: what is worked out once for all pods that have the same is kept under it.
inline std::string namespaced_labels(const berth::Pod &pod) {
    std::string out(pod.name_space());
    for (const auto &l : pod.labels())
        out.append(1, '\1').append(berth::view(l.key)).append(1, '\2').append(berth::view(l.value));
    return out;
}

}  // namespace kubernetes
