// SPDX-License-Identifier: Apache-2.0
#include "env/memory_end.h"

#include <sys/resource.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace berth::env {
namespace {

#ifdef BERTH_SANITIZED
constexpr bool has_shadow = true;  // which counts as data, and is larger than any limit
#else
constexpr bool has_shadow = false;
#endif

void (*add_place)(SignalLine &line) = nullptr;

/// Without memory of its own.
void end() {
    SignalLine line;
    line.add(out_of_memory);
    if (add_place) add_place(line);
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        line.add(": more than ").add(static_cast<std::int64_t>(limit.rlim_cur >> 20)).add(" MiB, which is its limit");
    line.add("\n").write_to(STDERR_FILENO);
    constexpr int wrong = 2;
    ::_exit(wrong);
}

}  // namespace

model::Result<void> end_without_memory(std::uint64_t most, void (*add_where)(SignalLine &line)) {
    add_place = add_where;
    std::set_new_handler(end);
    if (most == 0 || has_shadow) return {};
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_DATA, &limit) == 0) return {};
    return model::Error{std::string("RLIMIT_DATA cannot be set: ") + std::strerror(errno)};
}

}  // namespace berth::env
