// SPDX-License-Identifier: Apache-2.0
#include "plugin/remedy_fault.h"

namespace berth::plugin {
namespace {

constexpr std::uint64_t most_changes = 64;

std::optional<std::string> fault_of(const berth_change &change) {
    const bool counts = change.kind == BERTH_CHANGE_RESOURCE || change.kind == BERTH_CHANGE_PODS;
    const bool named = change.kind != BERTH_CHANGE_PODS && change.kind != BERTH_CHANGE_UNCORDON;
    if (change.kind < BERTH_CHANGE_RESOURCE || change.kind > BERTH_CHANGE_OTHER)
        return "added a remedy with a change of kind " + std::to_string(change.kind) + ", which this ABI does not have";
    if (counts && change.amount <= 0)
        return "added a remedy with the amount " + std::to_string(change.amount) + ", which is not positive";
    if (named && change.name.len == 0) return "added a remedy with a change that has no name";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> fault_of_remedy(const berth_change *changes, std::uint64_t n) {
    if (n == 0 || n > most_changes) return "added a remedy of " + std::to_string(n) + " changes, not of 1 to 64";
    for (std::uint64_t i = 0; i < n; ++i)
        if (auto fault = fault_of(changes[i])) return fault;
    return std::nullopt;
}

}  // namespace berth::plugin
