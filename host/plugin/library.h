// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin library: opened once, checked, loaded from sealed memory, checked again, never unloaded. It is kept for as
/// long as the process lives, because code of it may be on any stack.

#include "env/descriptor.h"
#include "plugin/interfaces.h"
#include "plugin/note.h"

#include <berth/berth.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

/// A plugin of a loaded library, found sound.
struct LoadedPlugin {
    std::string file;  ///< the library, for messages
    const berth_plugin *plugin = nullptr;
    Tables tables;                   ///< of the interfaces that this host knows
    std::optional<NotePlugin> note;  ///< nothing if the library has no note
};

/// A loaded library. Immutable.
struct Library {
    std::string file;  ///< the real path, symbolic links resolved
    berth_entry_fn entry = nullptr;
    std::vector<LoadedPlugin> plugins;
    std::vector<std::string> warnings;  ///< complete messages

    const LoadedPlugin *find(std::string_view name) const;
};

struct LoadOptions {
    bool insecure = false;  ///< accept a file that others own or may write, or one of whose directories they do
    std::string sha256;     ///< if not empty, what the file must have
};

/// A file as it may be loaded.
struct SealedFile {
    std::string file;        ///< the real path, symbolic links resolved
    env::Descriptor source;  ///< the file itself
    env::Descriptor copy;    ///< what is checked and loaded
};

/// Opens `file` for loading: checks who could have put other code into it (library_owner.h), and the digest if one is
/// given. With a known digest the owners do not matter: the content that was digested is loaded. Kubernetes
/// makes the directories of its volumes writable for all. Runs nothing.
model::Result<SealedFile> open_sealed(const std::string &file, const LoadOptions &options);

/// Loads the library `file`, or finds it among those already loaded: its identity is device, inode and content, not its
/// name. The error is a complete message that names the file, what was found, what is supported and how to put it
/// right. The result lives for ever. Any thread; runs code of the library.
model::Result<const Library *> load_library(const std::string &file, const LoadOptions &options);

}  // namespace berth::plugin
