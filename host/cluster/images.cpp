// SPDX-License-Identifier: Apache-2.0
#include "cluster/images.h"

namespace berth::cluster {

template <class F>
void Images::each(const model::Node &node, F f) {
    ++walk_;
    for (const auto &image : node.images) {
        for (const auto &name : image.names) {
            auto code = names_.code({name, 0, 0, 0});
            if (code >= seen_.size()) seen_.resize(code + 1);
            if (seen_[code] == walk_) continue;
            seen_[code] = walk_;
            f(code, image.size_bytes);
        }
    }
}

void Images::add(const model::Node &node) {
    each(node, [&](std::uint32_t code, std::int64_t size) {
        auto &image = names_.at(code);
        if (image.node_count++ == 0) image.size_bytes = size;
        names_.hold(code);
    });
}

void Images::remove(const model::Node &node) {
    each(node, [&](std::uint32_t code, std::int64_t) {
        --names_.at(code).node_count;
        names_.release(code);
    });
}

void Images::codes(const model::Node &node, std::vector<std::uint32_t> &out) {
    out.clear();
    each(node, [&](std::uint32_t code, std::int64_t size) {
        auto &image = names_.at(code);
        if (image.node_count == 0) image.size_bytes = size;
        out.push_back(code);
    });
}

}  // namespace berth::cluster
