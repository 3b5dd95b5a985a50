// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bytes as a file that lies in memory only, for readers that want a path or a descriptor.

#include "target.h"

#include <sys/mman.h>
#include <unistd.h>
#include <string>

namespace berth::fuzz {

class MemoryFile {
    int fd_;

public:
    explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        promise(fd_ >= 0, "a file in memory can be made");
        for (std::size_t done = 0; done < bytes.size();) {
            auto n = ::write(fd_, bytes.data() + done, bytes.size() - done);
            promise(n > 0, "a file in memory can be written");
            done += static_cast<std::size_t>(n);
        }
    }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    ~MemoryFile() { ::close(fd_); }

    int fd() const { return fd_; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
};

}  // namespace berth::fuzz
