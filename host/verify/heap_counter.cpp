// SPDX-License-Identifier: Apache-2.0
#include "verify/heap_counter.h"

#include "plugin/current_call.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace berth::verify {
namespace {

void count(std::size_t bytes) {
    auto &call = plugin::CurrentCall::mine();
    if (call.plugin.load(std::memory_order_relaxed) == nullptr) return;
    ++call.allocations;
    call.allocated_bytes += bytes;
}

/// The allocator's own functions, as this program was bound to them.
struct Own {
    void *(*malloc)(std::size_t);
    void *(*calloc)(std::size_t, std::size_t);
    void *(*realloc)(void *, std::size_t);
    void *(*reallocarray)(void *, std::size_t, std::size_t);
    void *(*aligned_alloc)(std::size_t, std::size_t);
    void *(*memalign)(std::size_t, std::size_t);
    int (*posix_memalign)(void **, std::size_t, std::size_t);
} own;

void *counted_malloc(std::size_t size) {
    count(size);
    return own.malloc(size);
}
void *counted_calloc(std::size_t n, std::size_t size) {
    count(n * size);
    return own.calloc(n, size);
}
void *counted_realloc(void *old, std::size_t size) {
    count(size);
    return own.realloc(old, size);
}
void *counted_reallocarray(void *old, std::size_t n, std::size_t size) {
    // Otherwise the one inside would be counted as well, or not, as the C library was built.
    auto &call = plugin::CurrentCall::mine();
    const auto allocations = call.allocations, bytes = call.allocated_bytes;
    void *made = own.reallocarray(old, n, size);
    call.allocations = allocations;
    call.allocated_bytes = bytes;
    count(n * size);
    return made;
}
void *counted_aligned_alloc(std::size_t align, std::size_t size) {
    count(size);
    return own.aligned_alloc(align, size);
}
void *counted_memalign(std::size_t align, std::size_t size) {
    count(size);
    return own.memalign(align, size);
}
int counted_posix_memalign(void **out, std::size_t align, std::size_t size) {
    count(size);
    return own.posix_memalign(out, align, size);
}

struct Function {
    std::string_view name;
    std::uintptr_t counted;
};
template <class Fn>
std::uintptr_t address(Fn *fn) {
    return reinterpret_cast<std::uintptr_t>(fn);
}
const std::array functions{Function{"malloc", address(counted_malloc)},
                           Function{"calloc", address(counted_calloc)},
                           Function{"realloc", address(counted_realloc)},
                           Function{"reallocarray", address(counted_reallocarray)},
                           Function{"aligned_alloc", address(counted_aligned_alloc)},
                           Function{"memalign", address(counted_memalign)},
                           Function{"posix_memalign", address(counted_posix_memalign)}};

/// What the dynamic linker knows of one library.
struct Dynamic {
    std::uintptr_t base = 0;
    const ElfW(Sym) *symbols = nullptr;
    const char *names = nullptr;
    struct Table {
        const ElfW(Rela) *begin = nullptr;
        std::size_t bytes = 0;
    } data, calls;

    /// glibc has relocated the addresses, except where the section cannot be written.
    template <class T>
    const T *at(const ElfW(Dyn) & entry) const {
        return std::bit_cast<const T *>(entry.d_un.d_ptr < base ? base + entry.d_un.d_ptr : entry.d_un.d_ptr);
    }
    explicit Dynamic(const dl_phdr_info &library) : base(library.dlpi_addr) {
        const ElfW(Dyn) *entry = nullptr;
        for (int i = 0; i < library.dlpi_phnum; ++i)
            if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
                entry = std::bit_cast<const ElfW(Dyn) *>(base + library.dlpi_phdr[i].p_vaddr);
        for (; entry && entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_SYMTAB) symbols = at<ElfW(Sym)>(*entry);
            if (entry->d_tag == DT_STRTAB) names = at<char>(*entry);
            if (entry->d_tag == DT_RELA) data.begin = at<ElfW(Rela)>(*entry);
            if (entry->d_tag == DT_RELASZ) data.bytes = entry->d_un.d_val;
            if (entry->d_tag == DT_JMPREL) calls.begin = at<ElfW(Rela)>(*entry);
            if (entry->d_tag == DT_PLTRELSZ) calls.bytes = entry->d_un.d_val;
        }
    }
};

/// Whether the place is data of the library: code is left alone.
bool is_data(const dl_phdr_info &library, std::uintptr_t place) {
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const auto &part = library.dlpi_phdr[i];
        const auto begin = library.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && place >= begin && place < begin + part.p_memsz) return (part.p_flags & PF_X) == 0;
    }
    return false;
}

/// Where the linker has made it read-only after its work, it is no longer.
bool put(std::uintptr_t *place, std::uintptr_t function) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto *begin = std::bit_cast<void *>(std::bit_cast<std::uintptr_t>(place) / page * page);
    if (::mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
    return true;
}

template <class Fn>
void find(Fn *&into, const char *name) {
    into = reinterpret_cast<Fn *>(::dlsym(RTLD_DEFAULT, name));
}

/// Calls `fn(place, counted)` for each place of the library that holds the address of one of the functions.
template <class Fn>
void each_place(const dl_phdr_info &library, const Fn &fn) {
    const Dynamic dynamic(library);
    if (!dynamic.symbols || !dynamic.names) return;
    for (const auto &table : {dynamic.data, dynamic.calls})
        for (std::size_t i = 0; table.begin && i < table.bytes / sizeof(ElfW(Rela)); ++i) {
            const auto symbol = ELF64_R_SYM(table.begin[i].r_info);
            if (symbol == 0) continue;
            const std::string_view name(dynamic.names + dynamic.symbols[symbol].st_name);
            const auto place = dynamic.base + table.begin[i].r_offset;
            for (const auto &function : functions)
                if (name == function.name && is_data(library, place))
                    fn(std::bit_cast<std::uintptr_t *>(place), function.counted);
        }
}

}  // namespace

HeapCounter::HeapCounter() {
    find(own.malloc, "malloc");
    find(own.calloc, "calloc");
    find(own.realloc, "realloc");
    find(own.reallocarray, "reallocarray");
    find(own.aligned_alloc, "aligned_alloc");
    find(own.memalign, "memalign");
    find(own.posix_memalign, "posix_memalign");
    ::dl_iterate_phdr(
        [](dl_phdr_info *library, std::size_t, void *self) {
            each_place(*library, [&](std::uintptr_t *place, std::uintptr_t counted) {
                const auto before = *place;
                if (put(place, counted)) static_cast<HeapCounter *>(self)->replaced_.push_back({place, before});
            });
            return 0;
        },
        this);
}

HeapCounter::~HeapCounter() {
    for (const auto &place : replaced_) put(place.at, place.before);
}

HeapUse HeapCounter::here() {
    const auto &call = plugin::CurrentCall::mine();
    return {call.allocations, call.allocated_bytes};
}

}  // namespace berth::verify
