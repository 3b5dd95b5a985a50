// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How much memory this process has, and how much it may have.

#include <cstdint>
#include <optional>
#include <string>

namespace berth::env {

/// The control groups that a process is in, from its own up to the topmost that it can see (cgroup v2 and v1). Bytes.
struct GroupMemory {
    std::uint64_t limit = 0;  ///< the smallest of their limits
    /// What the group of that limit uses, without the file pages that the kernel can take back at once (inactive_file):
    /// the working set of cAdvisor and of the kubelet.
    std::uint64_t used = 0;
    std::uint64_t free = 0;  ///< what is left to the group that has the least left
};

/// nullopt: no group has a limit, or none can be read. Reads a few files; any thread. `root` stands before the paths.
std::optional<GroupMemory> group_memory(const std::string &root = "");

/// Pages of this process that are in memory, in bytes; 0 if the system does not say. Any thread.
std::uint64_t resident_memory(const std::string &root = "");

}  // namespace berth::env
