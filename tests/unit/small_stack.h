// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Values of thousands of levels, and a stack on which no recursion over them ends well.

#include "catch.h"
#include "model/value.h"

#include <pthread.h>

#include <exception>
#include <functional>
#include <string>

namespace berth {

/// As many as Go reads.
inline constexpr std::size_t deep_levels = 10'000;

/// `levels` objects and lists in turn, around `inside`.
inline std::string deep_json(std::size_t levels = deep_levels, const std::string &inside = "1") {
    std::string out;
    for (std::size_t i = 0; i < levels; ++i) out += i % 2 ? "[" : "{\"a\":";
    out += inside;
    for (std::size_t i = levels; i-- > 0;) out += i % 2 ? "]" : "}";
    return out;
}

/// Runs it on a thread whose stack has 50 bytes for each level: a function that calls itself for each is found by a
/// crash.
inline void on_small_stack(std::function<void()> what) {
    struct Run {
        std::function<void()> what;
        std::exception_ptr thrown;
    } run{std::move(what), nullptr};
    pthread_attr_t attributes{};
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, 50 * deep_levels) == 0);
    pthread_t thread{};
    const auto started = pthread_create(
        &thread, &attributes,
        [](void *data) -> void * {
            auto &mine = *static_cast<Run *>(data);
            try {
                mine.what();
            } catch (...) {
                mine.thrown = std::current_exception();
            }
            return nullptr;
        },
        &run);
    pthread_attr_destroy(&attributes);
    REQUIRE(started == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    if (run.thrown) std::rethrow_exception(run.thrown);
}

}  // namespace berth
