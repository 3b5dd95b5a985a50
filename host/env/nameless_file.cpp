// SPDX-License-Identifier: Apache-2.0
#include "env/nameless_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace berth::env {

NamelessFile::NamelessFile(std::string_view text) : fd_(::memfd_create("what-if", MFD_CLOEXEC)) { write(text); }

NamelessFile::~NamelessFile() {
    if (fd_ >= 0) ::close(fd_);
}

void NamelessFile::write(std::string_view text) {
    while (fd_ >= 0 && !text.empty()) {
        const auto n = ::write(fd_, text.data(), text.size());
        if (n <= 0) break;
        size_ += static_cast<std::uint64_t>(n);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

std::string NamelessFile::path() const { return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd_); }

}  // namespace berth::env
