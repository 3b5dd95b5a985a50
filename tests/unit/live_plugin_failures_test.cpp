// SPDX-License-Identifier: Apache-2.0
// Plugins that fail, hang and crash: who counts it, who names it, and what the next start makes of it.
#include "live/crash_record.h"
#include "live/watchdog.h"
#include "plugin/failures.h"

#include "fake_world.h"
#include "test_directory.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <thread>

using namespace berth;
using live::CrashRecord;
using plugin::OnFailure;
using plugin::PluginFailures;

namespace {

/// Lines from any thread.
class Lines : public env::Log {
    mutable std::mutex mutex_;
    std::string text_;

public:
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity, int, std::string_view message, const Pairs &, std::source_location) override {
        std::scoped_lock lock(mutex_);
        text_.append(message).append("\n");
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    std::string text() const {
        std::scoped_lock lock(mutex_);
        return text_;
    }
};

/// Runs `fn` in a process of its own, which it is to end; the signal that did. What it says goes to the file `said`, if
/// there is a name.
template <class Fn>
int signal_that_ends(const std::string &record, Fn fn, const std::string &said = {}) {
    const auto child = ::fork();
    if (child == 0) {
        constexpr int for_everybody = 0644;
        if (!said.empty() &&
            ::dup2(::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, for_everybody), STDERR_FILENO) < 0)
            ::_exit(98);
        auto open = CrashRecord::open(record);
        if (!open) ::_exit(99);
        fn();
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/// The sanitizers would end the process before the signal comes.
#define BERTH_UNWATCHED __attribute__((noinline, no_sanitize("address", "undefined")))
BERTH_UNWATCHED void writes_nowhere() {
    volatile int *volatile nowhere = nullptr;
    *nowhere = 1;
}
BERTH_UNWATCHED void calls_nobody() {
    int (*volatile nobody)() = nullptr;
    if (nobody() == 0) ::_exit(97);
}

/// Whether `line` ends with `before`, this program and the offset of a place in that function, which is a small one.
bool names(const std::string &line, const std::string &before, void (*function)()) {
    const auto at = before + std::filesystem::read_symlink("/proc/self/exe").string() + "+0x";
    if (line.find(at) == std::string::npos) return false;
    const auto offset = std::stoull(line.substr(line.find(at) + at.size()), nullptr, 16);
    Dl_info own{};
    REQUIRE(::dladdr(reinterpret_cast<void *>(function), &own) != 0);
    const auto begin = reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(own.dli_fbase);
    constexpr std::uintptr_t small = 1024;
    return offset >= begin && offset < begin + small;
}

}  // namespace

// promise(plugin): With `--on-plugin-failure=skip-plugin` or `stop-profile`, a plugin that fails repeatedly is put into
// quarantine.
TEST_CASE("plugin failures: too many within a minute put the plugin into quarantine, if the policy says so", "[live]") {
    sim::VirtualClock clock(test_start_ns);
    Lines log;
    for (auto policy : {OnFailure::FailPod, OnFailure::SkipPlugin, OnFailure::StopProfile}) {
        PluginFailures failures(policy, clock, log);
        int told = 0;
        failures.on_quarantine([&] { ++told; });
        auto fail = [&](int times) {
            for (int i = 0; i < times; ++i) failures.misbehaved("Bad", "Filter", "plugin \"Bad\" threw int at Filter");
        };
        fail(9);
        clock.advance_to(clock.now_ns() + 2 * PluginFailures::window_ns);
        fail(9);
        failures.misbehaved("Other", "Score", "a score of 300");
        CHECK(told == 0);
        fail(5);
        CHECK(told == (policy == OnFailure::FailPod ? 0 : 1));
        failures.pardon();
        fail(10);
        CHECK(told == (policy == OnFailure::FailPod ? 0 : 2));
        CHECK(failures.counts() == PluginFailures::Counts{{{"Bad", "Filter"}, 33}, {{"Other", "Score"}, 1}});
    }
    CHECK(
        log.text().find("plugin \"Bad\" is in quarantine: it failed 10 times within a minute, the last time so: plugin "
                        "\"Bad\" threw int at Filter") != std::string::npos);
}

TEST_CASE("crash record: a crash within a plugin leaves word of plugin, point and pod", "[live]") {
    TestDirectory dir;
    const auto file = dir.file("crashes");
    CHECK(signal_that_ends(file, [] {
              const plugin::AboutPod about(plain_pod("p"));
              const std::string name = "Bad";
              const plugin::InCall in(name, "Filter");
              ::raise(SIGSEGV);
          }) == SIGSEGV);
    CHECK(signal_that_ends(file, [] { std::abort(); }) == SIGABRT);
    CHECK(signal_that_ends(file, [] {
              const std::string name = "New";
              const plugin::InCall in(name, "Score", true);
              ::raise(SIGBUS);
          }) == SIGBUS);
    CHECK(signal_that_ends(file, [] {}) == 0);
    const auto crashes = live::read_crashes(content_of(file));
    REQUIRE(crashes.size() == 3);
    CHECK(crashes[0].signal == "SIGSEGV");
    CHECK(crashes[0].plugin == "Bad");
    CHECK(crashes[0].point == "Filter");
    CHECK(crashes[0].pod == "default/p");
    CHECK(crashes[0].time_s > 1'700'000'000);
    CHECK(crashes[1].signal == "SIGABRT");
    CHECK(crashes[1].plugin == "-");
    CHECK(crashes[1].pod == "-");
    CHECK_FALSE(crashes[0].shadow);
    CHECK(crashes[2].plugin == "New");
    CHECK(crashes[2].shadow);
}

TEST_CASE("crash record: who ends the process is named, and that is no success", "[live]") {
    TestDirectory dir;
    const auto file = dir.file("crashes"), said = dir.file("said");
    /// The code of a process in which `ends` is called by a plugin, and what is said.
    auto ending = [&](void (*ends)()) {
        const auto child = ::fork();
        if (child == 0) {
            constexpr int for_everybody = 0644;
            if (::dup2(::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, for_everybody), STDERR_FILENO) < 0 ||
                !CrashRecord::open(file))
                ::_exit(98);
            const plugin::AboutPod about(plain_pod("p"));
            const std::string name = "Bad";
            const plugin::InCall in(name, "Filter");
            ends();
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    const std::string where = " in plugin \"Bad\" at Filter, for pod \"default/p\": only Berth may end its process\n";
    CHECK(ending([] { std::exit(0); }) == 1);
    CHECK(content_of(said) == "berth: exit" + where);
    CHECK(ending([] { std::exit(3); }) == 3);
    CHECK(ending([] { std::exit(256); }) == 1);
    CHECK(ending([] { std::quick_exit(0); }) == 1);
    CHECK(content_of(said) == "berth: quick_exit" + where);
    // Another thread of a plugin's is in no call.
    CHECK(ending([] { std::thread([] { std::exit(0); }).join(); }) == 1);
    CHECK(content_of(said) == "berth: exit, in no plugin's call: only Berth may end its process\n");
    const auto crashes = live::read_crashes(content_of(file));
    REQUIRE(crashes.size() == 5);
    CHECK(crashes[0].signal == "exit");
    CHECK(crashes[0].plugin == "Bad");
    CHECK(crashes[0].pod == "default/p");
    CHECK(crashes[4].plugin == "-");
    CHECK(ending([] {
              live::ends_in_order();
              std::quick_exit(0);
          }) == 0);
    CHECK(content_of(said).empty());
}

TEST_CASE("crash record: a crash names its place and its callers, as offsets in files", "[live]") {
    TestDirectory dir;
    const auto said = dir.file("said");
    auto lines_of = [&](void (*crashes)()) {
        CHECK(signal_that_ends("-", crashes, said) == SIGSEGV);
        std::istringstream text(content_of(said));
        std::vector<std::string> out;
        for (std::string line; std::getline(text, line);)
            if (line.starts_with("berth: ")) out.push_back(line);
        return out;
    };
    auto lines = lines_of(writes_nowhere);
    REQUIRE(lines.size() > 1);
    CHECK(names(lines[0], "berth: SIGSEGV, in no plugin's call: ", writes_nowhere));
    for (std::size_t i = 1; i < lines.size(); ++i) CHECK(lines[i].starts_with("berth:   called from /"));
    // A jump to nowhere has a caller, and nothing else that could be trusted.
    lines = lines_of(calls_nobody);
    REQUIRE(lines.size() == 1);
    CHECK(names(lines[0], "berth: SIGSEGV, in no plugin's call: 0x0, called from ", calls_nobody));
}

TEST_CASE("crash record: three in a row in the same plugin name it", "[live]") {
    TestDirectory dir;
    auto culprit = [&](const std::string &text) {
        const auto file = dir.write("crashes", text);
        // In a process of its own, because the handlers are the process's.
        REQUIRE(signal_that_ends(file, [&] {
                    auto record = CrashRecord::open(file);
                    std::ofstream(dir.path / "answer") << record->culprit() << record->shadow_culprit();
                    if (!record->culprit().empty()) record->clear();
                }) == 0);
        return content_of(dir.file("answer"));
    };
    const std::string bad = "1\tSIGSEGV\tBad\tFilter\ta/b\n", other = "1\tSIGBUS\tOther\tScore\ta/b\n",
                      none = "1\tSIGSEGV\t-\t-\t-\n";
    CHECK(culprit("").empty());
    CHECK(culprit(bad + bad).empty());
    CHECK(culprit(bad + other + bad).empty());
    CHECK(culprit(none + none + none).empty());
    CHECK(culprit("rubbish\n\n" + bad + bad + "1\tSIG").empty());
    CHECK(culprit(other + bad + bad + bad) == "Bad");
    CHECK(content_of(dir.file("crashes")).empty());
    const std::string shadow = "1\tSIGSEGV\tBad\tFilter\ta/b\tshadow\n";
    CHECK(culprit(bad + bad + shadow)
              .find("an earlier run crashed in its plugin \"Bad\" at Filter for pod a/b (SIGSEGV)") == 0);
    CHECK(culprit(shadow + bad + bad).find("an earlier run crashed in its plugin") == 0);
    CHECK(culprit(shadow + bad + bad + bad).find("Bad") == 0);
}

// promise(user): Berth never follows another user's link when it writes the crash record.
TEST_CASE("crash record: a file that cannot be written, and a symbolic link, are refused", "[live]") {
    TestDirectory dir;
    std::filesystem::create_symlink(dir.write("target", ""), dir.path / "link");
    for (const auto *name : {"nowhere/crashes", "link", "."}) {
        auto open = CrashRecord::open(dir.file(name));
        REQUIRE_FALSE(open);
        CHECK(open.error().text.find("--crash-record " + dir.file(name) + ": cannot be written: ") == 0);
    }
}

TEST_CASE("watchdog: a plugin that does not return is named, with point and pod, and nobody who does", "[live]") {
    using namespace std::chrono_literals;
    Lines log;
    constexpr std::chrono::milliseconds patience{1000}, very_long{60'000};
    const live::Watchdog watchdog(log, patience);
    const std::string name = "Slow";
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto await = [&](const std::string &text) {
        for (const auto end = now() + very_long; log.text().find(text) == std::string::npos && now() < end;)
            std::this_thread::sleep_for(5ms);
        return log.text().find(text) != std::string::npos;
    };
    // Many calls, each far shorter than its patience, which together take longer.
    for (const auto end = now() + 2 * patience; now() < end;) {
        const plugin::InCall in(name, "Score");
        std::this_thread::yield();
    }
    CHECK(log.text().empty());
    {
        const plugin::AboutPod about(plain_pod("p"));
        const plugin::InCall in(name, "Filter");
        CHECK(await(" s: scheduling is blocked until it returns\n"));
    }
    CHECK(log.text().starts_with("plugin \"Slow\" has not returned from Filter for pod \"default/p\" after "));
    CHECK(await("The plugin has returned after "));
}

// Whoever read on while the thread went on would find a pod beside another one's plugin. The sanitizers look on.
TEST_CASE("watchdog: what a thread is at is read whole, however the thread goes on", "[live]") {
    constexpr std::size_t letters = 26;
    std::vector<std::string> names;
    std::vector<model::PodPtr> pods;
    for (std::size_t i = 0; i < letters; ++i) {
        names.emplace_back(1 + i * 3 % 40, static_cast<char>('a' + i));
        pods.push_back(plain_pod(names.back()));
    }
    std::atomic<const plugin::CurrentCall *> made{nullptr};
    std::atomic<bool> enough{false};
    std::thread busy([&] {
        made = &plugin::CurrentCall::mine();
        for (std::size_t i = 0; !enough; ++i) {
            const auto which = i % letters;
            const plugin::AboutPod about(pods[which]);
            const plugin::InCall in(names[which], "Filter", which % 2 == 1);
            if (i % 64 == 0) std::this_thread::yield();
        }
    });
    while (!made) std::this_thread::yield();
    const auto &at = *made.load();
    constexpr int wanted = 500;  // calls
    std::uint64_t last = 0;
    int whole = 0, wrong = 0;
    while (whole < wanted) {
        const auto serial = at.serial.load(std::memory_order_acquire);
        const auto call = at.seen(serial);
        if (!call || serial == last) {
            std::this_thread::yield();
            continue;
        }
        last = serial;
        ++whole;
        const bool fits = call->pod == "default/" + call->plugin && call->point == "Filter" &&
                          call->shadow == ((call->plugin.at(0) - 'a') % 2 == 1);
        if (!fits) ++wrong;
    }
    enough = true;
    busy.join();
    CHECK(wrong == 0);
}

TEST_CASE("watchdog: names of any length are told, the longest of them cut", "[live]") {
    const auto &at = plugin::CurrentCall::mine();
    CHECK_FALSE(at.seen(at.serial));
    const std::string longest(253, 'p'), too_long(300, 'x');
    const plugin::AboutPod about(plain_pod(longest));
    const plugin::InCall in(too_long, "Score");
    const auto call = at.seen(at.serial);
    REQUIRE(call);
    CHECK(call->pod == "default/" + longest);
    CHECK(call->plugin == std::string(128, 'x'));
    // The thread has gone on since, or is about to.
    CHECK_FALSE(at.seen(at.serial - 2));
    plugin::CurrentCall::mine().change([&] { CHECK_FALSE(at.seen(at.serial)); });
    CHECK(at.seen(at.serial));
    {
        const std::string inner = "Inner";
        const plugin::InCall nested(inner, "berth.host.client/1");
        CHECK(at.seen(at.serial)->plugin == "Inner");
    }
    CHECK(at.seen(at.serial)->plugin == call->plugin);
}
