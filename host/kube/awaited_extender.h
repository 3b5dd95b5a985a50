// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Extenders in a simulation: real servers, whose answers the simulated time waits for.

#include "config/extender.h"
#include "env/extender.h"
#include "model/result.h"

#include <memory>
#include <vector>

namespace berth::kube {

/// Those of a configuration, each answering from within the call. The error is that of an address or certificate, or
/// that an extender binds: it would need an API server.
model::Result<std::vector<std::unique_ptr<env::Extender>>> awaited_extenders(
    const std::vector<config::Extender> &extenders);

}  // namespace berth::kube
