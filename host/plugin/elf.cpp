// SPDX-License-Identifier: Apache-2.0
#include "plugin/elf.h"

#include "plugin/fault.h"
#include "plugin/interfaces.h"
#include "plugin/sealed.h"

#include <berth/entry.h>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace berth::plugin {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t own_machine = EM_RISCV;
#else
#error "Name this machine's ELF number: plugins are checked against it."
#endif

/// Far above what a note can need; a larger one is damage.
constexpr std::uint64_t most_note_bytes = 1 << 20;
/// Of drafts that a library says it uses: others are left out, as the notes only inform.
constexpr std::size_t most_drafts = 64, longest_draft = 128;
/// The same for a table, and for the names of all symbols together, of which many may be parts of one text.
constexpr std::uint64_t most_table_bytes = 64 << 20;

std::string machine_name(std::uint16_t machine) {
    const char *name = nullptr;
    switch (machine) {
        case EM_386: name = "x86"; break;
        case EM_ARM: name = "ARM"; break;
        case EM_X86_64: name = "x86-64"; break;
        case EM_AARCH64: name = "AArch64"; break;
        case EM_RISCV: name = "RISC-V"; break;
        case EM_S390: name = "S/390"; break;
        case EM_PPC64: name = "PowerPC"; break;
        default: return "ELF machine " + std::to_string(machine);
    }
    return name;
}

/// A file of which only what lies inside it can be read.
class Bytes {
    int fd_;
    std::string file_;
    std::uint64_t size_;

public:
    Bytes(int fd, std::string file, std::uint64_t size) : fd_(fd), file_(std::move(file)), size_(size) {}

    std::uint64_t size() const { return size_; }
    model::Error fault(std::string_view text) const { return plugin::fault(file_, text); }

    model::Result<void> inside(const std::string &what, std::uint64_t offset, std::uint64_t n) const {
        if (offset <= size_ && n <= size_ - offset) return {};
        return fault("truncated or damaged: " + what + " (" + std::to_string(n) + " bytes at " +
                     std::to_string(offset) + ") lies beyond the end of the file (" + std::to_string(size_) +
                     " bytes); copy the library again");
    }

    model::Result<std::string> read(const std::string &what, std::uint64_t offset, std::uint64_t n) const {
        if (auto ok = inside(what, offset, n); !ok) return ok.error();
        std::string out(n, '\0');
        for (std::uint64_t done = 0; done < n;) {
            auto got = ::pread(fd_, out.data() + done, n - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return fault("cannot be read: " + std::generic_category().message(errno));
            if (got == 0) return fault("became shorter while it was being read; replace libraries by rename");
            done += static_cast<std::uint64_t>(got);
        }
        return out;
    }
};

template <class T>
T at(const std::string &bytes, std::uint64_t offset) {
    T out;
    std::memcpy(&out, bytes.data() + offset, sizeof out);
    return out;
}

model::Result<Elf64_Ehdr> read_header(const Bytes &file) {
    if (file.size() == 0) return file.fault("the file is empty; expected a shared library");
    auto magic = file.read("the ELF header", 0, std::min<std::uint64_t>(file.size(), EI_NIDENT));
    if (!magic) return magic.error();
    if (!magic->starts_with(std::string_view(ELFMAG, std::min<std::size_t>(SELFMAG, magic->size()))))
        return file.fault("no shared library: it does not begin as an ELF file does");
    if (magic->size() > EI_CLASS && (*magic)[EI_CLASS] == ELFCLASS32)
        return file.fault("a 32-bit library; this host loads 64-bit ones");
    if (magic->size() > EI_DATA && (*magic)[EI_DATA] == ELFDATA2MSB)
        return file.fault("a big-endian library; this host is little-endian");
    auto bytes = file.read("the ELF header", 0, sizeof(Elf64_Ehdr));
    if (!bytes) return bytes.error();
    auto header = at<Elf64_Ehdr>(*bytes, 0);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_version != EV_CURRENT)
        return file.fault(
            "damaged: its ELF header names a class, byte order or version that does not exist; copy the "
            "library again");
    if (header.e_machine != own_machine)
        return file.fault("built for " + machine_name(header.e_machine) + "; this host runs on " +
                          machine_name(own_machine));
    if (header.e_type != ET_DYN)
        return file.fault("an ELF file of type " + std::to_string(header.e_type) +
                          ", not a shared library (type 3); link it with -shared");
    return header;
}

/// The loader maps every segment, and a process that touches one beyond the end of its file dies.
model::Result<void> check_segments(const Bytes &file, const Elf64_Ehdr &header) {
    if (header.e_phnum == 0) return file.fault("damaged: it has no program headers; copy the library again");
    if (header.e_phentsize != sizeof(Elf64_Phdr))
        return file.fault("damaged: program headers of " + std::to_string(header.e_phentsize) + " bytes, expected " +
                          std::to_string(sizeof(Elf64_Phdr)));
    auto table =
        file.read("the table of program headers", header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
    if (!table) return table.error();
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        auto segment = at<Elf64_Phdr>(*table, i * sizeof(Elf64_Phdr));
        if (segment.p_type == PT_NULL) continue;
        if (auto ok = file.inside("segment " + std::to_string(i), segment.p_offset, segment.p_filesz); !ok)
            return ok.error();
    }
    return {};
}

/// The sections' headers; none if the file has none.
model::Result<std::vector<Elf64_Shdr>> read_sections(const Bytes &file, const Elf64_Ehdr &header) {
    if (header.e_shoff == 0) return std::vector<Elf64_Shdr>{};
    if (header.e_shentsize != sizeof(Elf64_Shdr))
        return file.fault("damaged: section headers of " + std::to_string(header.e_shentsize) + " bytes, expected " +
                          std::to_string(sizeof(Elf64_Shdr)));
    // A count or an index that does not fit into the header is in the first section's header; a library with that many
    // sections is none of ours, and reading it as one without sections would drop its note in silence.
    if (header.e_shnum == 0 || header.e_shstrndx == SHN_XINDEX)
        return file.fault("damaged: more sections than a plugin can have; copy the library again");
    auto table = file.read("the table of sections", header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    if (!table) return table.error();
    std::vector<Elf64_Shdr> out;
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) out.push_back(at<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr)));
    return out;
}

/// What a section holds; nothing for one that takes no room in the file.
model::Result<std::string> read_section(const Bytes &file, const std::string &what, const Elf64_Shdr &section) {
    const auto size = section.sh_type == SHT_NOBITS ? 0 : section.sh_size;
    if (size > most_table_bytes)
        return file.fault("damaged: " + what + " has " + std::to_string(size) + " bytes, expected at most " +
                          std::to_string(most_table_bytes) + "; copy the library again");
    return file.read(what, section.sh_offset, size);
}

/// The text at `offset` of a table of texts, as far as a comparison with one of `size` bytes takes it: it ends at its
/// own NUL or, in a damaged table, at the table's end, which may be far.
std::string_view beginning_at(std::string_view table, std::uint64_t offset, std::size_t size) {
    const auto part = table.substr(offset, size + 1);
    return part.substr(0, part.find('\0'));
}

/// The section of that name, or nothing.
model::Result<std::optional<Elf64_Shdr>> find_section(const Bytes &file, const Elf64_Ehdr &header,
                                                      std::string_view wanted) {
    auto sections = read_sections(file, header);
    if (!sections) return sections.error();
    if (sections->empty()) return std::optional<Elf64_Shdr>{};
    if (header.e_shstrndx >= header.e_shnum)
        return file.fault("damaged: section names in section " + std::to_string(header.e_shstrndx) + " of " +
                          std::to_string(header.e_shnum) + "; copy the library again");
    auto names = read_section(file, "the table of section names", (*sections)[header.e_shstrndx]);
    if (!names) return names.error();

    std::optional<Elf64_Shdr> found;
    for (std::size_t i = 0; i < sections->size(); ++i) {
        const auto &section = (*sections)[i];
        if (section.sh_name >= names->size()) {
            if (section.sh_type == SHT_NULL) continue;
            return file.fault("damaged: the name of section " + std::to_string(i) +
                              " lies outside the table of names; copy the library again");
        }
        if (beginning_at(*names, section.sh_name, wanted.size()) != wanted) continue;
        if (found)
            return file.fault("it has two sections " + std::string(wanted) + "; link it with one BERTH_MANIFEST");
        found = section;
    }
    return found;
}

/// Calls `fn(type, descriptor)` for each note of name "berth" in what section `which` holds, until it answers with an
/// error.
template <class Fn>
model::Result<void> each_note(const Bytes &file, const std::string &which, const std::string &notes, Fn &&fn) {
    // A linker may fill the section up with zeros.
    const auto end = notes.find_last_not_of('\0') + 1;
    for (std::uint64_t i = 0; i < end;) {
        if (notes.size() - i < sizeof(Elf64_Nhdr))
            return file.fault("its note " + which + " is damaged: " + std::to_string(notes.size() - i) +
                              " bytes are left where a note's header takes 12; build the library again");
        auto note = at<Elf64_Nhdr>(notes, i);
        i += sizeof note;
        auto padded = [](std::uint64_t n) { return (n + 3) / 4 * 4; };
        auto left = notes.size() - i, name_size = padded(note.n_namesz);
        if (name_size > left || note.n_descsz > left - name_size)
            return file.fault("its note " + which + " is damaged: it claims a name of " +
                              std::to_string(note.n_namesz) + " and a text of " + std::to_string(note.n_descsz) +
                              " bytes where " + std::to_string(left) + " are left; build the library again");
        auto name = std::string_view(notes).substr(i, note.n_namesz);
        if (name == std::string_view(BERTH_NOTE_NAME, sizeof(BERTH_NOTE_NAME)))
            if (auto ok = fn(note.n_type, notes.substr(i + name_size, note.n_descsz)); !ok) return ok.error();
        i += std::min<std::uint64_t>(left, name_size + padded(note.n_descsz));
    }
    return {};
}

/// The descriptor of the one note among the entries of a note section.
model::Result<std::optional<std::string>> find_descriptor(const Bytes &file, const std::string &notes) {
    std::optional<std::string> found;
    auto read = each_note(
        file, BERTH_NOTE_SECTION, notes, [&](std::uint32_t type, std::string descriptor) -> model::Result<void> {
            if (type != BERTH_NOTE_TYPE) return {};
            if (found) return file.fault("it holds two notes " BERTH_NOTE_SECTION "; link it with one BERTH_MANIFEST");
            found = std::move(descriptor);
            while (found->ends_with('\0')) found->pop_back();
            return {};
        });
    if (!read) return read.error();
    if (!found)
        return file.fault("its section " BERTH_NOTE_SECTION " holds no note of name \"" BERTH_NOTE_NAME
                          "\" and type 1; make it with BERTH_MANIFEST");
    return found;
}

/// The text at `offset` of a table of texts: up to its NUL or, in a damaged table, the table's end.
std::string text_at(const std::string &table, std::uint64_t offset) {
    return offset < table.size() ? std::string(table.c_str() + offset) : std::string{};
}

/// Takes the bytes of a name from what is left for all.
model::Result<void> take_name(const Bytes &file, std::uint64_t bytes, std::uint64_t &left) {
    if (bytes > left)
        return file.fault("damaged: the names of its dynamic symbols take more than " +
                          std::to_string(most_table_bytes) + " bytes; copy the library again");
    left -= bytes;
    return {};
}

/// The names of defined symbols that others see.
model::Result<void> add_exported(const Bytes &file, const std::string &symbols, const std::string &names,
                                 ElfSymbols &out) {
    auto left = most_table_bytes;
    for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= symbols.size(); i += sizeof(Elf64_Sym)) {
        auto symbol = at<Elf64_Sym>(symbols, i);
        const auto binding = ELF64_ST_BIND(symbol.st_info), visibility = ELF64_ST_VISIBILITY(symbol.st_other);
        const bool seen = binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
        if (!seen || symbol.st_shndx == SHN_UNDEF) continue;
        auto name = text_at(names, symbol.st_name);
        if (auto ok = take_name(file, name.size(), left); !ok) return ok;
        if (!name.empty()) out.exported.push_back(std::move(name));
    }
    return {};
}

model::Result<void> add_needed(const Bytes &file, const std::string &entries, const std::string &names,
                               ElfSymbols &out) {
    auto left = most_table_bytes;
    for (std::uint64_t i = 0; i + sizeof(Elf64_Dyn) <= entries.size(); i += sizeof(Elf64_Dyn)) {
        auto entry = at<Elf64_Dyn>(entries, i);
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag != DT_NEEDED) continue;
        out.needed.push_back(text_at(names, entry.d_un.d_val));
        if (auto ok = take_name(file, out.needed.back().size(), left); !ok) return ok;
    }
    return {};
}

/// A library of this machine whose parts lie inside it.
struct OpenElf {
    Bytes file;
    Elf64_Ehdr header;
};
model::Result<OpenElf> open_elf(int fd, const std::string &name) {
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) return fault(name, "cannot be read: " + std::generic_category().message(errno));
    Bytes file(fd, name, static_cast<std::uint64_t>(facts.st_size));
    if (auto ok = check_size(name, file.size()); !ok) return ok.error();
    auto header = read_header(file);
    if (!header) return header.error();
    if (auto ok = check_segments(file, *header); !ok) return ok.error();
    return OpenElf{std::move(file), *header};
}

}  // namespace

model::Result<ElfSymbols> read_elf_symbols(int fd, const std::string &name) {
    auto elf = open_elf(fd, name);
    if (!elf) return elf.error();
    auto sections = read_sections(elf->file, elf->header);
    if (!sections) return sections.error();
    ElfSymbols out;
    bool exports = false, needs = false;
    for (const auto &section : *sections) {
        if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
        if (std::exchange(section.sh_type == SHT_DYNSYM ? exports : needs, true))
            return elf->file.fault("damaged: it has two tables of dynamic symbols; copy the library again");
        if (section.sh_link >= sections->size())
            return elf->file.fault("damaged: its dynamic symbols are named in section " +
                                   std::to_string(section.sh_link) + " of " + std::to_string(sections->size()) +
                                   "; copy the library again");
        auto entries = read_section(elf->file, "the table of dynamic symbols", section);
        if (!entries) return entries.error();
        auto names = read_section(elf->file, "the names of dynamic symbols", (*sections)[section.sh_link]);
        if (!names) return names.error();
        const auto add = section.sh_type == SHT_DYNSYM ? add_exported : add_needed;
        if (auto ok = add(elf->file, *entries, *names, out); !ok) return ok.error();
    }
    std::ranges::sort(out.exported);
    return out;
}

namespace {

/// What a section of notes holds; nothing if there is none of that name.
model::Result<std::optional<std::string>> read_notes(int fd, const std::string &name, const std::string &which) {
    auto elf = open_elf(fd, name);
    if (!elf) return elf.error();
    const auto &[file, header] = *elf;
    auto section = find_section(file, header, which);
    if (!section) return section.error();
    if (!*section) return std::optional<std::string>{};
    if ((*section)->sh_type == SHT_NOBITS || (*section)->sh_size > most_note_bytes)
        return file.fault("its note " + which + " is damaged: a section of type " +
                          std::to_string((*section)->sh_type) + " and " + std::to_string((*section)->sh_size) +
                          " bytes; build the library again");
    auto notes = file.read("section " + which, (*section)->sh_offset, (*section)->sh_size);
    if (!notes) return notes.error();
    return std::optional<std::string>(*std::move(notes));
}

}  // namespace

model::Result<std::optional<std::string>> read_elf_note(int fd, const std::string &name) {
    auto notes = read_notes(fd, name, BERTH_NOTE_SECTION);
    if (!notes || !*notes) return notes;
    return find_descriptor(Bytes(fd, name, 0), **notes);
}

namespace {

bool names_draft(std::string_view id) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789._-/";
    return id.size() <= longest_draft && is_draft(id) && id.find_first_not_of(letters) == id.npos;
}

}  // namespace

model::Result<ElfUses> read_elf_uses(int fd, const std::string &name) {
    auto notes = read_notes(fd, name, BERTH_NOTE_USES_SECTION);
    if (!notes) return notes.error();
    ElfUses uses;
    if (!*notes) return uses;
    const Bytes file(fd, name, 0);
    std::set<std::string> drafts;
    auto read =
        each_note(file, BERTH_NOTE_USES_SECTION, **notes,
                  [&](std::uint32_t type, const std::string &descriptor) -> model::Result<void> {
                      if (type == BERTH_NOTE_TYPE_DRAFT && names_draft(descriptor) && drafts.size() < most_drafts)
                          drafts.insert(descriptor);
                      if (type != BERTH_NOTE_TYPE_USES) return {};
                      if (descriptor.size() != sizeof uses.minor)
                          return file.fault("its note " BERTH_NOTE_USES_SECTION " is damaged: a minor of " +
                                            std::to_string(descriptor.size()) +
                                            " bytes where it takes 4; build the library again");
                      uses.minor = std::max(uses.minor, at<std::uint32_t>(descriptor, 0));
                      return {};
                  });
    if (!read) return read.error();
    uses.drafts.assign(drafts.begin(), drafts.end());
    return uses;
}

}  // namespace berth::plugin
