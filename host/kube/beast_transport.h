// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The HTTP transport by Boost.Beast, with connections that are kept open, on one thread.

#include "kube/kubeconfig.h"
#include "kube/transport.h"
#include "model/result.h"

#include <memory>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace berth::kube {

/// On a thread of its own, in which signals that are blocked stay blocked. The error says what is wrong with the
/// address, certificates or keys.
model::Result<std::unique_ptr<Transport>> make_beast_transport(const Credentials &credentials);

/// On the thread that runs `loop` and calls it, so that no thread wakes another. `loop` outlives it, and does not run
/// any more when it is destroyed.
model::Result<std::unique_ptr<Transport>> make_beast_transport_on(boost::asio::io_context &loop,
                                                                  const Credentials &credentials);

}  // namespace berth::kube
