// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The choice of API server and credentials, from flags, the configuration or the pod.

#include "config/configuration.h"
#include "kube/kubeconfig.h"
#include "live/run.h"

namespace berth::live {

/// From `--kubeconfig`, the configuration, or what Kubernetes gives each pod; `--master` has the last word. Without a
/// command, `--kubeconfig` is ignored beside `--config`, as kube-scheduler does, and `idle` gets it.
model::Result<kube::Credentials> find_credentials(const RunOptions &options, const config::Configuration &configuration,
                                                  std::vector<IdleFlag> &idle);

}  // namespace berth::live
