// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin library: opened once, checked on that descriptor, loaded, checked again, and kept for as long as the
/// process lives, because code of it may be on any stack.

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
    std::vector<LoadedPlugin> plugins;
    std::vector<std::string> warnings;  ///< complete messages

    const LoadedPlugin *find(std::string_view name) const;
};

struct LoadOptions {
    bool insecure = false;  ///< accept a file, or a directory, that others may write
    std::string sha256;     ///< if not empty, what the file must have
};

/// Whether the file open as `fd` may be loaded: who could have put other code into it, and the digest if one is asked
/// for. `given` is the name that it was opened by. Runs nothing.
model::Result<void> check_origin(int fd, const std::string &given, const LoadOptions &options);

/// Loads the library `file`, or finds it among those already loaded: its identity is device, inode and content, not its
/// name. The error is a complete message that names the file, what was found, what is supported and how to put it
/// right. The result lives for ever. Any thread; runs code of the library.
model::Result<const Library *> load_library(const std::string &file, const LoadOptions &options);

/// The real path behind a descriptor, or `otherwise` if the system does not tell.
std::string real_path(int fd, const std::string &otherwise);

/// Opens a plugin file for reading: a regular file, never waiting. The descriptor is the caller's.
model::Result<int> open_library(const std::string &file);

}  // namespace berth::plugin
