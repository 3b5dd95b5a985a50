// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreFilter's extensions AddPod and RemovePod (upstream: RunPreFilterExtensionAddPod, -RemovePod). By them, what
/// PreFilter computed stays true while a node is tried with other pods on it.

#include "cycle/search.h"

namespace berth::cycle {

enum class Change : std::uint8_t { Added, Removed };

/// Calls AddPod or RemovePod of `plugins`: `other` was put on the node of `slot`, or taken from it; `search` has the
/// state that they are to change, and a snapshot that shows the node as it is now. Success, or the failure of a plugin
/// with its complete text.
model::Status run_extensions(const Search &search, std::span<const plugin::Instance *const> plugins, Change change,
                             const berth_pod &other, std::uint32_t slot);

}  // namespace berth::cycle
