// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes' quantities, by the name that the rooms use. Plugins read the same ones, so that they are the SDK's.

#include <berth/quantity.hpp>

namespace berth::model {

using berth::Quantity;

}  // namespace berth::model
