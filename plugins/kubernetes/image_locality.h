// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin ImageLocality: nodes that hold more of the pod's images score higher.

#include "release.h"
#include "wrapping.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace kubernetes {

/// Score: the more bytes of the pod's images a node holds already, the better, damped by how few nodes hold them.
class ImageLocality {
    static constexpr std::int64_t mib = 1024 * 1024;
    static constexpr std::int64_t min_threshold = 23 * mib, max_per_container = 1000 * mib;
    Rules rules_;
    std::uint32_t images_;

    /// The name as the runtime's interface writes it: with a tag.
    static std::string normalized(std::string_view name) {
        auto colon = name.rfind(':'), slash = name.rfind('/');
        bool tagged = colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
        return std::string(name) + (tagged ? "" : ":latest");
    }

    /// A pod's images in order, so that each of the cluster's is looked up among them.
    class Names {
        std::vector<std::string> names_;       // by place in the pod
        std::vector<std::uint64_t> in_order_;  // places

        std::string_view name(std::uint64_t place) const { return names_[place]; }

    public:
        explicit Names(berth::Pod pod) : in_order_(pod.images().size()) {
            for (const auto &image : pod.images()) names_.push_back(normalized(berth::view(image.name)));
            std::iota(in_order_.begin(), in_order_.end(), 0);
            std::ranges::stable_sort(in_order_, {}, [&](auto place) { return name(place); });
        }
        /// The places of the pod's images of that name.
        std::span<const std::uint64_t> of(const berth_image &image) const {
            return std::ranges::equal_range(in_order_, berth::view(image.name), {},
                                            [&](auto place) { return name(place); });
        }
    };

public:
    static constexpr const char *description = "Prefers nodes that already hold the pod's images";

    explicit ImageLocality(const berth::Host &host) : rules_(host), images_(host.column(BERTH_COLUMN_NODE_IMAGES)) {}

    void score(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        auto images = nodes.column(images_);
        auto dict = images.dict<berth_image>();
        // What one node's holding of each image is worth: its size, scaled by the share of nodes that hold it, for
        // each use in the pod.
        auto worth = call.scratch<std::int64_t>(dict.size());
        std::fill(worth.begin(), worth.end(), 0);
        const auto counted = std::ranges::count_if(pod.images(), [&](const berth_pod_image &image) {
            return rules_.image_volumes_divide || image.use <= BERTH_IMAGE_INIT_CONTAINER;
        });
        bool any = false;
        const Names names(pod);
        for (std::size_t i = 0; i < dict.size(); ++i) {
            const auto uses = names.of(dict[i]);
            if (uses.empty()) continue;
            double spread = static_cast<double>(dict[i].node_count) / static_cast<double>(nodes.count());
            worth[i] = wrapping::times(static_cast<std::int64_t>(static_cast<double>(dict[i].size_bytes) * spread),
                                       static_cast<std::int64_t>(uses.size()));
            any = true;
        }
        std::int64_t max_threshold = max_per_container * counted;
        for (std::size_t i : call.each(slots)) {
            std::int64_t sum = 0;
            if (any)
                for (auto code : images.codes(slots[i])) sum = wrapping::plus(sum, worth[code]);
            sum = std::min(std::max(sum, min_threshold), std::max(max_threshold, min_threshold));
            out[i] = max_threshold == min_threshold ? 0 : 100 * (sum - min_threshold) / (max_threshold - min_threshold);
        }
    }

    /// How many nodes there are, and how many hold an image, is looked at too.
    bool sign(berth::Pod pod, berth::Nodes nodes, berth::Signature signature) const {
        signature.add(std::uint64_t{pod.images().size()});
        for (const auto &image : pod.images()) {
            signature.add(image.use);
            signature.add(normalized(berth::view(image.name)));
        }
        const Names names(pod);
        bool any = false;
        for (const auto &known : nodes.column(images_).dict<berth_image>()) {
            const auto indices = names.of(known);
            if (indices.empty()) continue;
            signature.add(std::uint64_t{indices.size()});
            for (auto place : indices) signature.add(place);
            signature.add(known.size_bytes);
            signature.add(known.node_count);
            any = true;
        }
        if (any) signature.add(nodes.count());
        return true;
    }
};

}  // namespace kubernetes
