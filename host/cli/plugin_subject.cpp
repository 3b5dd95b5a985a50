// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_subject.h"

#include "offline/simulated.h"

namespace berth::cli {

model::Result<config::Configuration> PluginSubject::configuration() const {
    auto scenario = cluster.read_scenario();
    if (!scenario) return scenario.error();
    offline::SimulateOptions options;
    options.release = cluster.release;
    const auto gates = offline::gates_of(options, *scenario);
    if (!gates) return gates.error();
    return offline::configuration_of(options, config, *scenario, *gates);
}

}  // namespace berth::cli
