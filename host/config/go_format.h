// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Durations and quoted texts in Go's format, as kube-scheduler writes them.

#include <chrono>
#include <string>
#include <string_view>

namespace berth::config {

/// As Go's Duration.String: "1h0m0s", "1.5s", "100ms".
std::string duration_text(std::chrono::nanoseconds duration);

/// In double quotes, as JSON has it.
std::string quoted(std::string_view text);

}  // namespace berth::config
