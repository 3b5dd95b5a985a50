// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The runtime of `berth run`: it schedules a live cluster.

#include "api/serving.h"
#include "config/configuration.h"
#include "live/recording.h"
#include "live/shadow_source.h"
#include "live/transports.h"
#include "model/decision.h"
#include "model/result.h"
#include "plugin/quarantine.h"
#include "plugin/sources.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::live {

/// A flag that was given and changes nothing, and why.
struct IdleFlag {
    std::string flag, value, why;
};
/// Such a reason.
inline constexpr const char *file_counts = "with --config the configuration counts";

struct RunOptions {
    std::string config;  ///< empty: the built-in one
    config::Release release;
    std::string kubeconfig;  ///< empty: what the configuration says, else as a pod of the cluster, else $KUBECONFIG
    std::string context;     ///< of the kubeconfig; empty: its current one
    std::string master;      ///< the API server's address, which overrides every other; empty: none was given
    /// Puts what the command line says into the configuration; the error is what is wrong with the result.
    std::function<model::Result<void>(config::Configuration &)> override_configuration;
    std::vector<IdleFlag> idle;      ///< reported in the log
    bool as_kube_scheduler = false;  ///< no command was given
    plugin::PluginOptions plugins;
    ShadowOptions shadow;
    api::ServingOptions serving;
    std::optional<std::uint64_t> seed;
    std::string decisions;  ///< where to write the decision log; "-": standard output; empty: nowhere
    model::Detail detail = model::Detail::Summary;
    TransportKind transport = TransportKind::Mixed;
    int verbosity = 0;
    RecordOptions record;
    plugin::OnFailure on_plugin_failure = plugin::OnFailure::FailPod;
    std::string crash_record;  ///< empty: the usual file; "-": none
};

/// The configuration with what the command line says of it.
model::Result<config::Configuration> read_configuration(const RunOptions &options);

enum class Ended { Requested, LostLeadership };

/// Runs until SIGTERM or SIGINT, or until another instance leads. The error is why it could not begin. To be called
/// before the process has a second thread.
model::Result<Ended> run(const RunOptions &options);

}  // namespace berth::live
