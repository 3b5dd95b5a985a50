// SPDX-License-Identifier: Apache-2.0
#include "env/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

namespace berth::env {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds tick{20};
constexpr std::size_t most_complaints = 4096;

/// What the child writes, and how much of it is kept.
class Pipe {
    int ends_[2] = {-1, -1};

public:
    Pipe() { (void)!::pipe2(static_cast<int *>(ends_), O_CLOEXEC); }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    ~Pipe() {
        close_input();
        close_output();
    }
    bool is_open() const { return ends_[0] >= 0; }
    int output() const { return ends_[0]; }
    int input() const { return ends_[1]; }
    void close_input() { close(ends_[1]); }
    void close_output() { close(ends_[0]); }

    /// What is there; false at its end.
    bool read(std::string &into, std::size_t most) const {
        std::array<char, 16384> piece{};
        const auto n = ::read(output(), piece.data(), piece.size());
        if (n < 0) return errno == EINTR || errno == EAGAIN;
        if (into.size() < most) into.append(piece.data(), std::min(static_cast<std::size_t>(n), most - into.size()));
        return n > 0;
    }

private:
    static void close(int &end) {
        if (end >= 0) ::close(std::exchange(end, -1));
    }
};

/// Our environment with what the command adds.
std::vector<std::string> environment_of(const Command &command) {
    std::vector<std::string> out;
    for (char **own = environ; *own; ++own) {
        const std::string text = *own;
        if (!command.environment.contains(text.substr(0, text.find('=')))) out.push_back(text);
    }
    for (const auto &[name, value] : command.environment) out.push_back(name + "=" + value);
    return out;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
    std::vector<char *> out;
    for (auto &text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// 0, or what went wrong. The child leads a group of its own, so that its children can be killed with it.
int spawn(const Command &command, const Pipe &output, const Pipe &complaints, pid_t &child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    if (!command.keeps_input) ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output.input(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, complaints.input(), STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    // A terminal would stop a group in the background that reads from it.
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (!command.keeps_input) flags |= POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(&attributes, flags);
    std::vector<std::string> arguments{command.program}, variables = environment_of(command);
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    const int error = ::posix_spawnp(&child, command.program.c_str(), &files, &attributes, pointers(arguments).data(),
                                     pointers(variables).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    return error;
}

/// Needs no privilege. An error is ignored: the child has ended then.
void lower_priority(pid_t child) {
    constexpr int lowest = 19;
    (void)!::setpriority(PRIO_PROCESS, static_cast<id_t>(child), lowest);
    std::ofstream("/proc/" + std::to_string(child) + "/oom_score_adj") << 1000;
}

std::string why(int status) {
    if (WIFSIGNALED(status)) return "ended by " + std::string(::strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 0) return {};
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

CommandEnd run_command(const Command &command, std::chrono::milliseconds patience, std::size_t most,
                       const std::atomic<bool> &stop) {
    CommandEnd out;
    Pipe output, complaints;
    if (!output.is_open() || !complaints.is_open()) {
        out.why = "no pipe: " + std::string(std::strerror(errno));
        return out;
    }
    pid_t child = 0;
    if (const int error = spawn(command, output, complaints, child); error != 0) {
        out.found = error != ENOENT;
        out.why = std::strerror(error);
        return out;
    }
    output.close_input();
    complaints.close_input();
    if (command.low_priority) lower_priority(child);
    const auto end = SteadyClock::now() + patience;
    int status = 0;
    bool ended = false;
    const auto kill = [&](std::string reason) {
        out.why = std::move(reason);
        ::kill(command.keeps_input ? child : -child, SIGKILL);
        if (!ended) ::waitpid(child, &status, 0);
        ended = true;
    };
    for (;;) {
        // poll leaves a pipe that is closed, -1, alone.
        std::array<pollfd, 2> files{{{output.output(), POLLIN, 0}, {complaints.output(), POLLIN, 0}}};
        const bool readable = ::poll(files.data(), files.size(), static_cast<int>(tick.count())) > 0;
        if (files[0].revents != 0 && !output.read(out.output, most + 1)) output.close_output();
        if (files[1].revents != 0 && !complaints.read(out.complaints, most_complaints)) complaints.close_output();
        if (out.output.size() > most) return kill("more than " + std::to_string(most) + " bytes of output"), out;
        if (stop) return kill("stopped"), out;
        if (SteadyClock::now() > end)
            return kill("no end within " + std::to_string(patience.count() / 1000) + " s"), out;
        // Its children may keep the pipes open when it has ended: then it counts what is there.
        if (ended && (!readable || (!output.is_open() && !complaints.is_open()))) break;
        if (!ended) ended = ::waitpid(child, &status, WNOHANG) == child;
    }
    out.why = why(status);
    return out;
}

}  // namespace berth::env
