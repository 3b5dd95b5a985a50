// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Transport by Boost.Beast: one thread, and connections that are kept and used again.

#include "kube/kubeconfig.h"
#include "kube/transport.h"
#include "model/result.h"

#include <memory>

namespace berth::kube {

/// The error says what is wrong with the address, certificates or keys. Signals that are blocked stay blocked in its
/// thread.
model::Result<std::unique_ptr<Transport>> make_beast_transport(const Credentials &credentials);

}  // namespace berth::kube
