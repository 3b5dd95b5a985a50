// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The memory of this process and its cgroup's limit.

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

/// nullopt: no group has a limit, or none can be read. Reads a few files; any thread. `root` is put before the paths.
std::optional<GroupMemory> group_memory(const std::string &root = "");

/// This process. Bytes; 0 where the system does not say.
struct ProcessMemory {
    std::uint64_t resident = 0;   ///< its pages that are in memory
    std::uint64_t files = 0;      ///< those of them that are of files: the program and its libraries
    std::uint64_t free_heap = 0;  ///< what malloc keeps for what comes; some of it may not be in memory
};
/// Reads a file, and holds up malloc for a moment. Any thread.
ProcessMemory process_memory(const std::string &root = "");

}  // namespace berth::env
