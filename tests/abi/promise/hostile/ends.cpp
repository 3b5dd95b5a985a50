// SPDX-License-Identifier: Apache-2.0
// One library per case that would end the scheduler, or its patience: case_name says how.
#include "case_name.h"

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
        if (is("ends_in_create")) std::exit(0);
    }

    berth::Verdict filter(berth::Pod, berth::Node) const {
        if (is("ends_in_filter")) std::exit(0);
        if (is("ends_with_3")) std::exit(3);
        if (is("ends_quickly")) std::quick_exit(0);
        if (is("ends_in_thread")) std::thread([] { std::exit(0); }).join();
        if (is("takes_memory")) {
            std::vector<std::unique_ptr<char[]>> all;
            for (constexpr std::size_t much = 1 << 20;;) all.push_back(std::make_unique<char[]>(much));
        }
        constexpr std::chrono::milliseconds longer_than_the_watchdog_waits{6500};
        if (is("hangs") && !std::exchange(rested_, true)) std::this_thread::sleep_for(longer_than_the_watchdog_waits);
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Ends, "Ends", "1.0.0")
