// SPDX-License-Identifier: Apache-2.0
// What is wrong with a file before any of it runs.
#include "catch.h"
#include "env/sha256.h"
#include "plugin/library.h"
#include "plugin_world.h"
#include "test_directory.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

namespace fs = std::filesystem;
namespace plugin = berth::plugin;
using plugin_world::hostile;

namespace {

template <class T>
T get(const std::string &bytes, std::size_t at) {
    T out;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return out;
}
template <class T>
void set(std::string &bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// The sound library with the two headers that lead to its note.
struct Elf {
    std::string bytes = content_of(hostile("sound"));
    Elf64_Ehdr header = get<Elf64_Ehdr>(bytes, 0);
    std::size_t note_header = 0;  ///< of the section, where it stands in the file
    Elf64_Shdr note{};

    Elf() {
        auto names = get<Elf64_Shdr>(bytes, header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
        for (std::size_t i = 0; i < header.e_shnum; ++i) {
            auto at = header.e_shoff + i * sizeof(Elf64_Shdr);
            auto section = get<Elf64_Shdr>(bytes, at);
            if (std::strcmp(bytes.data() + names.sh_offset + section.sh_name, ".note.berth") != 0) continue;
            note_header = at;
            note = section;
        }
        REQUIRE(note_header != 0);
    }
};

/// What reading the note of these bytes says after the file's name.
std::string refusal(const TestDirectory &directory, const std::string &bytes) {
    auto file = directory.write("it.so", bytes);
    int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    auto note = plugin::read_note(fd, file);
    ::close(fd);
    if (note) return *note ? "a note" : "no note";
    REQUIRE(note.error().text.starts_with(file + ": "));
    return note.error().text.substr(file.size() + 2);
}

}  // namespace

TEST_CASE("file: damage to a library is named before it is loaded", "[plugin]") {
    TestDirectory directory;
    Elf sound;
    auto size = sound.bytes.size();
    auto with = [&](const std::function<void(std::string &)> &damage) {
        auto bytes = sound.bytes;
        damage(bytes);
        return refusal(directory, bytes);
    };
    auto beyond = [&](const std::string &what, std::uint64_t n, std::uint64_t at, std::uint64_t of) {
        return "truncated or damaged: " + what + " (" + std::to_string(n) + " bytes at " + std::to_string(at) +
               ") lies beyond the end of the file (" + std::to_string(of) + " bytes); copy the library again";
    };
    CHECK(with([](auto &) {}) == "a note");
    CHECK(with([](auto &b) { b.clear(); }) == "the file is empty; expected a shared library");
    CHECK(with([](auto &b) { b = "#!/bin/sh\necho hello\n"; }) ==
          "no shared library: it does not begin as an ELF file does");
    CHECK(with([](auto &b) { b = "\x7f"; }) == beyond("the ELF header", 64, 0, 1));
    CHECK(with([](auto &b) { b.resize(40); }) == beyond("the ELF header", 64, 0, 40));
    CHECK(with([](auto &b) { b.resize(64); }) ==
          beyond("the table of program headers", sound.header.e_phnum * sizeof(Elf64_Phdr), sound.header.e_phoff, 64));
    CHECK(with([&](auto &b) { b.resize(size - 1); }) ==
          beyond("the table of sections", sound.header.e_shnum * sizeof(Elf64_Shdr), sound.header.e_shoff, size - 1));
    CHECK(with([](auto &b) { b[EI_CLASS] = ELFCLASS32; }) == "a 32-bit library; this host loads 64-bit ones");
    CHECK(with([](auto &b) { b[EI_DATA] = ELFDATA2MSB; }) == "a big-endian library; this host is little-endian");
    CHECK(with([](auto &b) { b[EI_CLASS] = 9; }) ==
          "damaged: its ELF header names a class, byte order or version that does not exist; copy the library again");
    CHECK(with([](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_type), ET_REL); }) ==
          "an ELF file of type 1, not a shared library (type 3); link it with -shared");
    CHECK(with([](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_phnum), 0); }) ==
          "damaged: it has no program headers; copy the library again");
    CHECK(with([](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_phentsize), 1); }) ==
          "damaged: program headers of 1 bytes, expected 56");
    CHECK(with([](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_shentsize), 1); }) ==
          "damaged: section headers of 1 bytes, expected 64");
    CHECK(with([](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_shnum), 0); }) ==
          "damaged: more sections than a plugin can have; copy the library again");
    CHECK(with([&](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_shnum), 0xfeff); }) ==
          beyond("the table of sections", 0xfeff * sizeof(Elf64_Shdr), sound.header.e_shoff, size));
    CHECK(with([&](auto &b) { set<std::uint16_t>(b, offsetof(Elf64_Ehdr, e_shstrndx), 200); }) ==
          "damaged: section names in section 200 of " + std::to_string(sound.header.e_shnum) +
              "; copy the library again");
    constexpr auto huge = std::uint64_t{1} << 63;
    CHECK(with([](auto &b) { set<std::uint64_t>(b, offsetof(Elf64_Ehdr, e_shoff), huge); }) ==
          beyond("the table of sections", sound.header.e_shnum * sizeof(Elf64_Shdr), huge, size));
    CHECK(with([](auto &b) { set<std::uint64_t>(b, offsetof(Elf64_Ehdr, e_shoff), 0); }) == "no note");
    CHECK(with([&](auto &b) {
              set<std::uint64_t>(b, sound.header.e_phoff + offsetof(Elf64_Phdr, p_filesz), ~std::uint64_t{0});
          }).starts_with("truncated or damaged: segment 0 (18446744073709551615 bytes at "));
    CHECK(with([&](auto &b) { set<std::uint32_t>(b, sound.header.e_shoff + sizeof(Elf64_Shdr), 0xffffffff); }) ==
          "damaged: the name of section 1 lies outside the table of names; copy the library again");
}

#if defined(__x86_64__)
TEST_CASE("file: a library for another machine is told apart", "[plugin]") {
    TestDirectory directory;
    Elf sound;
    auto of = [&](std::uint16_t machine) {
        auto bytes = sound.bytes;
        set<std::uint16_t>(bytes, offsetof(Elf64_Ehdr, e_machine), machine);
        return refusal(directory, bytes);
    };
    CHECK(of(EM_AARCH64) == "built for AArch64; this host runs on x86-64");
    CHECK(of(0x4711) == "built for ELF machine 18193; this host runs on x86-64");
}
#endif

TEST_CASE("file: damage to the note is named", "[plugin]") {
    TestDirectory directory;
    Elf sound;
    auto with = [&](const std::function<void(std::string &)> &damage) {
        auto bytes = sound.bytes;
        damage(bytes);
        return refusal(directory, bytes);
    };
    auto left = std::to_string(sound.note.sh_size - sizeof(Elf64_Nhdr));
    CHECK(with([&](auto &b) { set<std::uint32_t>(b, sound.note.sh_offset + 4, 0x7fffffff); }) ==
          "its note .note.berth is damaged: it claims a name of 6 and a text of 2147483647 bytes where " + left +
              " are left; build the library again");
    CHECK(with([&](auto &b) {
              set<std::uint32_t>(b, sound.note.sh_offset, 0xffffffff);
          }).starts_with("its note .note.berth is damaged: it claims a name of 4294967295 and a text of "));
    CHECK(with([&](auto &b) { set<std::uint64_t>(b, sound.note_header + offsetof(Elf64_Shdr, sh_size), 8); }) ==
          "its note .note.berth is damaged: 8 bytes are left where a note's header takes 12; build the library again");
    CHECK(with([&](auto &b) { set<std::uint64_t>(b, sound.note_header + offsetof(Elf64_Shdr, sh_size), 1 << 21); }) ==
          "its note .note.berth is damaged: a section of type 7 and 2097152 bytes; build the library again");
    CHECK(with([&](auto &b) {
              set<std::uint64_t>(b, sound.note_header + offsetof(Elf64_Shdr, sh_offset), b.size());
          }).starts_with("truncated or damaged: section .note.berth ("));
    CHECK(with([&](auto &b) { set<std::uint32_t>(b, sound.note.sh_offset + 8, 2); }) ==
          "its section .note.berth holds no note of name \"berth\" and type 1; make it with BERTH_MANIFEST");
    CHECK(with([&](auto &b) {
              b.replace(sound.note.sh_offset + 20, 4, std::string("\0\0\0\0", 4));
          }).starts_with("note.json:1:"));
}

TEST_CASE("file: no damage to headers and note is fatal", "[plugin]") {
    TestDirectory directory;
    Elf sound;
    std::mt19937 chance(1);
    auto headers = std::min<std::size_t>(sound.bytes.size(), 1024);
    for (int i = 0; i < 2000; ++i) {
        auto bytes = sound.bytes;
        for (int n = 0; n < 3; ++n) {
            auto region = chance() % 3;
            auto at = region == 0   ? chance() % headers
                      : region == 1 ? sound.header.e_shoff + chance() % (bytes.size() - sound.header.e_shoff)
                                    : sound.note.sh_offset + chance() % sound.note.sh_size;
            bytes[at] = static_cast<char>(chance());
        }
        CHECK_FALSE(refusal(directory, bytes).empty());
    }
}

TEST_CASE("file: what cannot be opened says why", "[plugin]") {
    TestDirectory directory;
    auto refuse = [&](const std::string &file) {
        auto library = plugin::load_library(file, {});
        REQUIRE_FALSE(library);
        return library.error().text;
    };
    auto file = directory.file("it.so");
    CHECK(refuse(file) == file + ": cannot be opened: No such file or directory");
    fs::create_symlink("it.so", directory.path / "it.so");
    CHECK(refuse(file) == file + ": cannot be opened: Too many levels of symbolic links");
    CHECK(refuse(directory.path.string()) == directory.path.string() + ": is a directory, expected a plugin library");
    auto pipe = directory.file("pipe.so");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(refuse(pipe) == pipe + ": is no regular file, expected a plugin library");
}

namespace {

std::string loading(const std::string &name, const plugin::LoadOptions &how = {}) {
    auto library = plugin::load_library(name, how);
    return library ? "loaded" : library.error().text;
}

/// What is said of what others can write.
std::string open_to(const std::string &who, const std::string &path) {
    return " can be written by " + who +
           ", so others can put their code into this process; remove the right (chmod go-w " + path +
           "), pin the file's SHA-256, or accept it with --insecure-plugins";
}

/// What is said of what belongs to somebody else.
std::string not_ours(const std::string &chown, const std::string &path) {
    return " belongs to nobody (uid 65534), who could put other code into this process; expected root as its owner: "
           "take "
           "it over (" +
           chown + path + "), pin the file's SHA-256, or accept it with --insecure-plugins";
}

void give_away(const std::string &path) { REQUIRE(::lchown(path.c_str(), 65534, 65534) == 0); }

}  // namespace

TEST_CASE("file: what others can write is refused, unless that is accepted", "[plugin]") {
    TestDirectory directory;
    auto file = directory.write("it.so", content_of(hostile("sound")));
    CHECK(loading(file) == "loaded");
    ::chmod(file.c_str(), 0757);
    CHECK(loading(file) == file + ": the file" + open_to("everybody", file));
    CHECK(loading(file, {true, {}}) == "loaded");
    // Whoever runs this may have a group of their own, which nobody else is in; root's counts as others.
    ::chmod(file.c_str(), 0775);
    if (::geteuid() == 0) CHECK(loading(file) == file + ": the file" + open_to("its group root", file));
    else
        CHECK((loading(file) == "loaded" ||
               loading(file).find(": the file can be written by its group ") != std::string::npos));
    ::chmod(file.c_str(), 0755);
    fs::create_directories(directory.path / "open/below");
    const auto open = directory.file("open");
    ::chmod(open.c_str(), 0777);
    for (const auto *name : {"open/inner.so", "open/below/inner.so"}) {
        auto inner = directory.write(name, content_of(hostile("sound")));
        CHECK(loading(inner) == inner + ": its directory " + open + open_to("everybody", open));
    }
    // A link in an open directory could be made to lead elsewhere.
    fs::create_symlink(file, directory.path / "open/link.so");
    const auto link = directory.file("open/link.so");
    CHECK(loading(link) == link + ": its directory " + open + open_to("everybody", open));
    // In a sticky one only who owns something moves it.
    ::chmod(open.c_str(), 01777);
    CHECK(loading(directory.file("open/inner.so")) == "loaded");
    CHECK(loading(link) == "loaded");
}

TEST_CASE("file: what belongs to somebody else is refused, unless that is accepted", "[plugin]") {
    if (::geteuid() != 0) return;  // Only root can give files away.
    TestDirectory directory;
    auto file = directory.write("it.so", content_of(hostile("sound")));
    give_away(file);
    CHECK(loading(file) == file + ": the file" + not_ours("chown root ", file));
    CHECK(loading(file, {true, {}}) == "loaded");
    fs::create_directories(directory.path / "theirs/ours");
    auto inner = directory.write("theirs/ours/it.so", content_of(hostile("sound")));
    CHECK(loading(inner) == "loaded");
    give_away(directory.file("theirs"));
    CHECK(loading(inner) ==
          inner + ": its directory " + directory.file("theirs") + not_ours("chown root ", directory.file("theirs")));
    directory.write("good.so", content_of(hostile("sound")));
    fs::create_symlink("good.so", directory.path / "link.so");
    CHECK(loading(directory.file("link.so")) == "loaded");
    give_away(directory.file("link.so"));
    CHECK(loading(directory.file("link.so")) == directory.file("link.so") + ": the symbolic link " +
                                                    directory.file("link.so") +
                                                    not_ours("chown -h root ", directory.file("link.so")));
}

TEST_CASE("file: every way to write a path comes to the same file", "[plugin]") {
    TestDirectory directory;
    directory.write("it.so", content_of(hostile("sound")));
    fs::create_directories(directory.path / "a/b");
    fs::create_directory_symlink("../a", directory.path / "a/self");
    fs::create_symlink(directory.path / "a/self/b/../../it.so", directory.path / "a/absolute.so");
    const auto real = plugin::load_library(directory.file("it.so"), {});
    REQUIRE(real);
    const auto here = fs::current_path();
    for (const auto &name : {directory.file("a/b/../../it.so"), directory.file("./a//self/b/./../../it.so"),
                             directory.file("a/absolute.so"), fs::relative(directory.path / "it.so", here).string()}) {
        INFO(name);
        const auto library = plugin::load_library(name, {});
        REQUIRE(library);
        CHECK(*library == *real);
        CHECK((*library)->file == fs::canonical(directory.path / "it.so"));
    }
    CHECK(loading(directory.file("it.so/")) == "loaded");
    CHECK(loading(directory.file("it.so/more")) ==
          directory.file("it.so/more") + ": cannot be opened: Not a directory");
    CHECK(loading("/") == "/: is a directory, expected a plugin library");
}

TEST_CASE("file: a pinned digest is held", "[plugin]") {
    TestDirectory directory;
    auto file = directory.write("it.so", content_of(hostile("sound")));
    int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    auto digest = *berth::env::sha256_of(fd);
    ::close(fd);
    CHECK(plugin::load_library(file, {false, digest}));
    // What is loaded is a copy of what was digested: whoever may put something else there gains nothing.
    ::chmod(directory.path.c_str(), 0777);
    ::chmod(file.c_str(), 0757);
    CHECK(plugin::load_library(file, {false, digest}));
    if (::geteuid() == 0) give_away(file);
    CHECK(plugin::load_library(file, {false, digest}));
    ::chmod(file.c_str(), 0755);
    std::string other(64, 'a');
    auto refused = plugin::load_library(file, {false, other});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text == file + ": its SHA-256 is " + digest + ", but the pin says " + other +
                                      "; bring back the file that was pinned, or pin this one");
}

TEST_CASE("file: nobody can change the copy that is checked and loaded", "[plugin]") {
    TestDirectory directory;
    const auto content = content_of(hostile("sound"));
    auto file = directory.write("it.so", content);
    auto sealed = plugin::open_sealed(file, {});
    REQUIRE(sealed);
    const int fd = sealed->copy.get();
    CHECK(::write(fd, "x", 1) == -1);
    CHECK(::ftruncate(fd, 0) == -1);
    CHECK(::ftruncate(fd, 1 << 20) == -1);
    CHECK(::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
    CHECK(::fcntl(fd, F_ADD_SEALS, 0) == -1);
    const auto again = "/proc/self/fd/" + std::to_string(fd);
    const int other = ::open(again.c_str(), O_RDWR | O_CLOEXEC);
    if (other >= 0) CHECK(::write(other, "x", 1) == -1);
    if (other >= 0) ::close(other);
    // Whatever becomes of the file.
    std::ofstream(file, std::ios::binary | std::ios::trunc) << "something else";
    CHECK(content_of(again) == content);
}

TEST_CASE("file: the loader lists a library by its file's name, and opens its copy in a fork too", "[plugin]") {
    TestDirectory directory;
    const auto file = fs::canonical(directory.write("it.so", content_of(hostile("sound")))).string();
    auto loaded_from = [](const plugin::Library &library) {
        Dl_info info{};
        return ::dladdr(reinterpret_cast<void *>(library.entry), &info) != 0 ? std::string(info.dli_fname) : "";
    };
    auto first = plugin::load_library(file, {});
    REQUIRE(first);
    CHECK(loaded_from(**first) == file);
    // By that name the loader gives the copy that runs, and loads no other one.
    auto *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(handle);
    CHECK(::dlsym(handle, BERTH_ENTRY_SYMBOL) == reinterpret_cast<void *>((*first)->entry));
    // A new file of the name is another library.
    fs::rename(directory.write("next", content_of(hostile("throws_in_create"))), file);
    auto second = plugin::load_library(file, {});
    REQUIRE(second);
    CHECK((*second)->entry != (*first)->entry);
    CHECK(loaded_from(**second) == file);
    // A child has the descriptors of its parent by a number of its own.
    const auto other = fs::canonical(directory.write("other.so", content_of(hostile("sound")))).string();
    const auto child = ::fork();
    if (child == 0) {
        auto third = plugin::load_library(other, {});
        ::_exit(third && (*third)->entry != (*first)->entry && loaded_from(**third) == other ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("file: a loaded library is replaced by rename, not overwritten", "[plugin]") {
    TestDirectory directory;
    auto file = directory.write("it.so", content_of(hostile("sound")));
    auto first = plugin::load_library(file, {});
    REQUIRE(first);
    auto next = directory.write("next", content_of(hostile("throws_in_create")));
    fs::rename(next, file);
    auto second = plugin::load_library(file, {});
    if (!second) FAIL(second.error().text);
    CHECK((*second)->find("Throwing"));
    CHECK((*first)->find("Sound"));
    const auto size = fs::file_size(file);
    auto refused = [&](const std::string &content) {
        std::ofstream(file, std::ios::binary) << content;
        auto third = plugin::load_library(file, {});
        REQUIRE_FALSE(third);
        CHECK(third.error().text ==
              file +
                  ": was overwritten in place after it had been loaded; replace it by rename (install it under another "
                  "name in the same directory, then mv)");
    };
    const auto loaded = content_of(file);
    refused(loaded + "more");
    refused(loaded.substr(0, size - 1));
    // One byte, in the first block and in the last.
    for (auto at : {std::size_t{5000}, static_cast<std::size_t>(size) - 1}) {
        auto content = loaded;
        content[at] = static_cast<char>(content[at] ^ 1);
        refused(content);
    }
    std::ofstream(file, std::ios::binary) << loaded;
    auto again = plugin::load_library(file, {});
    REQUIRE(again);
    CHECK(*again == *second);
}

TEST_CASE("file: libraries loaded one after the other are told apart", "[plugin]") {
    // The loader knows a library by the number of the descriptor that it was opened with.
    TestDirectory directory;
    std::vector<const plugin::Library *> found;
    for (int i = 0; i < 5; ++i) {
        auto file =
            directory.write("it" + std::to_string(i) + ".so", content_of(hostile(i % 2 ? "sound" : "score_101")));
        auto library = plugin::load_library(file, {});
        REQUIRE(library);
        CHECK((*library)->plugins[0].tables.has(i % 2 ? plugin::Interface::Filter : plugin::Interface::Score));
        for (const auto *other : found) CHECK(other->plugins[0].plugin != (*library)->plugins[0].plugin);
        found.push_back(*library);
    }
}
