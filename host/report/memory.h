// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The report of the process's memory by use, and the warning near its limit (docs/operate.md#memory).

#include "env/memory.h"
#include "report/explanation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// Bytes of a kind of things, about: what malloc adds is estimated.
struct MemoryKind {
    std::string_view name;  ///< "pods", as a label of berth_memory_bytes
    std::uint64_t bytes = 0;
};

struct MemoryUse {
    /// With what the system says: "program", the pages of its file and of its libraries; "free", heap that is kept for
    /// what comes; and "other", the rest. Together they are `resident`, or somewhat more when pages are not in memory.
    std::vector<MemoryKind> kinds;
    std::uint64_t resident = 0;             ///< as process_resident_memory_bytes
    std::optional<env::GroupMemory> group;  ///< nothing: no limit

    std::uint64_t of(std::string_view kind) const;
};

/// `owned`: what the parts of the scheduler say that they hold.
MemoryUse memory_use(std::vector<MemoryKind> owned, const env::ProcessMemory &process,
                     const std::optional<env::GroupMemory> &group);

/// A sentence if little of the limit is left: less than a tenth, or less than the pods need when they are listed anew,
/// for then they are there twice for a moment. Else "".
std::string memory_warning(const MemoryUse &use);

/// `kind: MemoryUse`.
std::string json(const Answerer &by, const MemoryUse &use);

}  // namespace berth::report
