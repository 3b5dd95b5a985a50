// SPDX-License-Identifier: Apache-2.0
#include "plugin/sealed.h"

#include "plugin/fault.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U  // since Linux 6.3
#endif

namespace berth::plugin {
namespace {

std::string system_text() { return std::generic_category().message(errno); }

/// The name is what /proc/PID/maps shows. The memory need not be a program, and since Linux 6.3 a system may want to
/// hear so; mapping it as code is something else.
int memory_file(const std::string &file) {
    constexpr std::size_t longest = 200;
    const auto name = file.substr(file.rfind('/') + 1).substr(0, longest);
    const int fd = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd >= 0 || errno != EINVAL ? fd : ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// The first `size` bytes, or fewer if there are no more.
model::Result<void> copy(int from, int to, std::uint64_t size, const std::string &file) {
    constexpr std::uint64_t block = 1 << 20;
    std::vector<char> bytes(std::min(size, block));
    for (std::uint64_t at = 0; at < size;) {
        const auto n = ::pread(from, bytes.data(), std::min(size - at, block), static_cast<off_t>(at));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fault(file, "cannot be read: " + system_text());
        if (n == 0) break;
        if (!write_all(to, {bytes.data(), static_cast<std::size_t>(n)}))
            return fault(file, "cannot be copied into memory: " + system_text());
        at += static_cast<std::uint64_t>(n);
    }
    return {};
}

/// Checks that the file did not change meanwhile; otherwise the copy may mix two versions. (Replacing it is harmless.)
bool is_whole(const struct stat &before, const struct stat &after, const struct stat &copied) {
    return before.st_size == after.st_size && before.st_size == copied.st_size &&
           before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

/// The kernel refuses (EBUSY) while it holds pages of the file for a moment itself, as it does on a busy machine.
bool seal(int fd) {
    constexpr int tries = 100;
    constexpr std::chrono::milliseconds pause{20};
    for (int i = 0; i < tries; ++i) {
        if (::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) return true;
        if (errno != EBUSY) return false;
        std::this_thread::sleep_for(pause);
    }
    return false;
}

}  // namespace

model::Result<void> check_size(const std::string &file, std::uint64_t bytes) {
    if (bytes <= most_library_bytes) return {};
    return fault(file, "has " + std::to_string(bytes) + " bytes; a library has " + std::to_string(most_library_bytes) +
                           " at most: strip it");
}

model::Result<env::Descriptor> sealed_copy(int fd, const std::string &file) {
    struct stat before{}, after{}, copied{};
    if (::fstat(fd, &before) != 0) return fault(file, "cannot be read: " + system_text());
    const auto size = static_cast<std::uint64_t>(before.st_size);
    if (auto ok = check_size(file, size); !ok) return ok.error();
    env::Descriptor out(memory_file(file));
    if (!out) return fault(file, "cannot be copied into memory: " + system_text());
    if (auto ok = copy(fd, out.get(), size, file); !ok) return ok.error();
    if (::fstat(fd, &after) != 0 || ::fstat(out.get(), &copied) != 0)
        return fault(file, "cannot be read: " + system_text());
    if (!is_whole(before, after, copied))
        return fault(file,
                     "was written while it was being read; replace it by rename (install it under another name in the "
                     "same directory, then mv)");
    if (!seal(out.get())) return fault(file, "its copy in memory cannot be sealed: " + system_text());
    return out;
}

}  // namespace berth::plugin
