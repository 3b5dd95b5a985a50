// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The examination of a plugin library from its file alone, without running it.

#include "plugin/elf.h"
#include "plugin/library.h"

#include <string>
#include <vector>

namespace berth::plugin {

struct Examination {
    std::string file;    ///< as requested
    std::string sha256;  ///< hexadecimal; empty if the file cannot be read
    ElfSymbols symbols;
    std::optional<Note> note;         ///< nothing if it has none or if it cannot be read
    std::vector<std::string> drafts;  ///< ids of those that its code uses, or its plugins implement or require; sorted
    std::vector<std::string> problems;  ///< why it would not be loaded, complete messages
    std::vector<std::string> warnings;  ///< what is questionable though it would be
};

Examination examine(const std::string &file, const LoadOptions &options);

/// The extension points that a plugin of these interfaces can be enabled at, by the names that people know.
std::vector<std::string> points_of(const NotePlugin &plugin);

}  // namespace berth::plugin
