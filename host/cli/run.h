// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth run`: schedules a live cluster.

#include "cli/election_flags.h"
#include "cli/kube_scheduler_flags.h"
#include "cli/recording.h"
#include "cli/serving.h"
#include "cli/shadow_source.h"
#include "cli/sources.h"
#include "model/decision.h"
#include "plugin/quarantine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace berth::cli {

/// What speaks HTTP with the API server. Mixed: cpprestsdk lists and watches, Boost.Beast writes.
enum class TransportKind { Mixed, Cpprest, Beast };

struct RunOptions {
    std::string config;      ///< empty: the built-in one
    std::string kubeconfig;  ///< empty: what the configuration says, else as a pod of the cluster
    KubeSchedulerFlags kube_scheduler;
    bool as_kube_scheduler = false;  ///< no command was given
    PluginOptions plugins;
    ShadowOptions shadow;
    ElectionFlags election;
    ServingOptions serving;
    std::optional<std::uint64_t> seed;
    std::string decisions;  ///< where to write the decision log; "-": standard output; empty: nowhere
    model::Detail detail = model::Detail::Summary;
    TransportKind transport = TransportKind::Mixed;
    int verbosity = 0;
    RecordOptions record;
    plugin::OnFailure on_plugin_failure = plugin::OnFailure::FailPod;
    std::string crash_record;     ///< empty: the usual file; "-": none
    std::string write_config_to;  ///< write the merged configuration there and end; empty: schedule
};

/// Runs until the process is asked to end; returns the exit code. To be called before the process has a second thread.
int run(const RunOptions &options);

}  // namespace berth::cli
