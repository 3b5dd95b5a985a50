// SPDX-License-Identifier: Apache-2.0
// Tests of the library's file, without running it.
#include "verify/test.h"

#include "plugin/examination.h"
#include "plugin/fault.h"

namespace berth::verify {
namespace {

std::string lines(const std::vector<std::string> &texts) {
    std::string out;
    for (const auto &text : texts) out += (out.empty() ? "" : "\n") + text;
    return out;
}

/// A library of this machine, into which no other user can have put code, for an ABI that this host has.
Found loadable(Run &run) {
    auto file = plugin::examine(run.subject.file, run.subject.how);
    if (file.problems.empty()) return {};
    return Finding{"a plugin library that a host would load", lines(file.problems)};
}

Found has_note(Run &run) {
    auto file = plugin::examine(run.subject.file, run.subject.how);
    if (!file.note)
        return Finding{"a note (section .note.berth) that says what the library holds, so that hosts need not run it",
                       "there is none; the C++ wrapper writes it, in C it is BERTH_MANIFEST of <berth/entry.h>"};
    if (file.note->plugins.empty()) return Finding{"a note that names the library's plugins", "it names none"};
    if (!file.warnings.empty()) return Finding{"interfaces that a host of this ABI calls", lines(file.warnings)};
    return {};
}

Found exports_the_entry(Run &run) {
    auto file = plugin::examine(run.subject.file, run.subject.how);
    std::vector<std::string> others;
    for (const auto &symbol : file.symbols.exported)
        if (symbol != BERTH_ENTRY_SYMBOL)
            others.push_back(symbol.starts_with("_Z") ? plugin::demangled(symbol) : symbol);
    if (others.empty()) return {};
    return Finding{"one exported symbol, " BERTH_ENTRY_SYMBOL
                   ": another one can be taken for that of another library; berth_add_plugin hides the rest, or link "
                   "with -Wl,--version-script",
                   "it exports " + plugin::listed(others, 5) + " too"};
}

}  // namespace

std::vector<Test> file_tests() {
    return {{.name = "file/loadable", .run = loadable, .needs = Needs::File},
            {.name = "file/note", .run = has_note, .needs = Needs::File},
            {.name = "file/exports", .run = exports_the_entry, .needs = Needs::File}};
}

}  // namespace berth::verify
