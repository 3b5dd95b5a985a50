// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

namespace berth::attack {
namespace {

/// Ten times the input may take thirty times as long: sorting takes more than ten, memory beyond the caches twice that,
/// and a quadratic reader takes a hundred. What takes less than the floor is too short to be compared.
constexpr double most_growth = 30, floor_ms = 0.1;
constexpr rlim_t most_seconds = 60, most_bytes = rlim_t{6} << 30;

double thread_ms() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

double least_ms(const Shape &shape, const std::string &input, double enough_ms) {
    constexpr int least_runs = 3, most_runs = 50;
    double least = 0, all = 0;
    for (int run = 0; run < most_runs && (run < least_runs || all < enough_ms); ++run) {
        const auto before = thread_ms();
        shape.parse(input);
        const auto took = thread_ms() - before;
        least = run == 0 ? took : std::min(least, took);
        all += took;
        if (took > 1'000) break;  // what takes a second takes it every time
    }
    return least;
}

/// In the child: writes the verdict's text; the exit code says whether it is linear.
int measure(const Shape &shape, std::FILE *out) {
    double before = 0;
    bool linear = true;
    for (std::size_t times : {1, 10, 100}) {
        const auto input = shape.make(shape.n * times);
        std::fprintf(out, "%s%zu KB: ", times == 1 ? "" : ", ", input.size() / 1000);
        std::fflush(out);  // so that it is known at which size the process ended
        const auto ms = least_ms(shape, input, 20);
        std::fprintf(out, "%.2f ms", ms);
        std::fflush(out);
        linear = times == 1 || ms <= most_growth * std::max(before, floor_ms);
        if (!linear) {
            std::fprintf(out, ", for ten times the input more than %.0f times as long", most_growth);
            break;
        }
        before = ms;
    }
    std::fflush(out);
    return linear ? EXIT_SUCCESS : EXIT_FAILURE;
}

void limit(int what, rlim_t most) {
    const rlimit both{most, most};
    (void)::setrlimit(what, &both);
}

/// One measurement, in a process of its own.
Verdict measured_once(const Shape &shape) {
    int ends[2];
    if (::pipe(ends) != 0) return {false, "cannot make a pipe"};
    const auto child = ::fork();
    if (child < 0) return {false, "cannot fork"};
    if (child == 0) {
        ::close(ends[0]);
        limit(RLIMIT_CPU, most_seconds);
        limit(RLIMIT_AS, most_bytes);
        limit(RLIMIT_CORE, 0);
        // Memory that is given back and asked for again would be the kernel's time, not the parser's.
        ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
        ::mallopt(M_MMAP_MAX, 0);
        auto *out = ::fdopen(ends[1], "w");
        try {
            ::_exit(measure(shape, out));
        } catch (const std::exception &e) {
            std::fprintf(out, "an exception: %s", e.what());
            std::fflush(out);
            ::_exit(EXIT_FAILURE);
        }
    }
    ::close(ends[1]);
    Verdict out;
    char part[256];
    for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof part)) > 0;)
        out.text.append(part, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
    }
    out.linear = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    if (WIFSIGNALED(status))
        out.text += WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
                        ? "not done after a minute"
                        : "the process ended by signal " + std::to_string(WTERMSIG(status));
    return out;
}

}  // namespace

Verdict measured(const Shape &shape) {
    // Another program may take the caches in between. What is quadratic is so each time.
    auto verdict = measured_once(shape);
    for (int again = 0; again < 2 && !verdict.linear; ++again) verdict = measured_once(shape);
    return verdict;
}

}  // namespace berth::attack
