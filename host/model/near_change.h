// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What would have to be different for a pod to fit on a node that keeps it away.

#include <cstdint>
#include <string>
#include <vector>

namespace berth::model {

/// The least change of one node, or of the pod, that answers the plugin which alone rejects the node.
struct NearChange {
    /// In the order in which they are told.
    enum class Kind {
        Resource,  ///< the node has `amount` more of `name`, or the pod asks for so much less
        Pods,      ///< the node takes `amount` more pods
        Taint,     ///< the pod tolerates `name`=`value`:`effect`, or the node loses it
        Cordon,    ///< the node takes new pods
        Label,     ///< the node has the label `name` with `value`
        NoLabel,   ///< the node does not have the label `name`
        Reason,    ///< what the plugin said, in `name`: nobody else knows what it takes
    };
    struct Part {
        Kind kind = Kind::Reason;
        std::string name, value{}, effect{};
        std::int64_t amount = 0;  ///< cpu: milli-CPU; bytes, pods, pieces
    };
    std::string node, plugin;
    std::vector<Part> parts;  ///< all of them are needed; not empty
    double size = 0;          ///< of what the pod asks for, the largest share that is missing
    std::size_t nodes = 1;    ///< that lack the same, be it more of it
};

}  // namespace berth::model
