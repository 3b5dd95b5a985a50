// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of the log, with klog's severities and verbosity.

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::env {

enum class Severity : std::uint8_t { Info, Warning, Error };

/// Writes structured lines: `"Attempting to schedule pod" pod="default/test"`. Any thread.
class Log {
public:
    using Pairs = std::vector<std::pair<std::string_view, std::string>>;
    virtual ~Log() = default;
    virtual bool enabled(Severity severity, int verbosity) const = 0;
    virtual void write(Severity severity, int verbosity, std::string_view message, const Pairs &pairs = {},
                       std::source_location where = std::source_location::current()) = 0;
    /// A line as a plugin words it: `PreFilter: test`, from the plugin of that name.
    virtual void write_text(Severity severity, int verbosity, std::string_view plugin, std::string_view text) = 0;
};

}  // namespace berth::env
