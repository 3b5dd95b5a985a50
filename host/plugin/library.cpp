// SPDX-License-Identifier: Apache-2.0
#include "plugin/library.h"

#include "env/content_hash.h"
#include "env/sha256.h"
#include "plugin/fault.h"
#include "plugin/library_check.h"
#include "plugin/loaded.h"
#include "plugin/thrown.h"

#include <string>
#include <vector>
// Boost.DLL uses both of the above without including them.
#include <boost/dll/shared_library.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>

namespace berth::plugin {
namespace {

std::string system_text() { return std::generic_category().message(errno); }

/// Closes a descriptor unless it was kept.
class Descriptor {
    int fd_;

public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return fd_; }
    void keep() { fd_ = -1; }
};

using FileId = std::pair<dev_t, ino_t>;

/// What became of one file: a library, or the reason why not.
struct Outcome {
    std::uint64_t content;  ///< env::content_hash()
    int fd;                 ///< kept open
    model::Result<const Library *> result;
};

/// The libraries of this process. Never destroyed: their code may run until the very end.
struct Registry {
    std::mutex mutex;
    std::map<FileId, Outcome> outcomes;
};

Registry &registry() {
    static auto *the = new Registry;
    return *the;
}

/// Whether the owner's group is the owner alone, as where every user has a group of the same name. Root's is not
/// counted: there are systems whose programs run in it as whoever.
bool is_private_group(const struct stat &facts) {
    const auto *owner = facts.st_uid ? ::getpwuid(facts.st_uid) : nullptr;
    if (!owner || owner->pw_gid != facts.st_gid) return false;
    std::string name = owner->pw_name;
    const auto *group = ::getgrgid(facts.st_gid);
    if (!group || name != group->gr_name) return false;
    for (char **member = group->gr_mem; *member; ++member)
        if (name != *member) return false;
    return true;
}

model::Result<void> check_writers(const std::string &file, const std::string &what, const struct stat &facts) {
    bool everybody = facts.st_mode & S_IWOTH;
    if (!everybody && (!(facts.st_mode & S_IWGRP) || is_private_group(facts))) return {};
    auto who = everybody ? "everybody" : "its group";
    return fault(file, what + " can be written by " + who +
                           ", so anybody of them could put other code into this "
                           "process; take the right away (chmod go-w), or accept it with --insecure-plugins");
}

/// The file and the directories that lead to it by its given and by its real name. Where the digest is known it does
/// not matter who could put another file there: it would be refused. Kubernetes makes the directories of its volumes
/// like that.
model::Result<void> check_permissions(const std::string &given, const std::string &real, const struct stat &facts,
                                      bool digest_is_pinned) {
    if (auto ok = check_writers(real, "the file", facts); !ok || digest_is_pinned) return ok;
    auto directory = [](const std::string &file) {
        auto parent = std::filesystem::path(file).parent_path().string();
        return parent.empty() ? std::string(".") : parent;
    };
    for (const auto &parent : {directory(real), directory(given)}) {
        struct stat it{};
        if (::stat(parent.c_str(), &it) != 0)
            return fault(real, "its directory " + parent + " cannot be looked at: " + system_text());
        if (auto ok = check_writers(real, "its directory " + parent, it); !ok) return ok;
    }
    return {};
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

/// Loads the open file and asks it what it holds. Once the loader has it, the descriptor stays open: the loader
/// remembers the library by that number's name and would take it for the next one that has the number.
model::Result<const Library *> load_open(Descriptor &fd, std::unique_ptr<Library> library, const Note *note) {
    const auto &file = library->file;
    auto name = "/proc/self/fd/" + std::to_string(fd.get());
    static auto *kept = new std::vector<boost::dll::shared_library>;
    boost::dll::shared_library loaded;
    try {
        loaded.load(name, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    } catch (const std::exception &e) {
        return fault(file, "cannot be loaded: " + loader_text(e.what(), name));
    } catch (...) {
        return fault(file, "cannot be loaded: one of its constructors threw " + describe_thrown());
    }
    fd.keep();
    kept->push_back(loaded);
    ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);

    auto entry = find_entry(file, loaded);
    if (!entry) return entry.error();
    const berth_library *table = nullptr;
    if (auto what = thrown_by([&] { table = (*entry)(); })) return fault(file, BERTH_ENTRY_SYMBOL " threw " + *what);
    if (!note)
        library->warnings.push_back(file + ": has no note " BERTH_NOTE_SECTION
                                           ", so it had to be run to be asked what it holds; add a BERTH_MANIFEST");
    if (auto ok = check_library(table, note, *library); !ok) return ok.error();
    return static_cast<const Library *>(library.release());
}

}  // namespace

const LoadedPlugin *Library::find(std::string_view name) const {
    auto at = std::ranges::find_if(plugins, [&](const auto &p) { return text_of(p.plugin->name) == name; });
    return at == plugins.end() ? nullptr : &*at;
}

std::string real_path(int fd, const std::string &otherwise) {
    std::error_code error;
    auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
    return error ? otherwise : path.string();
}

model::Result<int> open_library(const std::string &file) {
    // A pipe must not make the scheduler wait.
    int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fault(file, "cannot be opened: " + system_text());
    Descriptor open(fd);
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) return fault(file, "cannot be read: " + system_text());
    if (S_ISDIR(facts.st_mode)) return fault(file, "is a directory, expected a plugin library");
    if (!S_ISREG(facts.st_mode)) return fault(file, "is no regular file, expected a plugin library");
    open.keep();
    return fd;
}

model::Result<void> check_origin(int fd, const std::string &given, const LoadOptions &options) {
    auto file = real_path(fd, given);
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) return fault(file, "cannot be read: " + system_text());
    if (!options.insecure)
        if (auto ok = check_permissions(given, file, facts, !options.sha256.empty()); !ok) return ok;
    return options.sha256.empty() ? model::Result<void>{} : check_sha256(file, fd, options.sha256);
}

model::Result<const Library *> load_library(const std::string &given, const LoadOptions &options) {
    auto opened = open_library(given);
    if (!opened) return opened.error();
    Descriptor fd(*opened);
    auto file = real_path(fd.get(), given);
    if (auto ok = check_origin(fd.get(), given, options); !ok) return ok.error();
    struct stat facts{};
    if (::fstat(fd.get(), &facts) != 0) return fault(file, "cannot be read: " + system_text());
    auto content = env::content_hash(fd.get());
    if (!content) return fault(file, "cannot be read: " + content.error().text);

    std::scoped_lock lock(registry().mutex);
    FileId id{facts.st_dev, facts.st_ino};
    auto known = registry().outcomes.find(id);
    if (known != registry().outcomes.end()) {
        if (known->second.content == *content) return known->second.result;
        return fault(file,
                     "was overwritten in place after it had been loaded; replace it by rename (install it under "
                     "another name in the same directory, then mv)");
    }
    auto note = read_note(fd.get(), file);
    if (!note) return note.error();
    if (*note)
        if (auto ok = check_minor(file, (*note)->required_minor); !ok) return ok.error();
    auto library = std::make_unique<Library>();
    library->file = file;
    const int kept = fd.get();
    auto result = load_open(fd, std::move(library), *note ? &**note : nullptr);
    if (fd.get() < 0) registry().outcomes.emplace(id, Outcome{*content, kept, result});
    return result;
}

std::optional<LoadedFrom> loaded_from(const berth_plugin *plugin) {
    std::scoped_lock lock(registry().mutex);
    for (const auto &[id, outcome] : registry().outcomes)
        if (outcome.result)
            for (const auto &one : (*outcome.result)->plugins)
                if (one.plugin == plugin) return LoadedFrom{(*outcome.result)->file, outcome.fd};
    return std::nullopt;
}

}  // namespace berth::plugin
