// SPDX-License-Identifier: Apache-2.0
#include "live/crash_record.h"

#include "live/crash_trace.h"
#include "live/recording.h"
#include "plugin/current_call.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace berth::live {
namespace {

struct Fatal {
    int number;
    std::string_view name;
};
constexpr std::array fatal{Fatal{SIGSEGV, "SIGSEGV"}, Fatal{SIGBUS, "SIGBUS"}, Fatal{SIGFPE, "SIGFPE"},
                           Fatal{SIGILL, "SIGILL"}, Fatal{SIGABRT, "SIGABRT"}};

int record_fd = -1;

/// Async-signal-safe.
void on_fatal(int number, siginfo_t *, void *context) {
    const auto &at = plugin::CurrentCall::mine();
    const auto *name = at.plugin.load();
    const auto *pod = at.pod.load();
    const std::string_view plugin = name ? std::string_view{*name} : "-";
    const std::string_view point = name ? std::string_view{at.point.load(), at.point_size.load()} : "-";
    std::string_view signal = "a signal";
    for (const auto &one : fatal)
        if (one.number == number) signal = one.name;
    auto add_pod = [pod](env::SignalLine &line) {
        if (pod) line.add(pod->name_space()).add("/").add(pod->name());
        else line.add("-");
    };
    env::SignalLine said;
    said.add("berth: ").add(signal);
    const bool shadow = name && at.shadow.load();
    if (name) said.add(" in plugin \"").add(plugin).add(shadow ? "\" of the shadow at " : "\" at ").add(point);
    else said.add(", in no plugin's call");
    if (pod) {
        said.add(", for pod \"");
        add_pod(said);
        said.add("\"");
    }
    said.add(": ");
    add_crash_place(said, context);
    said.add("\n").write_to(STDERR_FILENO);
    // In a plugin's call no entry of a recording is half appended.
    if (name) Recording::last_words();
    if (record_fd >= 0) {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        env::SignalLine line;
        line.add(std::int64_t{now.tv_sec}).add("\t").add(signal).add("\t").add(plugin).add("\t").add(point).add("\t");
        add_pod(line);
        line.add(shadow ? "\tshadow\n" : "\n").write_to(record_fd);
    }
    // What the crash has broken may break the walk over the stack, too: that comes last, and is the end.
    for (const auto &one : fatal) ::signal(one.number, SIG_DFL);
    write_callers(STDERR_FILENO, context);
    // The process ends as it would have without this: the handler is gone, and the signal comes again.
    ::raise(number);
}

/// A stack that has overflown is no place for a handler.
void install_handlers() {
    prepare_crash_trace();
    static std::array<std::byte, 64 * 1024> stack;
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    ::sigaltstack(&other, nullptr);
    for (const auto &one : fatal) {
        struct sigaction action{};
        action.sa_sigaction = on_fatal;
        action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_SIGINFO);
        ::sigemptyset(&action.sa_mask);
        ::sigaction(one.number, &action, nullptr);
    }
}

}  // namespace

std::vector<Crash> read_crashes(const std::string &text) {
    std::vector<Crash> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        Crash crash;
        std::string time;
        std::getline(fields, time, '\t');
        for (auto *field : {&crash.signal, &crash.plugin, &crash.point, &crash.pod}) std::getline(fields, *field, '\t');
        const bool whole = std::from_chars(time.data(), time.data() + time.size(), crash.time_s).ec == std::errc{};
        std::string whose;
        crash.shadow = std::getline(fields, whose, '\t') && whose == "shadow";
        if (whole && !crash.pod.empty()) out.push_back(std::move(crash));
    }
    return out;
}

std::string CrashRecord::usual_file() {
    auto variable = [](const char *name) {
        const char *value = std::getenv(name);
        return std::string(value ? value : "");
    };
    auto state = variable("XDG_STATE_HOME");
    if (state.empty() && !variable("HOME").empty()) state = variable("HOME") + "/.local/state";
    std::error_code error;
    if (!state.empty()) std::filesystem::create_directories(state + "/berth", error);
    if (!state.empty() && !error && ::access((state + "/berth").c_str(), W_OK) == 0) return state + "/berth/crashes";
    return std::filesystem::temp_directory_path(error).string() + "/berth-crashes-" + std::to_string(::getuid());
}

model::Result<CrashRecord> CrashRecord::open(const std::string &file) {
    CrashRecord out;
    if (file != "-") {
        constexpr int owner_only = 0600;
        // In a directory for everybody, a link that somebody else put there is not followed.
        const int fd = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only);
        struct stat facts{};
        if (fd < 0 || ::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid()) {
            const std::string why = fd < 0 ? std::strerror(errno) : "it is no file of this user";
            if (fd >= 0) ::close(fd);
            return model::Error{"--crash-record " + file + ": cannot be written: " + why +
                                "; name a file that can, or - for none"};
        }
        std::ifstream in(file, std::ios::binary);
        out.earlier_ = read_crashes({std::istreambuf_iterator<char>(in), {}});
        out.file_ = file;
        record_fd = fd;
    }
    install_handlers();
    return out;
}

std::string CrashRecord::culprit() const {
    if (earlier_.size() < too_many) return {};
    const auto &last = earlier_.back().plugin;
    const bool same = std::all_of(earlier_.end() - too_many, earlier_.end(),
                                  [&](const Crash &crash) { return crash.plugin == last && !crash.shadow; });
    return same && last != "-" ? last : std::string{};
}

std::string CrashRecord::shadow_culprit() const {
    const auto at = std::ranges::find(earlier_, true, &Crash::shadow);
    if (at == earlier_.end()) return {};
    return "an earlier run crashed in its plugin \"" + at->plugin + "\" at " + at->point + " for pod " + at->pod +
           " (" + at->signal + "); remove " + file_ + " to try it again";
}

void CrashRecord::clear() const {
    if (record_fd >= 0 && ::ftruncate(record_fd, 0) != 0) return;  // It is read again next time; nothing is lost.
}

}  // namespace berth::live
