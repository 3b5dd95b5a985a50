// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Names of pods and nodes in messages.

#include "model/pod.h"

#include <string>

namespace berth::cycle {

inline std::string in_words(const berth_pod &pod) {
    return "pod \"" + std::string(model::view(pod.namespace_)) + "/" + std::string(model::view(pod.name)) + "\"";
}

inline std::string in_words(const berth_nodes &nodes, std::uint32_t slot) {
    return "node \"" + std::string(model::view(nodes.name[slot])) + "\"";
}

}  // namespace berth::cycle
