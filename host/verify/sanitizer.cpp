// SPDX-License-Identifier: Apache-2.0
#include "verify/sanitizer.h"

#include "env/command.h"
#include "plugin/elf.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace berth::verify {
namespace {

using Environment = std::map<std::string, std::string>;

struct Facts {
    std::string_view option, runtime, settings_name, settings;
};

// The host's own memory is not looked at, and leaks are found by tests of their own.
const Facts &facts(Sanitizer sanitizer) {
    static constexpr Facts address{"address", "libasan.so", "ASAN_OPTIONS",
                                   "detect_leaks=0:halt_on_error=1:handle_segv=0:verify_asan_link_order=0"},
        thread{"thread", "libtsan.so", "TSAN_OPTIONS",
               "halt_on_error=1:report_signal_unsafe=0:report_thread_leaks=0:handle_segv=0"};
    return sanitizer == Sanitizer::Address ? address : thread;
}

/// What the dynamic linker takes as one name: blanks and colons would begin another, and a slash would be a path.
bool is_name(std::string_view text) {
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return text.find_first_not_of(allowed) == text.npos;
}

/// The library's own name for the runtime: "libasan.so.8". Clang's are named otherwise.
std::string needed_runtime(const plugin::ElfSymbols &symbols, const Facts &of) {
    const auto clang = "libclang_rt." + std::string(of.runtime.substr(3, 1) == "a" ? "asan" : "tsan");
    for (const auto &name : symbols.needed)
        if (is_name(name) && (name.starts_with(of.runtime) || name.starts_with(clang))) return name;
    return {};
}

env::CommandEnd run(std::string program, std::vector<std::string> arguments, Environment environment) {
    constexpr std::chrono::seconds patience{10};
    constexpr std::size_t most = 1U << 16U;
    const std::atomic<bool> stop = false;
    env::Command command;
    command.program = std::move(program);
    command.arguments = std::move(arguments);
    command.environment = std::move(environment);
    return env::run_command(command, patience, most, stop);
}

/// Whether a process of this program begins with it.
bool can_preload(const std::string &runtime, const Environment &environment) {
    auto with = environment;
    with["LD_PRELOAD"] = runtime;
    const auto end = run("/proc/self/exe", {"version"}, std::move(with));
    return end.why.empty() && end.complaints.find("cannot be preloaded") == std::string::npos;
}

}  // namespace

std::string_view name(Sanitizer sanitizer) { return facts(sanitizer).option; }

model::Result<Environment> sanitized_environment(Sanitizer sanitizer, const std::string &file,
                                                 const plugin::LoadOptions &options) {
    const auto &of = facts(sanitizer);
    const std::string option = "--sanitize=" + std::string(of.option);
    const auto sealed = plugin::open_sealed(file, options);
    if (!sealed) return sealed.error();
    const auto symbols = plugin::read_elf_symbols(sealed->copy.get(), file);
    if (!symbols) return symbols.error();
    const auto needed = needed_runtime(*symbols, of);
    if (needed.empty())
        return model::Error{option + ": " + file + " needs no " + std::string(of.runtime) +
                            ": build it with -fsanitize=" + std::string(of.option) +
                            " (with clang also -shared-libsan)"};
    Environment out{{std::string(of.settings_name), std::string(of.settings)}};
    std::vector<std::string> places{needed};
    for (const auto *compiler : {"cc", "gcc", "clang"}) {
        auto place = run(compiler, {"-print-file-name=" + needed}, {}).output;
        while (!place.empty() && place.back() == '\n') place.pop_back();
        if (place.find('/') != place.npos && place.find_first_of(": ") == place.npos)
            places.push_back(std::move(place));
    }
    const auto place = std::ranges::find_if(places, [&](const auto &one) { return can_preload(one, out); });
    if (place == places.end())
        return model::Error{option + ": " + needed + ", which " + file +
                            " needs, cannot be found or does not work here; install the runtime of the compiler that "
                            "built the library"};
    out["LD_PRELOAD"] = *place;
    return out;
}

std::optional<std::string> sanitizer_report(std::string_view complaints) {
    constexpr std::size_t most_places = 3;
    std::istringstream lines{std::string(complaints)};
    std::optional<std::string> out;
    std::size_t places = 0;
    for (std::string line; std::getline(lines, line);) {
        for (const auto *begin : {"ERROR: AddressSanitizer: ", "WARNING: ThreadSanitizer: "})
            if (const auto at = line.find(begin); at != line.npos && !out) out = line.substr(line.find(' ', at) + 1);
        if (!out || places == most_places || !line.starts_with("    #")) continue;
        // "#0 0x7f… in FUNCTION FILE:LINE", or without the address. The runtime's own functions, and the host, have no
        // lines.
        const auto in = line.find(" in ");
        const auto frame_text = line.substr(in == line.npos ? line.find(' ', 5) + 1 : in + 4);
        if (frame_text.find(':') == frame_text.npos || frame_text.find("libsanitizer") != frame_text.npos) continue;
        *out += "\n" + std::string(places++ == 0 ? "at " : "called from ") + frame_text;
    }
    return out;
}

}  // namespace berth::verify
