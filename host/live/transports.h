// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The choice of HTTP transports to the API server: cpprestsdk, Boost.Beast or both.

#include "env/loop.h"
#include "kube/kubeconfig.h"
#include "kube/transport.h"

#include <memory>

namespace berth::live {

/// Mixed: cpprestsdk lists and watches, Boost.Beast writes.
enum class TransportKind { Mixed, Cpprest, Beast };

/// Those for reading, and for writing and following the pods; maybe the same one. Destroyed when the loop that they
/// were made for does not run any more.
struct Transports {
    std::shared_ptr<kube::Transport> reads, writes;
};

model::Result<Transports> make_transports(env::Loop &loop, TransportKind kind, const kube::Credentials &credentials);

}  // namespace berth::live
