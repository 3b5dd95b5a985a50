// SPDX-License-Identifier: Apache-2.0
#include "plugin/elf.h"

#include "catch.h"
#include "env/descriptor.h"
#include "plugin/sealed.h"
#include "test_directory.h"

#include <berth/entry.h>

#include <elf.h>
#include <fcntl.h>
#include <cstring>
#include <ctime>
#include <vector>

using namespace berth;

namespace {

constexpr std::uint32_t named = 1;  ///< where the note's section is called so

/// A library of this machine with the sections that are given, which begins as a good one does.
struct Library {
    TestDirectory directory;
    std::string content;
    std::vector<Elf64_Shdr> sections{Elf64_Shdr{}};
    std::uint16_t names = 0;

    Library() : content(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), '\0') {
        names = add(SHT_STRTAB, 0, std::string("\0" BERTH_NOTE_SECTION "\0", sizeof(BERTH_NOTE_SECTION) + 1));
    }
    /// The number of the section.
    std::uint16_t add(std::uint32_t type, std::uint32_t name, const std::string &bytes, std::uint32_t link = 0) {
        Elf64_Shdr section{};
        section.sh_type = type;
        section.sh_name = name;
        section.sh_offset = content.size();
        section.sh_size = bytes.size();
        section.sh_link = link;
        content += bytes;
        sections.push_back(section);
        return static_cast<std::uint16_t>(sections.size() - 1);
    }
    /// The file, of at least so many bytes, open.
    env::Descriptor open(std::uint64_t size = 0) {
        // This program's says which machine it is.
        Elf64_Ehdr ours{};
        std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char *>(&ours), sizeof ours);
        ours.e_type = ET_DYN;
        ours.e_phentsize = sizeof(Elf64_Phdr);
        ours.e_shentsize = sizeof(Elf64_Shdr);
        ours.e_phoff = sizeof ours;
        ours.e_phnum = 1;
        ours.e_shoff = content.size();
        ours.e_shnum = static_cast<std::uint16_t>(sections.size());
        ours.e_shstrndx = names;
        std::memcpy(content.data(), &ours, sizeof ours);
        const auto file =
            directory.write("it.so", content + std::string(reinterpret_cast<const char *>(sections.data()),
                                                           sections.size() * sizeof(Elf64_Shdr)));
        if (size > 0) std::filesystem::resize_file(file, size);
        return env::Descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    }
    std::string note_error(std::uint64_t size = 0) {
        const auto fd = open(size);
        auto note = plugin::read_elf_note(fd.get(), "it.so");
        return note ? "" : note.error().text;
    }
    std::string symbols_error() {
        const auto fd = open();
        auto symbols = plugin::read_elf_symbols(fd.get(), "it.so");
        return symbols ? "" : symbols.error().text;
    }
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string symbol(std::uint32_t name) {
    Elf64_Sym out{};
    out.st_name = name;
    out.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    out.st_shndx = 1;
    return {reinterpret_cast<const char *>(&out), sizeof out};
}

}  // namespace

TEST_CASE("elf: a note among zeros is read in one pass", "[plugin]") {
    Library library;
    std::string zeros((1 << 20) - 12, '\0');
    zeros.back() = 1;
    library.add(SHT_NOTE, named, zeros);
    const auto before = cpu_seconds();
    CHECK(library.note_error().find("is damaged") != std::string::npos);
    // 22 s where each of the 87,000 empty notes looks for the end of the zeros.
    CHECK(cpu_seconds() - before < 2);
}

TEST_CASE("elf: names of sections are compared, however long they are", "[plugin]") {
    Library library;
    library.names = library.add(SHT_STRTAB, 0, std::string(32 << 20, 'x'));
    for (int i = 0; i < 60'000; ++i) library.add(SHT_PROGBITS, 0, {});
    const auto before = cpu_seconds();
    CHECK(library.note_error().empty());
    CHECK(cpu_seconds() - before < 5);  // without a bound 2 TB are looked at
}

TEST_CASE("elf: what a file claims to have is no reason to ask for memory", "[plugin]") {
    Library sparse;
    CHECK(sparse.note_error(plugin::most_library_bytes + 1).find("at most: strip it") != std::string::npos);
    Library large;
    large.sections[large.names].sh_size = 100 << 20;
    CHECK(large.note_error(200 << 20).find("the table of section names has 104857600 bytes") != std::string::npos);
}

TEST_CASE("elf: symbols that share one long name are refused", "[plugin]") {
    Library library;
    const auto names = library.add(SHT_STRTAB, 0, std::string(1, '\0') + std::string(500'000, 'y') + '\0');
    std::string symbols;
    for (int i = 0; i < 20'000; ++i) symbols += symbol(1);
    library.add(SHT_DYNSYM, 0, symbols, names);
    CHECK(library.symbols_error().find("take more than 67108864 bytes") != std::string::npos);
    Library twice;
    for (int i = 0; i < 2; ++i) twice.add(SHT_DYNSYM, 0, symbol(0), twice.names);
    CHECK(twice.symbols_error().find("two tables of dynamic symbols") != std::string::npos);
}
