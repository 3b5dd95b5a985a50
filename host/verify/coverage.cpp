// SPDX-License-Identifier: Apache-2.0
#include "verify/coverage.h"

#include "plugin/instance.h"

#include <berth/berth.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace berth::verify {
namespace {

struct Point {
    std::string_view name, interface;
};
constexpr std::array points{Point{"PreEnqueue", BERTH_PLUGIN_PRE_ENQUEUE_V1},
                            Point{"QueueSort", BERTH_PLUGIN_QUEUE_SORT_V1},
                            Point{"QueueingHint", BERTH_PLUGIN_EVENTS_V1},
                            Point{"PreFilter", BERTH_PLUGIN_PRE_FILTER_V1},
                            Point{"RemovePod", BERTH_PLUGIN_PRE_FILTER_EXT_V1},
                            Point{"AddPod", BERTH_PLUGIN_PRE_FILTER_EXT_V1},
                            Point{"Filter", BERTH_PLUGIN_FILTER_V1},
                            Point{"PostFilter", BERTH_PLUGIN_POST_FILTER_V1},
                            Point{"PreScore", BERTH_PLUGIN_PRE_SCORE_V1},
                            Point{"Score", BERTH_PLUGIN_SCORE_V1},
                            Point{"Reserve", BERTH_PLUGIN_RESERVE_V1},
                            Point{"Unreserve", BERTH_PLUGIN_RESERVE_V1},
                            Point{"Permit", BERTH_PLUGIN_PERMIT_V1},
                            Point{"PreBind", BERTH_PLUGIN_PRE_BIND_V1},
                            Point{"Bind", BERTH_PLUGIN_BIND_V1},
                            Point{"PostBind", BERTH_PLUGIN_POST_BIND_V1}};

/// Steps that may wait for others; the meter hears of their end. All other points are counted at the call.
bool is_step(plugin::CalledPoint point) {
    using plugin::CalledPoint;
    return point == CalledPoint::PostFilter || point == CalledPoint::PreBind || point == CalledPoint::Bind;
}

}  // namespace

void Coverage::add(const Coverage &other) {
    for (const auto &[name, one] : other.points) {
        auto &mine = points[name];
        mine.calls += one.calls;
        mine.units += one.units;
        mine.rejected += one.rejected;
        mine.skipped += one.skipped;
    }
    for (const auto &[kind, looks] : other.objects) {
        objects[kind].found += looks.found;
        objects[kind].missed += looks.missed;
    }
    for (const auto &[kind, looks] : other.reads) {
        reads[kind].found += looks.found;
        reads[kind].missed += looks.missed;
    }
    timers.begun += other.timers.begun;
    timers.came += other.timers.came;
    equal_scores += other.equal_scores;
    unequal_scores += other.unequal_scores;
    for (const auto &key : other.keys)
        if (std::ranges::count(keys, key) == 0) keys.push_back(key);
}

void Coverage::add_scores(std::span<const std::int64_t> scores) {
    if (scores.size() < 2) return;
    const bool equal = std::ranges::all_of(scores, [&](auto one) { return one == scores.front(); });
    ++(equal ? equal_scores : unequal_scores);
}

std::string Coverage::text() const {
    std::ostringstream out;
    for (const auto &[name, p] : points)
        out << "point\t" << name << '\t' << p.calls << '\t' << p.units << '\t' << p.rejected << '\t' << p.skipped
            << '\n';
    for (const auto &[kind, looks] : objects)
        out << "objects\t" << kind << '\t' << looks.found << '\t' << looks.missed << '\n';
    for (const auto &[kind, looks] : reads)
        out << "reads\t" << kind << '\t' << looks.found << '\t' << looks.missed << '\n';
    out << "timers\t\t" << timers.begun << '\t' << timers.came << '\n';
    out << "scores\t\t" << equal_scores << '\t' << unequal_scores << '\n';
    for (const auto &key : keys) out << "key\t" << key << '\n';
    return out.str();
}

Coverage Coverage::parse(std::string_view text) {
    Coverage out;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string what, name;
        std::getline(fields, what, '\t');
        std::getline(fields, name, '\t');
        if (what == "point") {
            auto &p = out.points[name];
            fields >> p.calls >> p.units >> p.rejected >> p.skipped;
        } else if (what == "objects" || what == "reads") {
            auto &looks = (what == "objects" ? out.objects : out.reads)[name];
            fields >> looks.found >> looks.missed;
        } else if (what == "timers") {
            fields >> out.timers.begun >> out.timers.came;
        } else if (what == "scores") {
            fields >> out.equal_scores >> out.unequal_scores;
        } else if (what == "key") {
            out.keys.push_back(name);
        }
    }
    return out;
}

std::vector<std::string_view> points_of(std::span<const std::string> interfaces) {
    std::vector<std::string_view> out;
    for (const auto &point : points)
        if (std::ranges::find(interfaces, point.interface) != interfaces.end()) out.push_back(point.name);
    return out;
}

CoverageMeter::CoverageMeter(std::string plugin, Coverage &coverage)
    : plugin_(std::move(plugin)), coverage_(coverage) {}

void CoverageMeter::called(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots,
                           std::int64_t) {
    if (instance.name != plugin_ || is_step(point)) return;
    auto &one = coverage_.points[std::string(point)];
    ++one.calls;
    ++one.skipped;  // unless it is evaluated
    one.units += slots;
}

void CoverageMeter::evaluated(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t) {
    if (instance.name != plugin_) return;
    if (auto &one = coverage_.points[std::string(point)]; one.skipped > 0) --one.skipped;
}

void CoverageMeter::rejected(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots) {
    if (instance.name == plugin_) coverage_.points[std::string(point)].rejected += slots;
}

void CoverageMeter::ended(std::string_view, std::string_view profile, plugin::CalledPoint point, std::int32_t) {
    if (profile != "default-scheduler" || !is_step(point)) return;
    auto &one = coverage_.points[std::string(point)];
    ++one.calls;
    ++one.units;
}

}  // namespace berth::verify
