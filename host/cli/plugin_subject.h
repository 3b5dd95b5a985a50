// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The subject of `berth plugin verify` and `bench`: a library, its arguments, and the cluster for its calls.

#include "config/configuration.h"
#include "verify/material.h"

#include <cstdint>
#include <string>

namespace berth::cli {

struct PluginSubject {
    std::string file;  ///< FILE or FILE#PLUGIN
    std::string config;
    verify::ClusterFiles cluster;  ///< none: it is generated
    std::uint64_t seed = 1;
    bool insecure = false, json = false;

    /// That of `--config`, else that of the scenario, else the default one.
    model::Result<config::Configuration> configuration() const;
};

}  // namespace berth::cli
