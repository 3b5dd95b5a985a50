// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The coverage of a plugin's tests: the calls of each extension point, and their results.

#include "plugin/meter.h"
#include "verify/requests.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::verify {

/// Of one point.
struct PointCoverage {
    std::uint64_t calls = 0;
    std::uint64_t units = 0;     ///< nodes at Filter, Score and NormalizeScore
    std::uint64_t rejected = 0;  ///< of them
    std::uint64_t skipped = 0;   ///< calls after which the plugin had nothing more to do with the pod
};

/// What a plugin begins and is called back for later.
struct Later {
    std::uint64_t begun = 0, came = 0;
};

struct Coverage {
    std::map<std::string, PointCoverage, std::less<>> points{};
    std::map<std::string, Looks> objects{};  ///< by kind: requested by name
    std::map<std::string, Looks> reads{};    ///< answers by kind: with an object, and without
    Later timers{};
    std::uint64_t equal_scores = 0, unequal_scores = 0;  ///< calls of Score for several nodes
    std::vector<std::string> keys{};                     ///< that the cluster had because the plugin looks for them

    void add(const Coverage &other);
    void add_scores(std::span<const std::int64_t> scores);
    std::string text() const;  ///< for another process
    static Coverage parse(std::string_view text);
};

/// The points of the interfaces with these ids, in the order in which a pod comes to them.
std::vector<std::string_view> points_of(std::span<const std::string> interfaces);

/// Counts the calls of one plugin.
class CoverageMeter : public plugin::CallMeter {
    std::string plugin_;
    Coverage &coverage_;

    void called(const plugin::Instance &, plugin::CalledPoint point, std::size_t slots, std::int64_t ns) override;
    void evaluated(const plugin::Instance &, plugin::CalledPoint point, std::size_t slots) override;
    void rejected(const plugin::Instance &, plugin::CalledPoint point, std::size_t slots) override;
    void ended(std::string_view uid, std::string_view profile, plugin::CalledPoint point, std::int32_t code) override;

public:
    CoverageMeter(std::string plugin, Coverage &coverage);
};

}  // namespace berth::verify
