// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The shape of RequestedToCapacityRatio: a score for each utilization. Upstream: helper/shape_score.go.

#include <berth/plugin.hpp>

#include <string>
#include <vector>

namespace kubernetes {

/// A score for each utilisation: `shape` in arguments, straight lines between its points (helper/shape_score.go).
class Shape {
    struct Point {
        std::int64_t utilization, score;
    };
    std::vector<Point> points_;

public:
    static Shape read(berth::Value list) {
        Shape out;
        // The points' scores go to 10, the framework's to 100.
        for (std::size_t i = 0; i < list.size(); ++i)
            out.points_.push_back(
                {list.at(i)["utilization"].integer().value_or(0), list.at(i)["score"].integer().value_or(0) * 10});
        return out;
    }

    /// In integers. There is a point.
    std::int64_t at(std::int64_t u) const {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (u > points_[i].utilization) continue;
            if (i == 0) return points_[0].score;
            const auto &a = points_[i - 1], &b = points_[i];
            return a.score + (b.score - a.score) * (u - a.utilization) / (b.utilization - a.utilization);
        }
        return points_.back().score;
    }

    /// Reports what is wrong with a list of points, which `path` names.
    static void check(berth::Value list, const std::string &path, const berth::ArgsReader &args) {
        auto wrong = [&](const std::string &at, const char *expected, berth::Value got) {
            args.error(at, std::string("expected ") + expected + ", got " + std::string(berth::kind_name(got)));
        };
        if (!list.is_null() && !list.is_array()) return wrong(path, "a list", list);
        if (list.size() == 0) args.error(path, "Required value: at least one point must be specified");
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto at = path + "[" + std::to_string(i) + "]";
            auto p = list.at(i);
            if (!p.is_object()) {
                wrong(at, "an object", p);
                continue;
            }
            for (auto field : {"utilization", "score"})
                if (!p[field].is_null() && !p[field].integer()) wrong(at + "." + field, "a whole number", p[field]);
            for (std::size_t k = 0; k < p.size(); ++k)
                if (p.key(k) != "utilization" && p.key(k) != "score")
                    args.error(at + "." + std::string(p.key(k)), "unknown field; the fields are utilization, score");
            auto u = p["utilization"].integer().value_or(0), s = p["score"].integer().value_or(0);
            if (u < 0 || u > 100)
                args.error(at + ".utilization",
                           "Invalid value: " + std::to_string(u) + ": not in valid range [0, 100]");
            if (s < 0 || s > 10)
                args.error(at + ".score", "Invalid value: " + std::to_string(s) + ": not in valid range [0, 10]");
            if (i && list.at(i - 1)["utilization"].integer().value_or(0) >= u)
                args.error(at + ".utilization",
                           "Invalid value: " + std::to_string(u) + ": values must be sorted in increasing order");
        }
    }
};

}  // namespace kubernetes
