// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of PersistentVolumes to claims (component-helpers v0.36.3, storage/volume/pv_helpers.go).

#include "model/value.h"

#include <string>
#include <string_view>

namespace berth::sim {

std::string_view annotation(model::Value object, std::string_view key);
/// The class of a claim or volume; "" if it has none.
std::string_view class_of(model::Value claim_or_volume);
/// Is the volume reserved for that claim, or bound to it?
bool is_for(model::Value volume, model::Value claim);
/// Big enough, of the claim's modes, and not on its way out: what even a reserved volume has to be.
bool could_hold(model::Value volume, model::Value claim);
/// An unclaimed volume: available, of the claim's class, and one that the claim selects; without a selector it selects
/// every volume.
bool is_free_for(model::Value volume, model::Value claim);

}  // namespace berth::sim
