// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The log on standard error, in klog's format:
///
///     I1117 05:56:05.241710       1 scheduler.cpp:47] "Attempting to schedule pod" pod="default/test"
///     I1117 05:56:05.242050       1 Trace] PreFilter: test
///
/// the second being a plugin's own words.

#include "env/log.h"

#include <memory>

namespace spdlog {
class logger;  // NOLINT(readability-identifier-naming): spdlog's name
}

namespace berth::report {

/// Any thread.
class KlogLog : public env::Log {
    std::shared_ptr<spdlog::logger> logger_;
    int verbosity_;

public:
    /// Lines of a verbosity above `verbosity` (-v) are not written.
    explicit KlogLog(int verbosity);
    bool enabled(env::Severity severity, int verbosity) const override;
    void write(env::Severity severity, int verbosity, std::string_view message, const Pairs &pairs,
               std::source_location where) override;
    void write_text(env::Severity severity, int verbosity, std::string_view plugin, std::string_view text) override;
    /// Lines of Berth's own as they are, under a header of their own.
    void write_lines(int verbosity, std::string_view text,
                     std::source_location where = std::source_location::current());
};

/// The text between the header and the end of the line.
std::string klog_text(std::string_view message, const env::Log::Pairs &pairs);
/// The same of a text that is not quoted: it stays on one line.
std::string one_line(std::string_view text);

}  // namespace berth::report
