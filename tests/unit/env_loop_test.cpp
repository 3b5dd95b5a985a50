// SPDX-License-Identifier: Apache-2.0
#include "env/loop.h"

#include "catch.h"
#include "env/rests.h"

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

using namespace berth;

namespace {
constexpr std::int64_t ms = 1'000'000;

/// The least and the most that `measure` gives in three runs. A busy machine makes messages late and puts what comes
/// apart together, so that one end of these says what the loop does.
template <class Measure>
auto bounds_of(Measure measure) {
    return std::ranges::minmax({measure(), measure(), measure()});
}
}  // namespace

TEST_CASE("loop: timers come in the order of their times, posts from any thread in theirs", "[env]") {
    env::Loop loop;
    std::vector<int> order;
    loop.after(30 * ms, [&] {
        order.push_back(3);
        loop.stop();
    });
    loop.after(10 * ms, [&] { order.push_back(2); });
    std::thread other([&] {
        for (int i : {0, 1}) loop.post([&order, i] { order.push_back(i); });
    });
    other.join();
    loop.run();
    CHECK(order == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("loop: work is done while there is any, and again when it was announced", "[env]") {
    env::Loop loop;
    int pieces = 3, done = 0;
    std::int64_t again = 0, began = loop.monotonic_ns();
    loop.run({.work =
                  [&] {
                      if (pieces == 0) return false;
                      --pieces;
                      if (++done == 4) loop.stop();
                      return true;
                  },
              .next_work = [&]() -> std::optional<std::int64_t> {
                  if (again == 0) {
                      again = loop.now_ns() + 20 * ms;
                      pieces = 0;
                  } else if (loop.now_ns() >= again) {
                      pieces = 1;
                  }
                  return again;
              }});
    CHECK(done == 4);
    CHECK(loop.monotonic_ns() - began >= 20 * ms);
}

TEST_CASE("loop: something posted wakes it, and comes before the next piece of work", "[env]") {
    env::Loop loop;
    bool posted = false;
    std::thread other([&] { loop.post([&] { posted = true; }); });
    loop.run({.work = [&] {
        if (!posted) return false;
        loop.stop();
        return true;
    }});
    other.join();
    CHECK(posted);
}

TEST_CASE("loop: what comes often is done together, what comes now and then at once", "[env]") {
    // Messages come five at a time, a millisecond or a twentieth of a second after those before.
    auto wakes_for = [](int messages, std::chrono::milliseconds apart, bool rests) {
        constexpr int at_a_time = 5;
        env::Loop loop;
        if (rests) loop.coalesce_when_busy();
        int done = 0, sleeps = 0;
        std::thread sender([&] {
            for (int i = 0; i < messages; ++i) {
                if (i % at_a_time == 0) std::this_thread::sleep_for(apart);
                loop.post([&] {
                    if (++done == messages) loop.stop();
                });
            }
        });
        loop.run({.before_sleep = [&] { ++sleeps; }});
        sender.join();
        return sleeps;
    };
    constexpr std::chrono::milliseconds often{1}, seldom{50};
    const int woken = bounds_of([&] { return wakes_for(2500, often, false); }).max;
    const int rested = bounds_of([&] { return wakes_for(2500, often, true); }).min;
    CAPTURE(woken, rested);
    CHECK(rested * 2 < woken);
    CHECK(bounds_of([&] { return wakes_for(50, seldom, true); }).max >= 10);
}

TEST_CASE("loop: what work posts does not wait until it has rested", "[env]") {
    constexpr int messages = 2500, at_a_time = 5;
    auto late_ones = [] {
        env::Loop loop;
        loop.coalesce_when_busy();
        int came = 0, worked = 0, late = 0;
        std::thread sender([&] {
            for (int i = 0; i < messages; ++i) {
                if (i % at_a_time == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                loop.post([&] { ++came; });
            }
        });
        loop.run({.work = [&] {
            if (worked == came) return false;
            ++worked;
            loop.post([&, posted = loop.monotonic_ns()] {
                if (loop.monotonic_ns() - posted > 20 * ms) ++late;
                if (worked == messages) loop.stop();
            });
            return true;
        }});
        sender.join();
        return late;
    };
    CHECK(bounds_of(late_ones).min * 10 < messages);
}

TEST_CASE("loop: as long as something comes while it rests, it does not sleep", "[env]") {
    env::Loop loop;
    loop.coalesce_when_busy();
    constexpr int at_a_time = 50;
    const auto begins = loop.monotonic_ns() + 100 * ms, ends = loop.monotonic_ns() + 500 * ms;
    std::function<void()> crowd = [&] {
        if (loop.monotonic_ns() > ends) return loop.stop();
        for (int i = 0; i < at_a_time; ++i) loop.post([] {});
        loop.after(ms, crowd);
    };
    crowd();
    int rests = 0, sleeps = 0;
    const auto count = [&](int &what) { what += loop.monotonic_ns() > begins ? 1 : 0; };
    const auto next = [&]() -> std::optional<std::int64_t> {
        count(rests);
        return std::nullopt;
    };
    loop.run({.next_work = next, .before_sleep = [&] { count(sleeps); }});
    CHECK(rests > 0);
    CHECK(sleeps == 0);
}

namespace {

/// Crowds come each millisecond, until it ends.
class Crowds {
    std::atomic<bool> over_ = false;
    std::thread sender_;

public:
    explicit Crowds(env::Loop &loop)
        : sender_([this, &loop] {
              constexpr int at_a_time = 5;
              while (!over_) {
                  for (int i = 0; i < at_a_time; ++i) loop.post([] {});
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
          }) {}
    ~Crowds() {
        over_ = true;
        sender_.join();
    }
    Crowds(const Crowds &) = delete;
    Crowds &operator=(const Crowds &) = delete;
};

constexpr int late_times = 21;
std::int64_t usual(std::vector<std::int64_t> late_ns) {
    std::ranges::sort(late_ns);
    return late_ns.at(late_ns.size() / 2);
}
/// A quarter less at least: what a busy machine adds, it adds to both.
bool comes_sooner(std::int64_t late_ns, std::int64_t than_ns) { return late_ns * 4 < than_ns * 3; }

/// How late work is done in a busy loop, which is told when it is due or not.
std::int64_t late_work(bool announced) {
    env::Loop loop;
    loop.coalesce_when_busy();
    constexpr std::int64_t apart_ns = 40 * ms;
    std::vector<std::int64_t> late_ns;
    auto due_ns = loop.now_ns() + apart_ns;
    const Crowds crowds(loop);
    loop.run({.work =
                  [&] {
                      const auto now = loop.now_ns();
                      if (now < due_ns) return false;
                      late_ns.push_back(now - due_ns);
                      due_ns = now + apart_ns;
                      if (late_ns.size() == late_times) loop.stop();
                      return false;
                  },
              .next_work = [&] { return announced ? std::optional(due_ns) : std::nullopt; }});
    return usual(late_ns);
}

/// How late a busy loop learns what another thread sends: a signal, or something posted.
std::int64_t late_message(bool signal, bool may_rest = true) {
    env::Loop loop;
    loop.coalesce_when_busy();
    std::atomic<std::int64_t> sent_ns = 0;
    std::atomic<bool> over = false;
    std::vector<std::int64_t> late_ns;
    const auto receive = [&] {
        late_ns.push_back(loop.monotonic_ns() - sent_ns);
        if (late_ns.size() < late_times) return;
        over = true;
        loop.stop();
    };
    loop.on_hangup(receive);
    std::thread sender([&, to = ::pthread_self()] {
        while (!over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
            sent_ns = loop.monotonic_ns();
            if (signal) ::pthread_kill(to, SIGHUP);
            else loop.post(receive);
        }
    });
    {
        const Crowds crowds(loop);
        loop.run({.may_rest = [&] { return may_rest; }});
    }
    sender.join();
    return usual(late_ns);
}

}  // namespace

TEST_CASE("loop: work that is due ends a rest, but close deadlines do not end each", "[env]") {
    using env::Rests;
    Rests rests;
    constexpr std::int64_t hour = 3'600'000 * ms;
    std::int64_t now = hour;
    CHECK(rests.length_ns(now, hour) == Rests::longest_ns);
    CHECK(rests.length_ns(now, 3 * ms) == 3 * ms);  // there was none before
    rests.end(now);
    CHECK(rests.length_ns(now, hour) == Rests::longest_ns);
    CHECK(rests.length_ns(now, 7 * ms) == 7 * ms);
    CHECK(rests.length_ns(now, ms) == Rests::shortest_ns);
    // What was done since the end of the last one counts.
    CHECK(rests.length_ns(now + 2 * ms, ms) == Rests::shortest_ns - 2 * ms);
    CHECK(rests.length_ns(now + hour, ms) == ms);
    // A second in which work is due each millisecond.
    int rests_made = 0;
    for (const auto ends = now + 1000 * ms; now < ends; ++rests_made) {
        now += rests.length_ns(now, ms);
        rests.end(now);
    }
    CHECK(rests_made * Rests::shortest_ns == 1000 * ms);
}

TEST_CASE("loop: with work due each millisecond what comes often is still done together", "[env]") {
    env::Loop loop;
    loop.coalesce_when_busy();
    int asked = 0, sleeps = 0;
    const auto began = loop.monotonic_ns();
    {
        const Crowds crowds(loop);
        loop.run({.next_work = [&]() -> std::optional<std::int64_t> {
                      // Each rest asks once, and so does each sleep.
                      if (++asked - sleeps >= late_times || sleeps >= 5000) loop.stop();
                      return loop.now_ns() + ms;
                  },
                  .before_sleep = [&] { ++sleeps; }});
    }
    const auto rests = asked - sleeps;
    CAPTURE(rests, sleeps);
    CHECK(rests == late_times);
    CHECK((rests - 1) * env::Rests::shortest_ns <= loop.monotonic_ns() - began);
}

TEST_CASE("loop: work that is due ends the rest", "[env]") {
    const auto announced = bounds_of([] { return late_work(true); }).min,
               not_announced = bounds_of([] { return late_work(false); }).min;
    CAPTURE(announced, not_announced);
    CHECK(comes_sooner(announced, not_announced));
}

TEST_CASE("loop: a signal ends the rest", "[env]") {
    const auto signal = bounds_of([] { return late_message(true); }).min,
               posted = bounds_of([] { return late_message(false); }).min;
    CAPTURE(signal, posted);
    CHECK(comes_sooner(signal, posted));
}

TEST_CASE("loop: while it may not rest, what is posted does not wait", "[env]") {
    const auto resting = bounds_of([] { return late_message(false); }).min,
               awake = bounds_of([] { return late_message(false, false); }).min;
    CAPTURE(resting, awake);
    CHECK(comes_sooner(awake, resting));
}

TEST_CASE("loop: however much comes, it sleeps once a second", "[env]") {
    env::Loop loop;
    loop.coalesce_when_busy();
    loop.after(2500 * ms, [&] { loop.stop(); });
    int sleeps = 0;
    const auto high_load_by = loop.monotonic_ns() + 200 * ms;
    const Crowds crowds(loop);
    loop.run({.before_sleep = [&] { sleeps += loop.monotonic_ns() > high_load_by ? 1 : 0; }});
    CHECK(sleeps >= 1);
}

TEST_CASE("loop: after stop() nothing runs and it does not sleep", "[env]") {
    env::Loop loop;
    bool ran = false, awake = true;
    SECTION("stopped by a handler") {
        loop.post([&] { loop.stop(); });
        loop.post([&] { ran = true; });
    }
    SECTION("stopped before a sleep") {
        // Were it to sleep, this would wake it.
        loop.after(2000 * ms, [&] { awake = false; });
    }
    loop.run({.before_sleep = [&] { loop.stop(); }});
    CHECK_FALSE(ran);
    CHECK(awake);
}

TEST_CASE("loop: a request to end is told on the loop", "[env]") {
    env::Loop loop;
    bool asked = false;
    loop.on_signal([&] {
        asked = true;
        loop.stop();
    });
    loop.post([] { ::raise(SIGTERM); });
    loop.run();
    CHECK(asked);
}

TEST_CASE("loop: SIGUSR2 is told each time, and SIGHUP apart from it", "[env]") {
    env::Loop loop;
    std::vector<int> told;
    auto next = [&](int what) {
        told.push_back(what);
        if (told.size() == 3) return loop.stop();
        ::raise(told.size() == 1 ? SIGHUP : SIGUSR2);
    };
    loop.on_user_signal([&] { next(2); });
    loop.on_hangup([&] { next(1); });
    loop.post([] { ::raise(SIGUSR2); });
    loop.run();
    CHECK(told == std::vector{2, 1, 2});
}

// promise(peer): Scheduling continues, regardless of what the API server sends and how much.
TEST_CASE("loop: work between events runs even if each event posts another one", "[env]") {
    env::Loop loop;
    const auto began = loop.monotonic_ns();
    bool worked = false;
    std::function<void()> again = [&] {
        if (loop.monotonic_ns() - began < 5000 * ms) loop.post(again);
    };
    again();
    loop.run({.work = [&] {
        worked = loop.monotonic_ns() - began < 5000 * ms;
        loop.stop();
        return false;
    }});
    CHECK(worked);
}
