// SPDX-License-Identifier: Apache-2.0
#include "plugin/library.h"

#include "env/file_blocks.h"
#include "env/sha256.h"
#include "plugin/elf.h"
#include "plugin/fault.h"
#include "plugin/library_check.h"
#include "plugin/library_owner.h"
#include "plugin/loaded.h"
#include "plugin/sealed.h"
#include "plugin/thrown.h"

#include <string>
#include <vector>
// Boost.DLL uses both of the above without including them.
#include <boost/dll/shared_library.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

namespace berth::plugin {
namespace {

std::string system_text() { return std::generic_category().message(errno); }

using FileId = std::pair<dev_t, ino_t>;

/// What became of one file: a library, or the reason why not.
struct LoadResult {
    env::Descriptor source;  ///< kept open, so that no other file gets its number
    env::Descriptor copy;    ///< sealed: its content stays as it was loaded
    model::Result<const Library *> result;
};

/// The libraries of this process. Never destroyed: their code may run until the very end.
struct Registry {
    std::mutex mutex;
    std::map<FileId, LoadResult> results;
};

Registry &registry() {
    static auto *the = new Registry;
    return *the;
}

model::Result<void> check_sha256(const std::string &file, int fd, const std::string &pinned) {
    auto found = env::sha256_of(fd);
    if (!found) return fault(file, "cannot be read: " + found.error().text);
    if (*found == pinned) return {};
    return fault(file, "its SHA-256 is " + *found + ", but the pin says " + pinned +
                           "; bring back the file that was pinned, or pin this one");
}

/// Boost.DLL puts the loader's own text in the middle of a sentence about itself; the name that the loader knows the
/// file by means nothing to people.
std::string loader_text(std::string text, const std::string &name) {
    constexpr std::string_view before = "(dlerror system message: ";
    if (auto at = text.find(before); at != std::string::npos) {
        text.erase(0, at + before.size());
        if (auto end = text.rfind(')'); end != std::string::npos) text.erase(end);
    }
    if (text.starts_with(name + ": ")) text.erase(0, name.size() + 2);
    if (text.starts_with("undefined symbol"))
        text +=
            "; a plugin uses nothing of its host but what it is handed: link it with berth_add_plugin, which would "
            "have said so";
    return text;
}

model::Result<berth_entry_fn> find_entry(const std::string &file, boost::dll::shared_library &library) {
    auto *symbol = ::dlsym(library.native(), BERTH_ENTRY_SYMBOL);
    for (const char *old : old_entries)
        if (!symbol && ::dlsym(library.native(), old)) return fault(file, old_entry_text(old));
    if (!symbol)
        return fault(file, "exports no " BERTH_ENTRY_SYMBOL
                           ", so it is no Berth plugin library; link it with "
                           "berth_add_plugin, or take it out of the plugin directory");
    // The search also goes through the libraries that this one needs.
    Dl_info info{};
    void *owner = nullptr, *own = nullptr, *entry = nullptr;
    ::dlinfo(library.native(), RTLD_DI_LINKMAP, &own);
    if (!::dladdr1(symbol, &info, &owner, RTLD_DL_LINKMAP) || owner != own)
        return fault(file, "exports no " BERTH_ENTRY_SYMBOL " itself; the one found belongs to " +
                               std::string(info.dli_fname ? info.dli_fname : "another library") +
                               ", which it needs; load that file, or define the entry in this one");
    if (::dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) && entry &&
        ELF64_ST_TYPE(static_cast<const ElfW(Sym) *>(entry)->st_info) == STT_OBJECT)
        return fault(file, BERTH_ENTRY_SYMBOL " is a variable, expected a function");
    return reinterpret_cast<berth_entry_fn>(symbol);
}

/// A name of the copy that opens the same file in every process: a debugger opens what the loader's list says, and
/// /proc/self/fd/N would be a file of its own there. The process is found by its link, as the proc file system may
/// number processes otherwise than getpid() does.
std::string path_of_copy(int fd) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self", error);
    return "/proc/" + (error ? "self" : self.string()) + "/fd/" + std::to_string(fd);
}

/// Gives the library, in the loader's list, the name of the file that it is a copy of, for debuggers, backtraces and
/// core files, which outlive the copy. The loader has the name of the copy in a list of its own, and finds the library
/// by either; it frees the name only with a library that is unloaded, which none is here.
void name_after(void *handle, const std::string &file) {
    static auto *names = new std::vector<const char *>;  // Somebody may have read the old one.
    link_map *map = nullptr;
    if (::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) != 0 || !map) return;
    auto *name = ::strdup(file.c_str());
    if (!name) return;
    names->push_back(std::exchange(map->l_name, name));
}

/// Loads the copy and asks it what it holds. `loaded` says whether the loader has it: then it stays open, because the
/// loader remembers it by that number's name and would take it for the next one that has the number.
model::Result<const Library *> load_copy(int fd, std::unique_ptr<Library> library, const Note *note, bool &loaded) {
    const auto &file = library->file;
    const auto name = path_of_copy(fd);
    static auto *kept = new std::vector<boost::dll::shared_library>;
    boost::dll::shared_library handle;
    try {
        handle.load(name, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    } catch (const std::exception &e) {
        return fault(file, "cannot be loaded: " + loader_text(e.what(), name));
    } catch (...) {
        return fault(file, "cannot be loaded: one of its constructors threw " + describe_thrown());
    }
    loaded = true;
    kept->push_back(handle);
    ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
    name_after(handle.native(), file);

    auto entry = find_entry(file, handle);
    if (!entry) return entry.error();
    library->entry = *entry;
    const berth_library *table = nullptr;
    if (auto what = thrown_by([&] { table = (*entry)(); })) return fault(file, BERTH_ENTRY_SYMBOL " threw " + *what);
    if (!note)
        library->warnings.push_back(file + ": has no note " BERTH_NOTE_SECTION
                                           ", so it had to be run to be asked what it holds; add a BERTH_MANIFEST");
    if (auto ok = check_library(table, note, *library); !ok) return ok.error();
    return static_cast<const Library *>(library.release());
}

/// What became of the library that the plugin is of; null: of none. The registry is locked.
const LoadResult *outcome_of(const berth_plugin *plugin) {
    for (const auto &[id, outcome] : registry().results)
        if (outcome.result && std::ranges::find((*outcome.result)->plugins, plugin, &LoadedPlugin::plugin) !=
                                  (*outcome.result)->plugins.end())
            return &outcome;
    return nullptr;
}

}  // namespace

const LoadedPlugin *Library::find(std::string_view name) const {
    auto at = std::ranges::find_if(plugins, [&](const auto &p) { return text_of(p.plugin->name) == name; });
    return at == plugins.end() ? nullptr : &*at;
}

model::Result<SealedFile> open_sealed(const std::string &given, const LoadOptions &options) {
    auto source = options.insecure || !options.sha256.empty() ? open_library(given) : open_owned_library(given);
    if (!source) return source.error();
    SealedFile out{real_path(source->get(), given), std::move(*source), {}};
    auto copy = sealed_copy(out.source.get(), out.file);
    if (!copy) return copy.error();
    out.copy = std::move(*copy);
    if (!options.sha256.empty())
        if (auto ok = check_sha256(out.file, out.copy.get(), options.sha256); !ok) return ok.error();
    return out;
}

model::Result<const Library *> load_library(const std::string &given, const LoadOptions &options) {
    auto opened = open_sealed(given, options);
    if (!opened) return opened.error();
    auto &[file, source, copy] = *opened;
    struct stat facts{};
    if (::fstat(source.get(), &facts) != 0) return fault(file, "cannot be read: " + system_text());

    std::scoped_lock lock(registry().mutex);
    FileId id{facts.st_dev, facts.st_ino};
    auto known = registry().results.find(id);
    if (known != registry().results.end()) {
        auto same = env::same_content(known->second.copy.get(), copy.get());
        if (!same) return fault(file, "cannot be read: " + same.error().text);
        if (*same) return known->second.result;
        return fault(file,
                     "was overwritten in place after it had been loaded; replace it by rename (install it under "
                     "another name in the same directory, then mv)");
    }
    auto note = read_note(copy.get(), file);
    if (!note) return note.error();
    if (*note)
        if (auto ok = check_minor(file, (*note)->needed_minor()); !ok) return ok.error();
    auto library = std::make_unique<Library>();
    library->file = file;
    // Without a note nothing is refused for its drafts.
    const auto uses = *note ? model::Result<ElfUses>((*note)->uses) : read_elf_uses(copy.get(), file);
    library->warnings = uses ? missing_drafts(file, uses->drafts) : std::vector{uses.error().text};
    bool loaded = false;
    auto result = load_copy(copy.get(), std::move(library), *note ? &**note : nullptr, loaded);
    if (loaded) registry().results.emplace(id, LoadResult{std::move(source), std::move(copy), result});
    return result;
}

std::optional<LoadedFrom> loaded_from(const berth_plugin *plugin) {
    std::scoped_lock lock(registry().mutex);
    const auto *outcome = outcome_of(plugin);
    if (!outcome) return std::nullopt;
    return LoadedFrom{(*outcome->result)->file, outcome->copy.get()};
}

bool loaded_with(const berth_plugin *plugin, std::string_view other) {
    std::scoped_lock lock(registry().mutex);
    const auto *outcome = outcome_of(plugin);
    return outcome && (*outcome->result)->find(other);
}

}  // namespace berth::plugin
