// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A bounded reader of ELF files, which finds a library's notes (System V ABI, edition 4.1, chapters 4 and 5).

#include "model/result.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugin {

/// The descriptor of the one note of name "berth" and type 1 in section `.note.berth` of the shared library open as
/// `fd`, or nothing if it has no such section. Refuses what the loader of this machine could not load, and whatever
/// lies outside the file, before anybody maps it. Errors are complete and begin with `file`.
model::Result<std::optional<std::string>> read_elf_note(int fd, const std::string &file);

/// What the library's code says it uses, in section `.note.berth.uses`.
struct ElfUses {
    std::uint32_t minor = 0;          ///< the greatest of the ABI, in notes of type 2; 0 if it has none
    std::vector<std::string> drafts;  ///< ids in notes of type 3, each once; sorted
};
model::Result<ElfUses> read_elf_uses(int fd, const std::string &file);

/// What a library shows to the dynamic linker.
struct ElfSymbols {
    std::vector<std::string> exported;  ///< defined and visible; sorted
    std::vector<std::string> needed;    ///< names of libraries (DT_NEEDED), in its order
};

/// The same for its dynamic symbols; both lists are empty if it has no section that holds them.
model::Result<ElfSymbols> read_elf_symbols(int fd, const std::string &file);

}  // namespace berth::plugin
