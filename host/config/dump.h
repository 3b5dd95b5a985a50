// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The writer of a merged configuration, as kube-scheduler prints it at its start (and with --write-config-to). Every
/// field with its value, every set with its plugins, and the args of every plugin that is enabled.

#include "config/configuration.h"
#include "config/defaults.h"
#include "config/mutable_tree.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

/// The args, defaulted, of a plugin that the profile enables; null when there are none.
using ArgsOf = std::function<model::TreePtr(std::size_t profile, std::string_view plugin)>;

/// `configuration` as a file of `version`. Members are sorted by name.
MutableTree dump(const Configuration &configuration, const VersionDefaults &version, const ArgsOf &args);

/// The same without the private keys that stand in it (an extender's `keyData`), to be shown to others.
Configuration without_keys(Configuration configuration);

/// What `configuration` says and a file of `version` cannot, each a complete message.
std::vector<std::string> without_room(const Configuration &configuration, const VersionDefaults &version);

/// The args of a plugin that have a type in the version of `configuration`, as that version filled them in; those of
/// any other plugin as they stand. Null when there are none.
model::TreePtr legacy_args(const Configuration &configuration, std::size_t profile, std::string_view plugin);

}  // namespace berth::config
