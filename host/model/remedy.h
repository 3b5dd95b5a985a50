// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A remedy: the smallest change of a node or pod after which the pod would fit (berth.remedy/draft1).

#include <cstdint>
#include <string>
#include <vector>

namespace berth::model {

/// The smallest change of one node, or of the pod, as the plugins that reject the node say it (berth.remedy/draft1).
struct Remedy {
    struct Change {
        /// As BERTH_CHANGE_… of <berth/draft/remedy.h>, in the order in which they are shown.
        enum class Kind : std::uint8_t { Resource, Pods, Toleration, Uncordon, Label, NoLabel, Other };
        Kind kind = Kind::Other;
        std::string name{}, value{}, effect{};
        std::int64_t amount = 0;  ///< cpu: milli-CPU; bytes, pods, pieces

        bool same_but_amount(const Change &other) const {
            return kind == other.kind && name == other.name && value == other.value && effect == other.effect;
        }
    };

    std::string node{};
    std::string plugin{};           ///< those that reject the node, as in "A, B"
    std::vector<Change> changes{};  ///< all of them are needed
    double size = 0;                ///< of what the pod requests, the largest share that is missing
    std::size_t nodes = 1;          ///< that lack the same, be it more of it
};

}  // namespace berth::model
