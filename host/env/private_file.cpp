// SPDX-License-Identifier: Apache-2.0
#include "env/private_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace berth::env {

model::Result<std::ofstream> open_private(const std::string &path) {
    constexpr int owner_only = 0600;
    // Held until the stream has it, too: a reader of a pipe would take the first end for the last.
    const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, owner_only);
    if (made < 0) return model::Error{std::strerror(errno)};
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    const int why = errno;
    ::close(made);
    if (!out) return model::Error{std::strerror(why)};
    return out;
}

}  // namespace berth::env
