// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A limit of a process's memory: if an allocation fails, the process ends with a message.

#include "env/signal_line.h"
#include "model/result.h"

#include <cstdint>
#include <string_view>

namespace berth::env {

/// What such a process says on standard error, and how much it had been allowed if that was limited.
constexpr std::string_view out_of_memory = "berth: out of memory";

/// From now on a failed allocation ends the process, with exit code 2 and a line that says so: a plugin's call would
/// turn it into an error about one pod, and the result would look like one. `most`: so many bytes of its own
/// (RLIMIT_DATA), 0 for as many as there are. `add_where` adds to the line what the process was at; it allocates
/// nothing. The error says why the memory cannot be limited.
model::Result<void> end_without_memory(std::uint64_t most, void (*add_where)(SignalLine &line));

}  // namespace berth::env
