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
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
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

/// What this thread is at. Async-signal-safe.
struct At {
    const std::string *name = plugin::CurrentCall::mine().plugin.load();
    const model::Pod *of = plugin::CurrentCall::mine().pod.load();
    bool shadow = name && plugin::CurrentCall::mine().shadow.load();

    std::string_view plugin() const { return name ? std::string_view{*name} : "-"; }
    std::string_view point() const {
        const auto &call = plugin::CurrentCall::mine();
        return name ? std::string_view{call.point.load(), call.point_size.load()} : "-";
    }
    void add_pod(env::SignalLine &line) const {
        if (of) line.add(of->name_space()).add("/").add(of->name());
        else line.add("-");
    }
    void add_to(env::SignalLine &line) const {
        if (name) line.add(" in plugin \"").add(plugin()).add(shadow ? "\" of the shadow at " : "\" at ").add(point());
        else line.add(", in no plugin's call");
        if (!of) return;
        line.add(", for pod \"");
        add_pod(line);
        line.add("\"");
    }
    void record(std::string_view signal) const {
        if (record_fd < 0) return;
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        env::SignalLine line;
        line.add(std::int64_t{now.tv_sec})
            .add("\t")
            .add(signal)
            .add("\t")
            .add(plugin())
            .add("\t")
            .add(point())
            .add("\t");
        add_pod(line);
        line.add(shadow ? "\tshadow\n" : "\n").write_to(record_fd);
    }
};

/// Async-signal-safe.
void on_fatal(int number, siginfo_t *, void *context) {
    const At at;
    std::string_view signal = "a signal";
    for (const auto &one : fatal)
        if (one.number == number) signal = one.name;
    env::SignalLine said;
    said.add("berth: ").add(signal);
    at.add_to(said);
    said.add(": ");
    add_crash_place(said, context);
    said.add("\n").write_to(STDERR_FILENO);
    // In a plugin's call no entry of a recording is half appended.
    if (at.name) Recording::last_words();
    at.record(signal);
    // What the crash has broken may break the walk over the stack, too: that comes last, and is the end.
    for (const auto &one : fatal) ::signal(one.number, SIG_DFL);
    write_callers(STDERR_FILENO, context);
    // The process ends as it would have without this: the handler is gone, and the signal comes again.
    ::raise(number);
}

std::atomic<bool> in_order = false;

/// Berth itself has not come to its end: a plugin or another library called `how`. The exit code must not look like a
/// success.
void end_by(std::string_view how, int code) {
    if (in_order) return;
    const At at;
    env::SignalLine said;
    said.add("berth: ").add(how);
    at.add_to(said);
    said.add(": only Berth may end its process\n").write_to(STDERR_FILENO);
    if (at.name) Recording::last_words();
    at.record(how);
    std::fflush(nullptr);
    constexpr int low_byte = 0xff;  // which is what the parent process gets
    ::_exit((code & low_byte) == 0 ? 1 : code);
}

void install_exit_handlers() {
    static const bool installed = [] {
        ::on_exit([](int code, void *) { end_by("exit", code); }, nullptr);
        ::at_quick_exit([] { end_by("quick_exit", 1); });  // the handler does not get the code
        return true;
    }();
    (void)installed;
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

void ends_in_order() { in_order = true; }

void add_call(env::SignalLine &line) {
    if (const At at; at.name) at.add_to(line);
}

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
        // The directory may be writable by all users: do not follow a link that another user put there.
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
    install_exit_handlers();
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
