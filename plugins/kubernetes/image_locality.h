// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

#include <algorithm>

namespace kubernetes {

/// Score: the more bytes of the pod's images a node holds already, the better, damped by how few nodes hold them.
class ImageLocality {
    static constexpr std::int64_t mib = 1024 * 1024;
    static constexpr std::int64_t min_threshold = 23 * mib, max_per_container = 1000 * mib;
    std::uint32_t images_;

    /// The name as the runtime's interface writes it: with a tag.
    static std::string normalized(std::string_view name) {
        auto colon = name.rfind(':'), slash = name.rfind('/');
        bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
        return std::string(name) + (tagged ? "" : ":latest");
    }

public:
    static constexpr const char *description = "Prefers nodes that already hold the pod's images";

    explicit ImageLocality(const berth::Host &host) : images_(host.column(BERTH_NODE_IMAGES)) {}

    void score(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        auto images = nodes.column(images_);
        auto dict = images.dict<berth_image>();
        // What one node's holding of each image is worth: its size, scaled by the share of nodes that hold it, for
        // each use in the pod.
        auto worth = call.scratch<std::int64_t>(dict.size());
        std::fill(worth.begin(), worth.end(), 0);
        std::int64_t containers = 0;
        bool any = false;
        for (const auto &image : pod.images()) {
            if (image.use != BERTH_IMAGE_VOLUME) ++containers;
            auto name = normalized(berth::view(image.name));
            for (std::size_t i = 0; i < dict.size(); ++i) {
                if (berth::view(dict[i].name) != name) continue;
                double spread = static_cast<double>(dict[i].node_count) / static_cast<double>(nodes.count());
                worth[i] += static_cast<std::int64_t>(static_cast<double>(dict[i].size_bytes) * spread);
                any = true;
            }
        }
        std::int64_t max_threshold = max_per_container * containers;
        for (std::size_t i : call.each(slots)) {
            std::int64_t sum = 0;
            if (any)
                for (auto code : images.codes(slots[i])) sum += worth[code];
            sum = std::min(std::max(sum, min_threshold), std::max(max_threshold, min_threshold));
            out[i] = max_threshold == min_threshold ? 0 : 100 * (sum - min_threshold) / (max_threshold - min_threshold);
        }
    }

    /// How many nodes there are, and how many hold an image, is looked at too.
    bool sign(berth::Pod pod, berth::Nodes nodes, berth::Signature signature) const {
        auto images = nodes.column(images_);
        for (const auto &image : pod.images()) {
            signature.add(image.use);
            auto name = normalized(berth::view(image.name));
            signature.add(name);
            for (const auto &known : images.dict<berth_image>()) {
                if (berth::view(known.name) != name) continue;
                signature.add(known.size_bytes);
                signature.add(known.node_count);
                signature.add(nodes.count());
            }
        }
        return true;
    }
};

}  // namespace kubernetes
