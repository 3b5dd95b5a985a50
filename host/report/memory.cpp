// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include "model/build.h"
#include "report/answer_values.h"

#include <algorithm>
#include <cmath>

namespace berth::report {
namespace {

std::string mebibytes(std::uint64_t bytes) {
    constexpr std::uint64_t mebibyte = 1 << 20;
    return std::to_string((bytes + mebibyte / 2) / mebibyte) + " MiB";
}

}  // namespace

std::uint64_t MemoryUse::of(std::string_view kind) const {
    const auto at = std::ranges::find(kinds, kind, &MemoryKind::name);
    return at == kinds.end() ? 0 : at->bytes;
}

MemoryUse memory_use(std::vector<MemoryKind> owned, const env::ProcessMemory &process,
                     const std::optional<env::GroupMemory> &group) {
    MemoryUse out{std::move(owned), process.resident, group};
    out.kinds.push_back({"program", process.files});
    std::uint64_t attributed = 0;
    for (const auto &kind : out.kinds) attributed += kind.bytes;
    const auto rest = process.resident - std::min(process.resident, attributed);
    // Of the heap that is free some pages may have been given back.
    const auto free = std::min(process.free_heap, rest);
    out.kinds.push_back({"free", free});
    out.kinds.push_back({"other", rest - free});
    return out;
}

std::string memory_warning(const MemoryUse &use) {
    constexpr std::uint64_t tenths = 10, most = 9;
    if (!use.group) return {};
    const auto &[limit, used, left] = *use.group;
    const bool nearly_all = used / most >= limit / tenths;
    const auto pods = use.of("pods");
    if (!nearly_all && pods <= left + use.of("free")) return {};
    return "memory is short: " + mebibytes(used) + " of " + mebibytes(limit) + " are in use, " + mebibytes(pods) +
           " of them by pods, which a new list needs once more; raise the container's limit (clusterSize of the chart)";
}

std::string json(const Answerer &by, const MemoryUse &use) {
    model::Arena arena;
    auto out = answer_head(arena, "MemoryUse", by, nullptr);
    out.add("resident", use.resident);
    if (use.group) out.add("limit", use.group->limit).add("used", use.group->used).add("left", use.group->free);
    model::ArrayBuilder kinds(arena);
    for (const auto &kind : use.kinds) {
        model::ObjectBuilder one(arena);
        kinds.add(one.add("name", kind.name).add("bytes", kind.bytes).value());
    }
    out.add("kinds", kinds);
    if (const auto warning = memory_warning(use); !warning.empty()) add_texts(arena, out, "warnings", {warning});
    return text_of(out);
}

}  // namespace berth::report
