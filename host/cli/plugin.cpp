// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "model/build.h"
#include "plugin/examination.h"
#include "report/table.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>

namespace berth::cli {
namespace {

using plugin::Examination;
using Texts = std::vector<std::string>;

std::string joined(const Texts &texts, std::string_view between = ", ") {
    std::string out;
    for (const auto &text : texts) out.append(out.empty() ? "" : between).append(report::printable(text));
    return out;
}

std::string or_none(const std::string &text) { return text.empty() ? "-" : report::printable(text); }

/// The rules of a role that a plugin takes, as `berth config rbac` prints them for all of a configuration's.
Texts rights_of(const plugin::NotePlugin &plugin) {
    Texts out;
    for (const auto &kind : plugin.watches) out.push_back("list,watch " + kind);
    out.insert(out.end(), plugin.writes.begin(), plugin.writes.end());
    out.insert(out.end(), plugin.reads.begin(), plugin.reads.end());
    return out;
}

model::ArrayBuilder list(model::Arena &arena, const Texts &texts) {
    model::ArrayBuilder out(arena);
    for (const auto &text : texts) out.add(std::string_view{text});
    return out;
}

model::ObjectBuilder as_json(model::Arena &arena, const plugin::NotePlugin &plugin) {
    model::ObjectBuilder out(arena);
    out.add("name", std::string_view{plugin.name}).add("version", std::string_view{plugin.version});
    out.add("vendor", std::string_view{plugin.vendor}).add("description", std::string_view{plugin.description});
    out.add("points", list(arena, plugin::points_of(plugin))).add("interfaces", list(arena, plugin.interfaces));
    out.add("requires", list(arena, plugin.required)).add("optional", list(arena, plugin.optional));
    out.add("watches", list(arena, plugin.watches)).add("writes", list(arena, plugin.writes));
    return out.add("reads", list(arena, plugin.reads));
}

/// One object of a file; members that have nothing to say are there and empty, so that programs find them.
model::ObjectBuilder as_json(model::Arena &arena, const Examination &file, bool with_symbols) {
    model::ObjectBuilder out(arena);
    out.add("file", std::string_view{file.file}).add("sha256", std::string_view{file.sha256});
    out.add("loadable", file.problems.empty());
    out.add("problems", list(arena, file.problems)).add("warnings", list(arena, file.warnings));
    model::ArrayBuilder plugins(arena);
    if (file.note) {
        out.add("abi", std::to_string(file.note->abi) + "." + std::to_string(file.note->needed_minor()));
        out.add("drafts", list(arena, file.drafts));
        for (const auto &plugin : file.note->plugins) plugins.add(as_json(arena, plugin).value());
    }
    out.add("plugins", plugins);
    if (with_symbols)
        out.add("exports", list(arena, file.symbols.exported)).add("needs", list(arena, file.symbols.needed));
    return out;
}

int print_json(std::span<const Examination> files, bool with_symbols) {
    model::Arena arena;
    model::ArrayBuilder all(arena);
    for (const auto &file : files) all.add(as_json(arena, file, with_symbols).value());
    model::ObjectBuilder root(arena);
    const auto value = root.add("files", all).value();
    std::cout << decode::to_json(model::Value{&value}, 2) << '\n';
    return done;
}

void print_table(std::span<const Examination> files) {
    report::Table table({"NAME", "VERSION", "POINTS", "FILE", "SHA256"});
    constexpr std::size_t digits = 12;
    for (const auto &file : files) {
        if (!file.problems.empty()) continue;
        const auto digest = file.sha256.substr(0, digits);
        if (!file.note) table.add({"?", "-", "-", report::printable(file.file), digest});
        else
            for (const auto &plugin : file.note->plugins)
                table.add({report::printable(plugin.name), or_none(plugin.version),
                           or_none(joined(plugin::points_of(plugin), ",")), report::printable(file.file), digest});
    }
    std::cout << table.text();
    for (const auto &file : files)
        for (const auto &problem : file.problems) std::cout << "refused: " << report::printable(problem) << '\n';
}

void print_file(const Examination &file) {
    auto line = [](std::string_view name, const std::string &text) {
        constexpr std::size_t column = 14;
        std::string out = "  " + std::string(name) + ":";
        out.resize(std::max(out.size() + 1, column + 2), ' ');
        std::cout << out << (text.empty() ? "-" : text) << '\n';
    };
    std::cout << report::printable(file.file) << '\n';
    line("sha256", file.sha256);
    line("would load", file.problems.empty() ? "yes" : "no");
    for (const auto &problem : file.problems) line("because", report::printable(problem));
    for (const auto &warning : file.warnings) line("warning", report::printable(warning));
    if (file.note) {
        line("abi", std::to_string(file.note->abi) + "." + std::to_string(file.note->needed_minor()) + " or later");
        line("drafts", joined(file.drafts));
    }
    line("exports", joined(file.symbols.exported));
    line("needs", joined(file.symbols.needed));
    if (!file.note) return;
    for (const auto &plugin : file.note->plugins) {
        std::cout << "\n  plugin " << report::printable(plugin.name) << '\n';
        line("version", report::printable(plugin.version));
        line("vendor", report::printable(plugin.vendor));
        line("description", report::printable(plugin.description));
        line("points", joined(plugin::points_of(plugin)));
        line("interfaces", joined(plugin.interfaces));
        line("requires", joined(plugin.required));
        line("optional", joined(plugin.optional));
        line("rights", joined(rights_of(plugin), "; "));
    }
}

int code_of(std::span<const Examination> files) {
    return std::ranges::all_of(files, [](const auto &file) { return file.problems.empty(); }) ? done : answer_is_no;
}

}  // namespace

int plugin_list(const PluginCommandOptions &options) {
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    std::vector<Examination> files;
    for (const auto &entry : catalog->files()) {
        plugin::LoadOptions how{options.plugins.insecure, {}};
        for (const auto &pin : catalog->pins())
            if (pin.file == entry.file) how.sha256 = pin.sha256;
        auto file = plugin::examine(entry.file, how);
        if (!entry.same_as.empty()) file.warnings.push_back(entry.file + ": is another name of " + entry.same_as);
        files.push_back(std::move(file));
    }
    if (options.json) print_json(files, false);
    else print_table(files);
    return code_of(files);
}

int plugin_inspect(const PluginCommandOptions &options) {
    std::vector<Examination> files;
    for (auto name : options.files) {
        std::error_code none;
        if (name.find('/') == name.npos && !std::filesystem::exists(name, none))
            for (const auto &directory : plugin::plugin_directories(options.plugins))
                if (auto there = std::filesystem::path(directory) / name; std::filesystem::exists(there, none)) {
                    name = there.string();
                    break;
                }
        files.push_back(plugin::examine(name, {options.plugins.insecure, {}}));
    }
    if (options.json) print_json(files, true);
    else
        for (const auto &file : files) {
            if (&file != files.data()) std::cout << '\n';
            print_file(file);
        }
    return code_of(files);
}

}  // namespace berth::cli
