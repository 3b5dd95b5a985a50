// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The HTTP transport by cpprestsdk.

#include "kube/kubeconfig.h"
#include "kube/transport.h"
#include "model/result.h"

#include <memory>

namespace berth::kube {

/// Keeps OpenSSL from cleaning up at exit under threads that still use it, and starts the I/O threads.
/// To be called first of all, once, while the process has one thread; signals that were blocked before stay blocked in
/// the I/O threads.
void prepare_process();

/// The error says what is wrong with certificates or keys.
model::Result<std::unique_ptr<Transport>> make_cpprest_transport(const Credentials &credentials);

}  // namespace berth::kube
