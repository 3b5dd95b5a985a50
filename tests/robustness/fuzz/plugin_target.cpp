// SPDX-License-Identifier: Apache-2.0
#include "memory_file.h"

#include "plugin/elf.h"
#include "plugin/note.h"

namespace berth::fuzz {

void plugin(std::string_view bytes) {
    if (bytes.starts_with("{")) {
        const auto note = plugin::parse_note(bytes, "f.so");
        return promise(note || note.error().text.starts_with("f.so"), "a refusal begins with the file");
    }
    const MemoryFile file(bytes);
    const auto symbols = plugin::read_elf_symbols(file.fd(), "f.so");
    promise(symbols || symbols.error().text.starts_with("f.so"), "a refusal begins with the file");
    const auto note = plugin::read_note(file.fd(), "f.so");
    if (!note) return promise(note.error().text.starts_with("f.so"), "a refusal begins with the file");
    if (*note) promise(!(*note)->plugins.empty(), "a note has a plugin");
}

}  // namespace berth::fuzz
