// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ELF note of a plugin library (<berth/entry.h>): its plugins and ABI version, read without running it.

#include "model/result.h"
#include "plugin/elf.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

/// One plugin of a note.
struct NotePlugin {
    std::string name, version, vendor, description;
    std::vector<std::string> interfaces;          ///< "berth.filter/1"
    std::vector<std::string> required, optional;  ///< service ids
    std::vector<std::string> watches;             ///< "v1/services", "apps/v1/deployments"
    std::vector<std::string> writes;              ///< "create v1/pods/binding"
    std::vector<std::string> reads;               ///< "get v1/configmaps"
};

struct Note {
    std::uint32_t abi = 0;             ///< the ABI's major
    std::uint32_t required_minor = 0;  ///< as the note states it
    ElfUses uses;                      ///< what the library's code uses, as other notes of it say
    std::vector<NotePlugin> plugins;

    /// The least minor of a host that can load it.
    std::uint32_t needed_minor() const { return std::max(required_minor, uses.minor); }

    const NotePlugin *find(std::string_view name) const;
};

/// Reads the note of the library open as `fd`, shown to people as `file`. Nothing if the library has none. Whatever the
/// file holds, it is checked against its own size: the error says what is wrong with it as a library of this machine.
/// The descriptor's offset is neither used nor moved. Any thread.
model::Result<std::optional<Note>> read_note(int fd, const std::string &file);

/// The note's descriptor, a JSON object. Members that this host does not know are ignored: later hosts may.
model::Result<Note> parse_note(std::string_view json, const std::string &file);

}  // namespace berth::plugin
