// SPDX-License-Identifier: Apache-2.0
#include "plugin/catalog.h"

#include "plugin/fault.h"
#include "plugin/library_owner.h"

#include <sys/stat.h>
#include <algorithm>
#include <filesystem>
#include <system_error>

namespace berth::plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view digest_mark = "@sha256:";

using FileId = std::pair<dev_t, ino_t>;

/// Reads one file's note into a CatalogFile and says which file it is.
std::optional<FileId> look_at(CatalogFile &entry) {
    auto fd = open_library(entry.file);
    if (!fd) {
        entry.problem = fd.error().text;
        return std::nullopt;
    }
    struct stat facts{};
    std::optional<FileId> id;
    if (::fstat(fd->get(), &facts) == 0) id = {facts.st_dev, facts.st_ino};
    auto note = read_note(fd->get(), entry.file);
    if (note) entry.note = *std::move(note);
    else entry.problem = note.error().text;
    return id;
}

bool is_sha256(std::string_view s) {
    return s.size() == 64 && s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> names(const Library &library) {
    std::vector<std::string> out;
    for (const auto &plugin : library.plugins) out.emplace_back(text_of(plugin.plugin->name));
    return out;
}

}  // namespace

model::Result<Pin> parse_pin(std::string_view text) {
    auto wrong = [&](std::string_view why) {
        return model::Error{"--plugin " + std::string(text) + ": " + std::string(why) +
                            "; expected NAME=FILE[#PLUGIN][@sha256:HEX]"};
    };
    auto equals = text.find('=');
    if (equals == std::string_view::npos) return wrong("has no =");
    Pin pin;
    pin.name = text.substr(0, equals);
    auto rest = text.substr(equals + 1);
    if (auto mark = rest.rfind(digest_mark); mark != std::string_view::npos) {
        pin.sha256 = rest.substr(mark + digest_mark.size());
        rest = rest.substr(0, mark);
        if (!is_sha256(pin.sha256)) return wrong("the SHA-256 is not 64 lower-case hexadecimal digits");
    }
    if (auto mark = rest.rfind('#'); mark != std::string_view::npos && rest.find('/', mark) == std::string_view::npos) {
        pin.plugin = rest.substr(mark + 1);
        rest = rest.substr(0, mark);
        if (pin.plugin.empty()) return wrong("the plugin after # is empty");
    }
    pin.file = rest;
    if (pin.name.empty()) return wrong("NAME is empty");
    if (pin.file.empty()) return wrong("FILE is empty");
    return pin;
}

model::Result<void> Catalog::scan(const std::string &directory) {
    std::error_code error;
    std::vector<std::string> found;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".so") found.push_back(it->path().string());
    if (error)
        return fault("--plugin-dir " + directory, "cannot be read: " + error.message() +
                                                      "; name a directory of plugin "
                                                      "libraries");
    std::ranges::sort(found);
    for (auto &file : found) files_.push_back({std::move(file), {}, {}, {}, false, false});
    return {};
}

void Catalog::find_file(Pin &pin) const {
    if (pin.file.find('/') != std::string::npos) return;
    for (const auto &entry : files_)
        if (fs::path(entry.file).filename() == pin.file) {
            pin.file = entry.file;
            return;
        }
}

model::Result<Catalog> Catalog::open(CatalogOptions options) {
    Catalog out;
    out.options_ = std::move(options);
    for (const auto &directory : out.options_.directories)
        if (auto ok = out.scan(directory); !ok) return ok.error();
    auto given = out.files_.size();
    std::error_code error;
    if (fs::is_directory(out.options_.installed, error))
        if (auto ok = out.scan(out.options_.installed); !ok) return ok.error();
    for (auto i = given; i < out.files_.size(); ++i) out.files_[i].installed = true;
    std::map<FileId, std::string> seen;
    for (auto &entry : out.files_) {
        auto id = look_at(entry);
        if (!id) continue;
        auto [first, is_new] = seen.try_emplace(*id, entry.file);
        if (!is_new) entry.same_as = first->second;
    }
    auto &pins = out.options_.pins;
    for (std::size_t i = 0; i < pins.size(); ++i) {
        out.find_file(pins[i]);
        auto who = "--plugin " + pins[i].name + "=" + pins[i].file;
        for (std::size_t j = 0; j < i; ++j)
            if (pins[j].name == pins[i].name)
                return fault(who, "the name is already pinned to " + pins[j].file + "; pin each name once");
        CatalogFile entry{pins[i].file, {}, {}, {}, true, false};
        auto id = look_at(entry);
        if (!entry.problem.empty()) return model::Error{"--plugin " + pins[i].name + "=" + entry.problem};
        if (seen.try_emplace(*id, entry.file).second) out.files_.push_back(std::move(entry));
    }
    return out;
}

model::Result<const Library *> Catalog::load(const std::string &file, const std::string &sha256) {
    if (auto known = loaded_.find({file, sha256}); known != loaded_.end()) return known->second;
    auto library = load_library(file, {options_.insecure, sha256});
    if (!library) return library;
    loaded_.emplace(std::pair(file, sha256), *library);
    for (const auto &warning : (*library)->warnings) warn(warning);
    return library;
}

model::Result<const LoadedPlugin *> Catalog::find_pinned(const Pin &pin) {
    auto library = load(pin.file, pin.sha256);
    if (!library) return library.error();
    const auto &file = (*library)->file;
    const auto *plugin = (*library)->find(pin.plugin.empty() ? pin.name : pin.plugin);
    if (!plugin && pin.plugin.empty() && (*library)->plugins.size() == 1) plugin = &(*library)->plugins[0];
    if (plugin) return plugin;
    if (pin.plugin.empty())
        return fault(file, "pinned as " + in_quotes(pin.name) + ", but it holds " + listed(names(**library)) +
                               "; say which one with --plugin " + pin.name + "=" + pin.file + "#PLUGIN");
    return fault(file, "holds no plugin " + in_quotes(pin.plugin) + ", which --plugin " + pin.name +
                           " asks for; it holds " + listed(names(**library)));
}

/// Files without a note must be loaded to list their plugins. One that cannot be used is a problem of the file, not of
/// the name.
model::Result<const LoadedPlugin *> Catalog::find_without_note(std::string_view name) {
    const LoadedPlugin *found = nullptr;
    for (auto &entry : files_) {
        if (entry.pinned || entry.note || !entry.problem.empty() || !entry.same_as.empty()) continue;
        auto library = load(entry.file, {});
        if (!library) {
            entry.problem = library.error().text;
            continue;
        }
        const auto *plugin = (*library)->find(name);
        if (plugin && found)
            return fault(found->file, "plugin " + in_quotes(name) + " is also in " + plugin->file +
                                          "; say which one with --plugin " + std::string(name) + "=FILE");
        if (plugin) found = plugin;
    }
    return found;
}

model::Result<const CatalogFile *> Catalog::offering(std::string_view name, bool installed) const {
    const CatalogFile *found = nullptr;
    for (const auto &entry : files_) {
        if (entry.pinned || entry.installed != installed || !entry.same_as.empty()) continue;
        if (!entry.note || !entry.note->find(name)) continue;
        if (found)
            return fault(found->file, "plugin " + in_quotes(name) + " is also in " + entry.file +
                                          "; say which one with --plugin " + std::string(name) + "=FILE");
        found = &entry;
    }
    return found;
}

model::Result<const LoadedPlugin *> Catalog::find(std::string_view name) {
    for (const auto &pin : options_.pins)
        if (pin.name == name) return find_pinned(pin);
    auto offer = offering(name, false);
    if (offer && !*offer) offer = offering(name, true);
    if (!offer) return offer.error();
    const auto *found = *offer;
    if (!found) return find_without_note(name);
    auto library = load(found->file, {});
    if (!library) return library.error();
    // A note that disagrees with its library was refused, so the plugin is there, unless the file was replaced between
    // the look at its note and now.
    const auto *plugin = (*library)->find(name);
    if (!plugin) return fault((*library)->file, "was replaced while it was being read; try again");
    return plugin;
}

std::vector<std::string> Catalog::offered_names() const {
    std::vector<std::string> out;
    for (const auto &pin : options_.pins) out.push_back(pin.name);
    for (const auto &entry : files_)
        if (entry.note && !entry.pinned)
            for (const auto &plugin : entry.note->plugins) out.push_back(plugin.name);
    return out;
}

void Catalog::warn(const std::string &text) {
    if (!std::ranges::count(warnings_, text)) warnings_.push_back(text);
}

std::string Catalog::searched() const {
    std::string out;
    auto directories = options_.directories;
    if (!options_.installed.empty()) directories.push_back(options_.installed);
    if (directories.empty()) out = "no --plugin-dir was given";
    else {
        out = "no library in ";
        for (std::size_t i = 0; i < directories.size(); ++i) out += (i ? ", " : "") + directories[i];
        out += " offers it";
    }
    for (const auto &entry : files_)
        if (!entry.problem.empty()) out += "; not usable there: " + entry.problem;
    return out;
}

}  // namespace berth::plugin
