// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A configuration with other weights of plugins, or with plugins enabled or disabled.

#include "config/configuration.h"
#include "kube/served.h"
#include "model/result.h"
#include "model/value.h"

#include <string>
#include <variant>
#include <vector>

namespace berth::api {

/// What is changed of `configuration` by `{"profiles": [{"name", "weights": {PLUGIN: N}, "enable": [PLUGIN],
/// "disable": [PLUGIN]}]}`, as a file of v1; a plugin that is enabled is so wherever it can be, after all others. Or
/// what is wrong with it. Without changes it is written down as it is; so it is where `addNodes` is all that is
/// changed.
std::variant<std::string, std::vector<kube::Cause>> changed_config(const config::Configuration &configuration,
                                                                   model::Value changes);

}  // namespace berth::api
