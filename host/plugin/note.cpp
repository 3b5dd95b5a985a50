// SPDX-License-Identifier: Apache-2.0
#include "plugin/note.h"

#include "decode/fields.h"
#include "plugin/elf.h"
#include "plugin/fault.h"

#include <berth/version.h>

#include <algorithm>
#include <unordered_set>

namespace berth::plugin {

const NotePlugin *Note::find(std::string_view name) const {
    auto at = std::ranges::find(plugins, name, &NotePlugin::name);
    return at == plugins.end() ? nullptr : &*at;
}

model::Result<Note> parse_note(std::string_view json, const std::string &file) {
    auto document = decode::read_document(json, file + ": note.json");
    if (!document) return document.error();
    decode::FieldErrors errors;
    decode::Fields root(*document, errors);
    Note note;
    std::unordered_set<std::string> names;
    auto abi = root.int32("abi"), minor = root.int32("requiredMinor");
    note.abi = static_cast<std::uint32_t>(abi.value_or(0));
    note.required_minor = static_cast<std::uint32_t>(minor.value_or(0));
    if (!abi && errors.empty()) root.error("abi", "is missing, expected the ABI's major version");
    if (minor.value_or(0) < 0) root.error("requiredMinor", "must not be negative");
    // What follows may have another shape in another major.
    if (errors.empty() && abi != BERTH_ABI_MAJOR)
        return fault(file, "its note says that it is for ABI " + std::to_string(*abi) + "; this host speaks ABI " +
                               std::to_string(BERTH_ABI_MAJOR) +
                               ": use a build of the library for that, or another version of Berth");
    for (auto &fields : root.objects("plugins")) {
        NotePlugin plugin;
        auto known = errors.size();
        plugin.name = fields.string("name").value_or("");
        if (errors.size() > known) continue;
        if (plugin.name.empty()) fields.error("name", "is missing or empty, expected the plugin's name");
        else if (!names.insert(plugin.name).second) fields.error("name", "repeats " + in_quotes(plugin.name));
        plugin.version = fields.string("version").value_or("");
        plugin.vendor = fields.string("vendor").value_or("");
        plugin.description = fields.string("description").value_or("");
        plugin.interfaces = fields.strings("interfaces");
        plugin.required = fields.strings("requires");
        plugin.optional = fields.strings("optional");
        plugin.watches = fields.strings("watches");
        plugin.writes = fields.strings("writes");
        plugin.reads = fields.strings("reads");
        note.plugins.push_back(std::move(plugin));
    }
    if (note.plugins.empty() && errors.empty()) root.error("plugins", "lists none, expected at least one plugin");
    if (!errors.empty()) return model::Error{decode::messages(std::move(errors))};
    return note;
}

model::Result<std::optional<Note>> read_note(int fd, const std::string &file) {
    auto json = read_elf_note(fd, file);
    if (!json) return json.error();
    if (!*json) return std::optional<Note>{};
    auto note = parse_note(**json, file);
    if (!note) return note.error();
    auto uses = read_elf_uses(fd, file);
    if (!uses) return uses.error();
    note->uses = *std::move(uses);
    return std::optional<Note>(*std::move(note));
}

}  // namespace berth::plugin
