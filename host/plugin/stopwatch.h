// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How long each plugin took at each extension point, when it was asked what it would say.

#include "model/plugin_time.h"
#include "plugin/meter.h"

#include <vector>

namespace berth::plugin {

/// As long as it lives, the rehearsals (plugin/rehearsal.h) on this thread tell it. Not to be nested.
class Stopwatch : public Meter {
    struct Lap {
        const Instance *instance;
        std::string_view point;
        std::uint64_t slots = 0;
        std::int64_t ns = 0;
    };
    std::vector<Lap> laps_;  ///< in the order of the first calls

public:
    Stopwatch();
    ~Stopwatch() override;
    Stopwatch(const Stopwatch &) = delete;
    Stopwatch &operator=(const Stopwatch &) = delete;
    /// This thread's; null: there is none.
    static Stopwatch *current();

    void called(const Instance &instance, std::string_view point, std::size_t slots, std::int64_t ns) override;
    std::vector<model::PluginTime> times() const;

    void use(std::span<const Profile>) override {}
    void evaluated(const Instance &, std::string_view, std::size_t) override {}
    void rejected(const Instance &, std::string_view, std::size_t) override {}
    void asked(std::string_view, std::string_view, std::int32_t, std::int64_t) override {}
    void attempt_began(std::string_view) override {}
    void attempt_searched(std::string_view) override {}
    void attempt_ended(std::string_view, std::string_view, std::string_view) override {}
    void bound(std::uint32_t, std::int64_t) override {}
    void began(std::string_view, std::string_view) override {}
    void ended(std::string_view, std::string_view, std::string_view, std::int32_t) override {}
    void entered(std::string_view, std::string_view) override {}
};

}  // namespace berth::plugin
