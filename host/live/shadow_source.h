// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `--shadow`: another configuration, whose profiles evaluate the same pods (docs/shadow.md).

#include "env/log.h"
#include "plugin/sources.h"
#include "scheduler/shadow.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::live {

struct ShadowOptions {
    std::string config;                                ///< empty: there is no shadow
    std::vector<std::string> directories, pins;        ///< of plugins that it has otherwise than the real profiles
    std::optional<std::uint32_t> budget_percent = {};  ///< nullopt: it may take any time
    std::optional<config::Release> release = {};       ///< as which it decides; nothing: as the real profiles
};

/// Where its plugins come from: from where the real ones do, but for what the options name.
plugin::PluginOptions shadow_plugins(const ShadowOptions &options, const plugin::PluginOptions &real);
/// Its configuration. The error is also that it has a profile that the real one has not: no pod of it would be
/// compared.
model::Result<config::Configuration> read_shadow(const ShadowOptions &options, const config::Configuration &real);
/// The release that the options name, as text; empty: none.
std::string other_release(const ShadowOptions &options);
/// What is accepted and yet not done for a shadow, each a complete message.
std::vector<std::string> shadow_warnings(const config::Configuration &shadow, const config::Configuration &real);
/// What its plugins are built with; `log` marks what they write (ShadowLog) and outlives them.
plugin::Services shadow_services(plugin::Services real, env::Log &log);

/// Says of every line that the shadow is meant.
class ShadowLog : public env::Log {
    env::Log &log_;

public:
    explicit ShadowLog(env::Log &log) : log_(log) {}
    bool enabled(env::Severity severity, int verbosity) const override { return log_.enabled(severity, verbosity); }
    void write(env::Severity severity, int verbosity, std::string_view message, const Pairs &pairs,
               std::source_location where) override;
    void write_text(env::Severity severity, int verbosity, std::string_view plugin, std::string_view text) override;
};

}  // namespace berth::live
