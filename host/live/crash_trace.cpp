// SPDX-License-Identifier: Apache-2.0
#include "live/crash_trace.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>
#include <array>
#include <bit>
#include <climits>

namespace berth::live {
namespace {

/// The loader has no name for the program itself.
std::array<char, PATH_MAX> program{};

/// The loader's entry for the file that the code is of, or null. Unlike dladdr, this takes no lock.
const link_map *file_of(std::uintptr_t code) {
    dl_find_object found{};
    return ::_dl_find_object(std::bit_cast<void *>(code), &found) == 0 ? found.dlfo_link_map : nullptr;
}

void add_place(env::SignalLine &line, std::uintptr_t code) {
    const auto *file = file_of(code);
    if (!file) {
        line.add_hex(code);
        return;
    }
    const char *name = file->l_name && *file->l_name ? file->l_name : program.data();
    line.add(name).add("+").add_hex(code - file->l_addr);
}

/// The word at an address that may be none; 0: there is none. The system reads it, as a fault here would be one too
/// many.
std::uintptr_t word_at(std::uintptr_t address) {
    std::uintptr_t word = 0;
    const iovec here{&word, sizeof word}, there{std::bit_cast<void *>(address), sizeof word};
    return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == sizeof word ? word : 0;
}

struct Interrupted {
    std::uintptr_t code;
    std::uintptr_t caller;  ///< what a function that has just been entered would return to
};

Interrupted interrupted_by(const void *context) {
    const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
            word_at(static_cast<std::uintptr_t>(machine.gregs[REG_RSP]))};
#elif defined(__aarch64__)
    return {machine.pc, machine.regs[30]};
#else
#error "name the registers of this machine"
#endif
}

struct Walk {
    int fd;
    int left = 32;
    bool interrupted = false;  ///< the handler's own frames are behind
};

_Unwind_Reason_Code on_frame(_Unwind_Context *frame, void *ctx) {
    auto &walk = *static_cast<Walk *>(ctx);
    int interrupted = 0;
    auto code = ::_Unwind_GetIPInfo(frame, &interrupted);
    if (!walk.interrupted) {
        walk.interrupted = interrupted != 0;
        return _URC_NO_REASON;
    }
    // A return address is that of the next instruction, which may be of another line.
    if (!interrupted && code > 0) --code;
    if (!file_of(code)) return _URC_END_OF_STACK;
    env::SignalLine line;
    line.add("berth:   called from ");
    add_place(line, code);
    line.add("\n").write_to(walk.fd);
    return --walk.left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void prepare_crash_trace() {
    const auto size = ::readlink("/proc/self/exe", program.data(), program.size() - 1);
    program.at(size < 0 ? 0 : static_cast<std::size_t>(size)) = '\0';
    ::_Unwind_Backtrace([](_Unwind_Context *, void *) { return _URC_NO_REASON; }, nullptr);
}

void add_crash_place(env::SignalLine &line, const void *context) {
    const auto [code, caller] = interrupted_by(context);
    add_place(line, code);
    if (file_of(code)) return;
    line.add(", called from ");
    add_place(line, caller ? caller - 1 : 0);
}

void write_callers(int fd, const void *context) {
    // Where there is no code, the walk would read it in search of a way out.
    if (!file_of(interrupted_by(context).code)) return;
    Walk walk{fd};
    ::_Unwind_Backtrace(on_frame, &walk);
}

}  // namespace berth::live
