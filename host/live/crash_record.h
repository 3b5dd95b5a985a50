// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The crash record: plugin, extension point and pod of a crash, for the next start to read. A call of exit by any code
/// but Berth's own counts as a crash.

#include "env/signal_line.h"
#include "model/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace berth::live {

struct Crash {
    std::int64_t time_s = 0;
    std::string signal, plugin, point, pod;  ///< "-" where there was none; instead of a signal: "exit"
    bool shadow = false;                     ///< it was a plugin of the shadow's
};

/// One for the process: its handlers of signals and of exit write to it.
class CrashRecord {
    std::string file_;
    std::vector<Crash> earlier_;

public:
    /// Three crashes in a row are no accident.
    static constexpr std::size_t too_many = 3;

    /// Where it is kept unless a flag says otherwise: in the user's state directory, else in that for temporary files.
    static std::string usual_file();

    /// Reads what earlier runs left in `file` and has the next crash added to it. "-": there is no file; crashes are
    /// reported on standard error alone. To be called on the loop's thread.
    static model::Result<CrashRecord> open(const std::string &file);

    const std::string &file() const { return file_; }
    const std::vector<Crash> &earlier() const { return earlier_; }
    /// The plugin that the last runs have all crashed in; empty: there is none.
    std::string culprit() const;
    /// Why the shadow is disabled: one of its plugins crashed. One crash is enough, as pods do not need the shadow;
    /// empty: there was none.
    std::string shadow_culprit() const;
    /// The run has ended in order: what came before it counts no more.
    void clear() const;
};

/// Berth has done its work: what calls exit from now on is its own main function.
void ends_in_order();

/// Adds ` in plugin "X" at Filter, for pod "default/web"` for the call that this thread is in, or nothing.
/// Async-signal-safe.
void add_call(env::SignalLine &line);

/// The lines of a record; what cannot be read is left out.
std::vector<Crash> read_crashes(const std::string &text);

}  // namespace berth::live
