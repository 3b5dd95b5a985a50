// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A limit of how often the log repeats a message that others can bring about.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace berth::api {

/// How often the log says something that others can bring about as often as they like: each kind once in an interval,
/// and the same words again only after `again`. One thread.
class Throttle {
public:
    using Clock = std::chrono::steady_clock;
    explicit Throttle(Clock::duration interval, Clock::duration again) : interval_(interval), again_(again) {}

    /// How often it was held back since it was last said, if it is to be said now.
    std::optional<std::uint64_t> say(const std::string &kind, const std::string &words,
                                     Clock::time_point now = Clock::now()) {
        auto [at, first] = said_.try_emplace(kind);
        auto &last = at->second;
        if (!first && now - last.when < (words == last.words ? again_ : interval_)) {
            ++last.held_back;
            return std::nullopt;
        }
        const auto out = last.held_back;
        last = {now, words, 0};
        return out;
    }

private:
    struct Said {
        Clock::time_point when{};
        std::string words;
        std::uint64_t held_back = 0;
    };
    Clock::duration interval_, again_;
    std::map<std::string, Said> said_;  ///< by kind, of which there are few
};

}  // namespace berth::api
