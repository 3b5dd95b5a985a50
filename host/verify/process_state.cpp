// SPDX-License-Identifier: Apache-2.0
#include "verify/process_state.h"

#include <malloc.h>
#include <unistd.h>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace berth::verify {
namespace {

std::size_t entries(const char *directory) {
    std::size_t n = 0;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(directory, error)) n += !entry.path().empty();
    return n;
}

}  // namespace

ProcessState::ProcessState() : threads(entries("/proc/self/task")), files(entries("/proc/self/fd")) {
    for (int number = 1; number < signals; ++number) {
        struct sigaction action{};
        if (::sigaction(number, nullptr, &action) == 0)
            handlers_[static_cast<std::size_t>(number)] = reinterpret_cast<std::uintptr_t>(action.sa_handler);
    }
    std::error_code error;
    directory_ = std::filesystem::current_path(error).string();
    locale_ = std::setlocale(LC_ALL, nullptr);
    for (char **one = environ; *one; ++one) environment_.emplace_back(*one);
    rounding_ = std::fegetround();
}

std::string ProcessState::changed_since(const ProcessState &before) const {
    for (int number = 1; number < signals; ++number)
        if (handlers_[static_cast<std::size_t>(number)] != before.handlers_[static_cast<std::size_t>(number)])
            return "the handler of " + std::string(::sigabbrev_np(number) ? "SIG" : "signal ") +
                   (::sigabbrev_np(number) ? ::sigabbrev_np(number) : std::to_string(number).c_str()) +
                   " is another one; signals are the host's";
    if (threads > before.threads)
        return std::to_string(threads - before.threads) + " more threads run; berth.host.task/1 is for background work";
    if (directory_ != before.directory_) return "the working directory is " + directory_;
    if (locale_ != before.locale_) return "the locale is " + locale_ + ", it was " + before.locale_;
    if (environment_ != before.environment_) return "the environment's variables are others";
    if (rounding_ != before.rounding_) return "floating point numbers are rounded in another way";
    return {};
}

std::size_t allocated_bytes() {
    const auto info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

}  // namespace berth::verify
