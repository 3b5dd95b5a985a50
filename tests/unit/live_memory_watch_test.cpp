// SPDX-License-Identifier: Apache-2.0
#include "live/memory_watch.h"

#include "plugin_world.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"

using namespace berth;

namespace {

constexpr std::uint64_t mib = 1 << 20;

struct World {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    sim::VirtualWorkers workers{clock};
    plugin_world::Log log;
    live::MemoryWatch::System system{{100 * mib, 20 * mib, 0}, std::nullopt};
    std::uint64_t pods = 30 * mib;
    int asked = 0;
    live::MemoryWatch watch{{clock, workers, log,
                             [this] {
                                 ++asked;
                                 return std::vector<report::MemoryKind>{{"pods", pods}};
                             },
                             [this] { return system; }}};

    void pass(std::int64_t ns) { clock.advance_to(clock.now_ns() + ns); }
    void use(std::uint64_t used) { system.group = {1000 * mib, used * mib, (1000 - used) * mib}; }
    std::size_t warnings() const {
        std::size_t out = 0;
        for (const auto &line : log.lines) out += line.find("Memory may not suffice") != line.npos;
        return out;
    }
};

}  // namespace

TEST_CASE("memory watch: it looks at the start and every few seconds, and not when somebody asks", "[live]") {
    World w;
    CHECK(w.watch.last().resident == 0);
    w.watch.start();
    w.pass(0);
    CHECK(w.asked == 1);
    CHECK(w.watch.last().resident == 100 * mib);
    CHECK(w.watch.last().of("pods") == 30 * mib);
    CHECK(w.watch.last().of("other") == 50 * mib);
    CHECK(w.log.lines.empty());
    w.pods = 40 * mib;
    for (int i = 0; i < 100; ++i) CHECK(w.watch.last().of("pods") == 30 * mib);
    CHECK(w.asked == 1);
    w.pass(live::MemoryWatch::period_ns);
    CHECK(w.asked == 2);
    CHECK(w.watch.last().of("pods") == 40 * mib);
}

TEST_CASE("memory watch: the log tells the limit, and when it comes near, now and then", "[live]") {
    World w;
    w.use(200);
    w.watch.start();
    w.pass(60 * live::MemoryWatch::period_ns);
    REQUIRE(w.log.lines.size() == 1);
    CHECK(w.log.lines[0].find("Memory is limited") != w.log.lines[0].npos);
    w.use(950);
    w.pass(live::MemoryWatch::period_ns);
    CHECK(w.warnings() == 1);
    // As long as it swings around the limit it is not said each time.
    for (int i = 0; i < 50; ++i) {
        w.use(i % 2 == 0 ? 200 : 950);
        w.pass(live::MemoryWatch::period_ns);
    }
    CHECK(w.warnings() == 1);
    w.pass(live::MemoryWatch::repeat_ns);
    CHECK(w.warnings() == 2);
    CHECK(w.log.lines.size() == 3);
}
