// SPDX-License-Identifier: Apache-2.0
#include "plugin/library_check.h"

#include "plugin/least_size.h"

#include "model/value.h"
#include "plugin/draft_services.h"
#include "plugin/fault.h"
#include "plugin/thrown.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace berth::plugin {
namespace {

/// More than any library has; a larger count is damage.
constexpr std::uint64_t most_plugins = 1024, most_ids = 1024;

model::Result<void> check_text(const std::string &who, std::string_view field, const berth_str &s) {
    if (s.ptr || s.len == 0) return {};
    return fault(who, std::string(field) + " is NULL, but its length is " + std::to_string(s.len));
}

/// Checks an array of ids and appends them to `out`.
model::Result<void> read_ids(const std::string &who, std::string_view field, const berth_str *ids, std::uint64_t n,
                             std::vector<std::string> &out) {
    if (n && !ids) return fault(who, std::string(field) + " is NULL, but its length is " + std::to_string(n));
    if (n > most_ids)
        return fault(who, std::string(field) + " has length " + std::to_string(n) + ", expected at most " +
                              std::to_string(most_ids));
    for (std::uint64_t i = 0; i < n; ++i) {
        auto name = std::string(field) + "[" + std::to_string(i) + "]";
        if (auto ok = check_text(who, name, ids[i]); !ok) return ok.error();
        std::string id(text_of(ids[i]));
        if (id.empty())
            return fault(who, name + " is empty, expected an id such as " + in_quotes(BERTH_PLUGIN_FILTER_V1));
        if (std::ranges::count(out, id)) return fault(who, std::string(field) + " lists " + in_quotes(id) + " twice");
        out.push_back(std::move(id));
    }
    return {};
}

model::Result<void> check_table(const std::string &who, Interface interface, const void *table) {
    const auto &known = facts(interface);
    std::uint32_t head[2];  // every table begins with struct_size and flags
    std::memcpy(head, table, sizeof head);
    auto where = who + ": interface " + in_quotes(known.id);
    if (auto ok = check_struct(where, "table", head[0], known.least_size, head[1]); !ok) return ok.error();
    for (const auto &function : known.functions) {
        void (*pointer)();
        std::memcpy(&pointer, static_cast<const char *>(table) + function.offset, sizeof pointer);
        if (!pointer) return fault(where, "its table has no function " + std::string(function.name));
    }
    if (interface == Interface::Normalize) {
        const auto *normalize = static_cast<const berth_plugin_normalize *>(table);
        if (normalize->mode > BERTH_NORMALIZE_REVERSE)
            return fault(where, "mode is " + std::to_string(normalize->mode) +
                                    ", expected 0 (custom), 1 (default) or 2 "
                                    "(reverse)");
        if (normalize->mode == BERTH_NORMALIZE_CUSTOM && !normalize->normalize)
            return fault(where, "its table has no function normalize, which mode 0 (custom) calls");
    }
    return {};
}

std::string unknown_interface(std::string_view id) {
    return is_draft(id) ? "a draft that this host does not have; it is not used"
                        : "which this host does not know; it is not used";
}

/// Fills `loaded.tables`.
model::Result<void> fetch_tables(const std::string &who, const std::vector<std::string> &ids, LoadedPlugin &loaded,
                                 std::vector<std::string> &warnings) {
    for (const auto &id : ids) {
        auto interface = interface_of_id(id);
        if (!interface) {
            warnings.push_back(who + ": lists interface " + in_quotes(id) + ", " + unknown_interface(id));
            continue;
        }
        const void *table = nullptr;
        if (auto what = thrown_by([&] { table = loaded.plugin->get_interface(model::to_str(id)); }))
            return fault(who, "get_interface(" + in_quotes(id) + ") threw " + *what);
        if (!table) return fault(who, "lists interface " + in_quotes(id) + ", but get_interface returns NULL for it");
        if (auto ok = check_table(who, *interface, table); !ok) return ok.error();
        loaded.tables.set(*interface, table);
    }
    return {};
}

std::vector<std::string> sorted(std::vector<std::string> list) {
    std::ranges::sort(list);
    return list;
}

model::Result<void> disagree(const std::string &who, std::string_view field, const std::string &note,
                             const std::string &library) {
    return fault(who, "its note and the library itself disagree about " + std::string(field) + ": " + note +
                          " in the note, " + library + " in the library; build both from one source");
}

struct Ids {
    std::vector<std::string> interfaces, required, optional;
};

model::Result<void> compare_with_note(const std::string &who, const NotePlugin &note, const berth_plugin &plugin,
                                      const Ids &ids) {
    auto text = [&](std::string_view field, const std::string &noted, const berth_str &real) -> model::Result<void> {
        if (noted == text_of(real)) return {};
        return disagree(who, field, in_quotes(noted), in_quotes(text_of(real)));
    };
    auto list = [&](std::string_view field, const std::vector<std::string> &noted,
                    const std::vector<std::string> &real) -> model::Result<void> {
        if (sorted(noted) == sorted(real)) return {};
        return disagree(who, field, listed(sorted(noted)), listed(sorted(real)));
    };
    if (auto ok = text("version", note.version, plugin.version); !ok) return ok;
    if (auto ok = text("vendor", note.vendor, plugin.vendor); !ok) return ok;
    if (auto ok = text("description", note.description, plugin.description); !ok) return ok;
    if (auto ok = list("interfaces", note.interfaces, ids.interfaces); !ok) return ok;
    if (auto ok = list("requires", note.required, ids.required); !ok) return ok;
    return list("optional", note.optional, ids.optional);
}

model::Result<void> lacks(const std::string &who, std::string_view function) {
    return fault(who, "has no function " + std::string(function) + "; the ABI asks for it, even if it does nothing");
}

model::Result<void> check_functions(const std::string &who, const berth_plugin &plugin) {
    if (!plugin.create) return lacks(who, "create");
    if (!plugin.destroy) return lacks(who, "destroy");
    if (!plugin.get_interface) return lacks(who, "get_interface");
    return {};
}

model::Result<void> check_plugin(const berth_plugin *plugin, std::uint64_t index, const Note *note, Library &library) {
    auto who = library.file + ": plugins[" + std::to_string(index) + "]";
    if (!plugin) return fault(who, "is NULL; set plugins_len to the number of plugins");
    if (auto ok = check_struct(who, "berth_plugin", plugin->struct_size, BERTH_END_OF(berth_plugin, get_interface),
                               plugin->flags);
        !ok)
        return ok;
    if (auto ok = check_text(who, "name", plugin->name); !ok) return ok;
    std::string name(text_of(plugin->name));
    if (name.empty()) return fault(who, "its name is empty");
    if (std::ranges::any_of(name, [](unsigned char c) { return c <= ' ' || c == 0x7f; }))
        return fault(who, "its name " + in_quotes(name) + " holds blanks or control characters");
    if (library.find(name))
        return fault(library.file,
                     "holds two plugins of the name " + in_quotes(name) + "; names are unique in a library");
    who = library.file + ": plugin " + in_quotes(name);
    for (auto [field, s] : {std::pair{"version", &plugin->version}, std::pair{"vendor", &plugin->vendor},
                            std::pair{"description", &plugin->description}})
        if (auto ok = check_text(who, field, *s); !ok) return ok;
    Ids ids;
    if (auto ok = read_ids(who, "interface_ids", plugin->interface_ids, plugin->interface_ids_len, ids.interfaces); !ok)
        return ok;
    if (auto ok =
            read_ids(who, "required_services", plugin->required_services, plugin->required_services_len, ids.required);
        !ok)
        return ok;
    if (auto ok =
            read_ids(who, "optional_services", plugin->optional_services, plugin->optional_services_len, ids.optional);
        !ok)
        return ok;
    if (auto ok = check_functions(who, *plugin); !ok) return ok;

    LoadedPlugin loaded{library.file, plugin, {}, std::nullopt};
    if (note) {
        const auto *noted = note->find(name);
        if (!noted) return fault(who, "its library's note does not name it; build both from one source");
        if (auto ok = compare_with_note(who, *noted, *plugin, ids); !ok) return ok;
        loaded.note = *noted;
    }
    if (auto ok = fetch_tables(who, ids.interfaces, loaded, library.warnings); !ok) return ok;
    library.plugins.push_back(std::move(loaded));
    return {};
}

}  // namespace

model::Result<void> check_struct(const std::string &who, std::string_view type, std::uint32_t size, std::uint32_t least,
                                 std::uint32_t flags) {
    if (size < least)
        return fault(who, std::string(type) + ".struct_size is " + std::to_string(size) + ", expected at least " +
                              std::to_string(least) + "; set it to the sizeof of the struct");
    if (auto unknown = flags & BERTH_FLAG_MUST_UNDERSTAND)
        return fault(who, "sets bit " + std::to_string(std::countr_zero(unknown)) + " of " + std::string(type) +
                              ".flags, which a host must understand and this one does not; use a later Berth or a "
                              "build of the library that does without it");
    return {};
}

std::string old_entry_text(const std::string &symbol) {
    return "exports " + symbol +
           " and no " BERTH_ENTRY_SYMBOL
           ": it was built for the plugin ABI as it was before the candidate of 1.0; build it again with the headers "
           "of "
           "this Berth";
}

model::Result<void> check_minor(const std::string &file, std::uint32_t required_minor) {
    if (required_minor <= BERTH_ABI_MINOR) return {};
    auto version = [](std::uint32_t minor) { return std::to_string(BERTH_ABI_MAJOR) + "." + std::to_string(minor); };
    return fault(file, "needs ABI " + version(required_minor) + "; this host has " + version(BERTH_ABI_MINOR) +
                           ": use a later Berth or a build of the library that needs less");
}

std::vector<std::string> missing_drafts(const std::string &file, const std::vector<std::string> &used) {
    std::vector<std::string> out;
    for (const auto &id : used)
        if (!is_draft_service(id) && !interface_of_id(id))
            out.push_back(file + ": its code uses " + in_quotes(id) +
                          ", a draft that this host does not have, so some of it does nothing; build it with the "
                          "headers of this Berth");
    return out;
}

model::Result<void> check_library(const berth_library *table, const Note *note, Library &library) {
    const auto &file = library.file;
    if (!table) return fault(file, "berth_plugins_abi1 returned NULL, expected its berth_library");
    if (auto ok = check_struct(file, "berth_library", table->struct_size, BERTH_END_OF(berth_library, build_info),
                               table->flags);
        !ok)
        return ok;
    if (auto ok = check_minor(file, table->abi_required_minor); !ok) return ok;
    if (note && note->required_minor != table->abi_required_minor)
        return disagree(file, "requiredMinor", std::to_string(note->required_minor),
                        std::to_string(table->abi_required_minor));
    if (table->plugins_len == 0) return fault(file, "holds no plugin: plugins_len is 0");
    if (!table->plugins)
        return fault(file, "plugins is NULL, but plugins_len is " + std::to_string(table->plugins_len));
    if (table->plugins_len > most_plugins)
        return fault(file, "plugins_len is " + std::to_string(table->plugins_len) + ", expected at most " +
                               std::to_string(most_plugins));
    for (std::uint64_t i = 0; i < table->plugins_len; ++i)
        if (auto ok = check_plugin(table->plugins[i], i, note, library); !ok) return ok;
    if (note)
        for (const auto &noted : note->plugins)
            if (!library.find(noted.name))
                return fault(file, "its note names plugin " + in_quotes(noted.name) +
                                       ", which the library itself does not hold; build both from one source");
    return {};
}

}  // namespace berth::plugin
