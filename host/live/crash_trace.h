// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The trace of a crash: the code's place in its file and its callers, as `FILE+0xOFFSET`. addr2line and gdb take it so
/// (`addr2line -Cfie FILE 0xOFFSET`), whether or not the file has symbols.

#include "env/signal_line.h"

#include <cstdint>

namespace berth::live {

/// Loads what unwinding needs, so that a handler need not. Before any other function of this file.
void prepare_crash_trace();

/// Where the thread was that a signal has interrupted; `context` is the handler's third argument. A jump to nowhere is
/// attributed to its caller. Async-signal-safe.
void add_crash_place(env::SignalLine &line, const void *context);

/// One line, `berth:   called from FILE+0xOFFSET`, for each caller of where the signal arrived, the innermost first and
/// at most 32. Called on the handler's stack. Async-signal-safe, but it reads the stack that the crash has left: a
/// broken one can end the process here, so that this comes last.
void write_callers(int fd, const void *context);

}  // namespace berth::live
