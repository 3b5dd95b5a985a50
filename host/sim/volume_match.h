// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The match of PersistentVolumes to claims (component-helpers v0.36.3, storage/volume/pv_helpers.go).

#include "model/value.h"

#include <berth/selector.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace berth::sim {

std::string_view annotation(model::Value object, std::string_view key);
/// The class of a claim or volume; "" if it has none.
std::string_view class_of(model::Value claim_or_volume);
/// Is the volume reserved for that claim, or bound to it?
bool is_for(model::Value volume, model::Value claim);
/// Does the volume have all access modes of the claim?
bool has_modes_of(model::Value claim, model::Value volume);
/// Big enough, of the claim's modes, and not on its way out: what even a reserved volume has to be.
bool could_hold(model::Value volume, model::Value claim);
/// Which volumes a claim selects: without a selector every one. Nullopt if Kubernetes refuses its selector.
std::optional<LabelSelector> selector_of(model::Value claim);
/// An unclaimed volume: available, of the claim's class, and selected by `selector`, the claim's.
bool is_free_for(model::Value volume, model::Value claim, const LabelSelector &selector);

}  // namespace berth::sim
