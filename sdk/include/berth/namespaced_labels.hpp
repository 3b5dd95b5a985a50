// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's namespace and labels as one text, the key of cached results.

#include <berth/plugin.hpp>

#include <string>

namespace berth {

/// See above. Users choose labels, so keep what is found under it in a Remembered.
inline std::string namespaced_labels(const Pod &pod) {
    std::string out(pod.name_space());
    for (const auto &l : pod.labels()) out.append(1, '\1').append(view(l.key)).append(1, '\2').append(view(l.value));
    return out;
}

}  // namespace berth
