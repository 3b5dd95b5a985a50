// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a KubeSchedulerConfiguration file: it decodes, merges, defaults and validates.

#include "config/configuration.h"
#include "decode/document.h"
#include "model/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::config {

/// Decodes `bytes` (YAML or JSON, `kubescheduler.config.k8s.io/v1`) strictly, merges every profile with the default
/// one, fills in defaults and validates, all as the kube-scheduler of `release` does. A file of an older version is
/// read as that version was and becomes one of v1; what has no equivalent there is among the warnings. `file` is the
/// name shown in messages. The error lists everything that is wrong, one per line, in the order of the file: file,
/// line, column, field path, then upstream's own text where upstream has one.
model::Result<Configuration> read(std::string_view bytes, const std::string &file, Release release = {});
/// The same for one that was decoded already, such as the part of a scenario.
model::Result<Configuration> read(decode::Document document, Release release = {});

/// The same with a list of all errors, including those that only plugins can find.
struct Reading {
    /// Nothing when the file does not say enough to go on. Fields about which there are errors have their defaults.
    std::optional<Configuration> configuration;
    std::string errors;  ///< one per line; empty if the file is right
};
Reading read_all(std::string_view bytes, const std::string &file, Release release = {});

/// What the host runs with when it is given no file: the default profile for `default-scheduler`.
Configuration built_in(Release release = {});

/// The position of the value at the JSON pointer `pointer` below the args of `plugin`. If the file does not contain the
/// value, line and column are those of the enclosing value, or of the entry that enables the plugin; the path is
/// always the full one. Line 0 when the file does not mention the plugin in that profile. `nth` as in
/// `Profile::config_of`.
Place args_place(const Configuration &configuration, std::size_t profile, std::string_view plugin,
                 std::string_view pointer, std::size_t nth = 0);

}  // namespace berth::config
