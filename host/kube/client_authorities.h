// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The certificate authorities of the cluster's clients (extension-apiserver-authentication).

#include "kube/transport.h"
#include "model/result.h"

#include <functional>
#include <string>

namespace berth::kube {

/// Reads `client-ca-file` of the ConfigMap kube-system/extension-apiserver-authentication, in which the API server says
/// it. `done` is called once, from any thread: PEM, maybe empty, or why it cannot be read.
void find_client_authorities(Transport &transport, std::function<void(model::Result<std::string>)> done);

}  // namespace berth::kube
