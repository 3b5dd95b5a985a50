// SPDX-License-Identifier: Apache-2.0
#include "plugin/examination.h"

#include "env/sha256.h"
#include "plugin/fault.h"
#include "plugin/library_check.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace berth::plugin {
namespace {

std::vector<std::string> drafts_of(const Note &note) {
    std::set<std::string> out(note.uses.drafts.begin(), note.uses.drafts.end());
    for (const auto &plugin : note.plugins)
        for (const auto *ids : {&plugin.interfaces, &plugin.required})
            std::ranges::copy_if(*ids, std::inserter(out, out.end()), is_draft);
    return {out.begin(), out.end()};
}

void examine_copy(int fd, Examination &out) {
    auto take = [&](const auto &result) {
        if (result.ok()) return true;
        // What is wrong with the file as a library, both readers say.
        if (!std::ranges::count(out.problems, result.error().text)) out.problems.push_back(result.error().text);
        return false;
    };
    if (auto digest = env::sha256_of(fd)) out.sha256 = *digest;
    auto note = read_note(fd, out.file);
    if (take(note)) out.note = *std::move(note);
    auto symbols = read_elf_symbols(fd, out.file);
    if (!take(symbols)) return;
    out.symbols = *std::move(symbols);
    if (out.note) take(check_minor(out.file, out.note->needed_minor()));
    if (!std::ranges::binary_search(out.symbols.exported, BERTH_ENTRY_SYMBOL)) {
        std::string what =
            "exports no " BERTH_ENTRY_SYMBOL ", so it is no Berth plugin library; link it with berth_add_plugin";
        for (const char *old : old_entries)
            if (std::ranges::binary_search(out.symbols.exported, old)) what = old_entry_text(old);
        out.problems.push_back(fault(out.file, what).text);
    } else if (!out.note && out.problems.empty()) {
        out.warnings.push_back(out.file + ": has no note " BERTH_NOTE_SECTION
                                          ", so it has to be run to be asked what it holds; add a BERTH_MANIFEST");
    }
    if (!out.note) return;
    std::ranges::move(missing_drafts(out.file, out.note->uses.drafts), std::back_inserter(out.warnings));
    out.drafts = drafts_of(*out.note);
    for (const auto &plugin : out.note->plugins)
        for (const auto &id : plugin.interfaces)
            if (!interface_of_id(id))
                out.warnings.push_back(out.file + ": plugin " + in_quotes(plugin.name) +
                                       ": this host knows no interface " + in_quotes(id) + " and does not call it");
}

}  // namespace

Examination examine(const std::string &file, const LoadOptions &options) {
    Examination out;
    out.file = file;
    auto opened = open_sealed(file, options);
    if (!opened) {
        out.problems.push_back(opened.error().text);
        // What it holds can be said all the same.
        opened = open_sealed(file, {true, {}});
    }
    if (opened) examine_copy(opened->copy.get(), out);
    return out;
}

std::vector<std::string> points_of(const NotePlugin &plugin) {
    std::vector<std::string> out;
    for (const auto &names : model::extension_points) {
        auto interface = interface_of_point(names.point);
        if (interface && std::ranges::count(plugin.interfaces, facts(*interface).id)) out.emplace_back(names.display);
    }
    return out;
}

}  // namespace berth::plugin
