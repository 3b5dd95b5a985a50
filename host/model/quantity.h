// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The alias of the SDK's resource quantities (sdk/include/berth/quantity.hpp), which plugins read, too.

#include <berth/quantity.hpp>

namespace berth::model {

using berth::Quantity;

}  // namespace berth::model
