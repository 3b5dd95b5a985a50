// SPDX-License-Identifier: Apache-2.0
#include "env/file_blocks.h"

#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <vector>

namespace berth::env {

model::Result<void> each_block(int fd, const std::function<void(std::string_view)> &take) {
    std::vector<char> block(1 << 16);
    std::size_t filled = 0;
    for (off_t at = 0;;) {
        auto got = ::pread(fd, block.data() + filled, block.size() - filled, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return model::Error{std::generic_category().message(errno)};
        at += got;
        filled += static_cast<std::size_t>(got);
        // A short read is no end: blocks are of one size however the system cuts them.
        if (got != 0 && filled < block.size()) continue;
        if (filled > 0) take({block.data(), filled});
        if (got == 0) return {};
        filled = 0;
    }
}

}  // namespace berth::env
