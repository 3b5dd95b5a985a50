// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The catalog of plugins by name: the files that offer them, from their notes and from pins. The files of the plugin
/// directories are not run for it. A library is loaded when a profile needs one of its plugins, not before.

#include "plugin/library.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

/// `NAME=FILE[#PLUGIN][@sha256:HEX]`: the configuration's NAME is plugin PLUGIN of FILE. Without PLUGIN it is the one
/// of that name or, if the library holds but one plugin, that one.
struct Pin {
    std::string name, file, plugin, sha256;
};
model::Result<Pin> parse_pin(std::string_view text);

struct CatalogOptions {
    std::vector<std::string> directories;
    std::vector<Pin> pins;
    bool insecure = false;
    std::string installed = {};  ///< a directory looked at last, for what the others lack; may be absent or empty
};

/// A `*.so` of a plugin directory, or a pinned file.
struct CatalogFile {
    std::string file;          ///< as found: directory and name
    std::optional<Note> note;  ///< nothing if it has none, or if there is a problem
    std::string problem;       ///< why the file cannot be used, a complete message; empty if nothing is known
    std::string same_as;       ///< the file that this is another name of; it then offers nothing itself
    bool pinned = false;       ///< not from a directory: it offers plugins only to the pins that name it
    bool installed = false;    ///< it offers only what no library of the given directories does
};

class Catalog {
public:
    /// Looks at every file. A directory or a pinned file that cannot be read is an error; any other broken file is only
    /// remembered, because it may not be needed.
    static model::Result<Catalog> open(CatalogOptions options);

    /// The plugin of that name, its library loaded; nullptr if no file offers it. Not thread-safe.
    model::Result<const LoadedPlugin *> find(std::string_view name);

    /// In the order of the directories, then by name; pinned files last.
    const std::vector<CatalogFile> &files() const { return files_; }
    const std::vector<Pin> &pins() const { return options_.pins; }
    /// Where `find` looked and what it could not read there, for the message that a plugin does not exist.
    std::string searched() const;
    /// The names of plugins that are known without loading a library, those of pins too.
    std::vector<std::string> offered_names() const;
    /// Keeps a warning about what was looked for here, once.
    void warn(const std::string &text);
    /// What loading has found questionable so far, complete messages.
    const std::vector<std::string> &warnings() const { return warnings_; }

private:
    CatalogOptions options_;
    std::vector<CatalogFile> files_;
    std::vector<std::string> warnings_;
    /// By file and requested SHA-256: one file often has many of a configuration's plugins, and is read once.
    std::map<std::pair<std::string, std::string>, const Library *> loaded_;

    model::Result<void> scan(const std::string &directory);
    model::Result<const CatalogFile *> offering(std::string_view name, bool installed) const;
    model::Result<const Library *> load(const std::string &file, const std::string &sha256);
    /// A file without a slash is one of a plugin directory, in their order; if none has it, of the working directory.
    void find_file(Pin &pin) const;
    model::Result<const LoadedPlugin *> find_pinned(const Pin &pin);
    model::Result<const LoadedPlugin *> find_without_note(std::string_view name);
};

}  // namespace berth::plugin
