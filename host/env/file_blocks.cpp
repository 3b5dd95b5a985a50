// SPDX-License-Identifier: Apache-2.0
#include "env/file_blocks.h"

#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <vector>

namespace berth::env {
namespace {

/// The content from offset `at` on, as much as `block` takes: less only at the end of the file.
model::Result<std::string_view> read_block(int fd, off_t at, std::vector<char> &block) {
    std::size_t filled = 0;
    while (filled < block.size()) {
        auto got = ::pread(fd, block.data() + filled, block.size() - filled, at + static_cast<off_t>(filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return model::Error{std::generic_category().message(errno)};
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return std::string_view(block.data(), filled);
}

constexpr std::size_t block_size = 1 << 16;

}  // namespace

model::Result<void> each_block(int fd, const std::function<void(std::string_view)> &take) {
    std::vector<char> block(block_size);
    for (off_t at = 0;;) {
        auto content = read_block(fd, at, block);
        if (!content) return content.error();
        if (!content->empty()) take(*content);
        if (content->size() < block.size()) return {};
        at += static_cast<off_t>(content->size());
    }
}

model::Result<bool> same_content(int a, int b) {
    std::vector<char> of_a(block_size), of_b(block_size);
    for (off_t at = 0;;) {
        auto content = read_block(a, at, of_a);
        if (!content) return content.error();
        auto other = read_block(b, at, of_b);
        if (!other) return other.error();
        if (*content != *other) return false;
        if (content->size() < of_a.size()) return true;
        at += static_cast<off_t>(content->size());
    }
}

}  // namespace berth::env
