// SPDX-License-Identifier: Apache-2.0
#include "env/content_hash.h"

#include "env/file_blocks.h"

#include <functional>
#include <string_view>

namespace berth::env {

model::Result<std::uint64_t> content_hash(int fd) {
    std::uint64_t hash = 0;
    auto read = each_block(fd, [&](std::string_view block) {
        hash = (hash ^ std::hash<std::string_view>{}(block)) * 0x9E3779B97F4A7C15U;
    });
    if (!read) return read.error();
    return hash;
}

}  // namespace berth::env
