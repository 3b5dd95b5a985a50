// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_subject.h"

#include "config/file.h"
#include "config/read.h"

namespace berth::cli {

model::Result<config::Configuration> PluginSubject::configuration() const {
    auto scenario = cluster.read_scenario();
    if (!scenario) return scenario.error();
    if (config.empty() && *scenario && (*scenario)->configuration)
        return config::read(*(*scenario)->configuration, cluster.release);
    return config::read_config(config, cluster.release);
}

}  // namespace berth::cli
