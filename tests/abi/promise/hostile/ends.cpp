// SPDX-License-Identifier: Apache-2.0
// One library per case that would end the scheduler, or its patience: HOSTILE_<case> says how.
#include <berth/plugin.hpp>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Ends {
    mutable bool rested_ = false;

public:
    explicit Ends(berth::Args) {
#ifdef HOSTILE_ends_in_create
        std::exit(0);
#endif
    }

    berth::Verdict filter(berth::Pod, berth::Node) const {
#if defined(HOSTILE_ends_in_filter)
        std::exit(0);
#elif defined(HOSTILE_ends_with_3)
        std::exit(3);
#elif defined(HOSTILE_ends_quickly)
        std::quick_exit(0);
#elif defined(HOSTILE_ends_in_thread)
        std::thread([] { std::exit(0); }).join();
#elif defined(HOSTILE_takes_memory)
        std::vector<std::unique_ptr<char[]>> all;
        for (constexpr std::size_t much = 1 << 20;;) all.push_back(std::make_unique<char[]>(much));
#endif
#ifdef HOSTILE_hangs
        constexpr std::chrono::milliseconds longer_than_the_watchdog_waits{6500};
        if (!std::exchange(rested_, true)) std::this_thread::sleep_for(longer_than_the_watchdog_waits);
#endif
        (void)rested_;
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Ends, "Ends", "1.0.0")
