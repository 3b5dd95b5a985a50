// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The options of `berth simulate`.

#include "config/feature_gates.h"
#include "live/recording.h"
#include "live/shadow_source.h"
#include "model/decision.h"
#include "plugin/sources.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::offline {

enum class Output { Table, Json, Yaml };

struct SimulateOptions {
    std::vector<std::string> inputs;         ///< files, directories, "-"
    std::vector<std::string> configs;        ///< none: the scenario's, or the built-in one; several are compared
    std::vector<std::string> add_nodes;      ///< files of nodes that there are besides
    std::vector<std::string> without_nodes;  ///< names of nodes that are gone
    plugin::PluginOptions plugins;
    live::ShadowOptions shadow;
    std::optional<config::Release> release;  ///< nothing: the scenario's, or the usual one
    config::GateFlags gates;
    std::uint64_t seed = 1;
    std::uint64_t memory_limit = 0;  ///< bytes of its own that it may take; 0: as many as there are
    Output output = Output::Table;
    bool all = false;
    std::string explain;    ///< "namespace/name" or a name; empty: nothing is explained
    std::string decisions;  ///< where to write the decision log; "-": standard output instead of the result
    model::Detail detail = model::Detail::Summary;
    std::string plot;  ///< where to draw what came about; empty: nowhere
    bool fail_on_pending = false;
    bool skip_unknown = false;  ///< leaves out what is no Kubernetes object
    live::RecordOptions record;
    int verbosity = 0;
    bool ui = false;  ///< shows the end in the dashboard
    std::uint16_t ui_port = 0;
    std::string web_dir;
};

}  // namespace berth::offline
