// SPDX-License-Identifier: Apache-2.0
// The plot of a simulation's time series.
#include "report/plot.h"

#include <algorithm>
#include <set>

namespace berth::report {
namespace {

constexpr double second = 1e9;

double share(double part, std::int64_t whole) { return whole > 0 ? part / static_cast<double>(whole) : 0; }

/// The values of `of` at every moment of each, over the plot's x.
template <class Of>
Panel panel(std::string title, Unit unit, const std::vector<Curves> &all, bool over_time, Of of) {
    Panel out{std::move(title), unit, {}};
    for (const auto &curves : all) {
        auto &line = out.lines.emplace_back();
        for (const auto &sample : curves.samples)
            line.emplace_back(
                over_time ? static_cast<double>(sample.time_ns) / second : static_cast<double>(sample.decided),
                of(curves, sample));
    }
    return out;
}

/// What it has of a resource; nothing if no pod of it asks for that.
Capacity capacity_of(const Curves &curves, const Sample &sample, const std::string &resource) {
    const auto at = std::ranges::find(curves.resources, resource);
    return at == curves.resources.end() ? Capacity{}
                                        : sample.capacities[static_cast<std::size_t>(at - curves.resources.begin())];
}

}  // namespace

Plot plot_of(const std::vector<Curves> &curves, const std::string &scenario) {
    const bool over_time = !scenario.empty() && std::ranges::any_of(curves, [](const Curves &c) {
        return !c.samples.empty() && c.samples.back().time_ns > 0;
    });
    Plot out;
    out.title = scenario.empty() ? "What came of the cluster" : "Scenario " + scenario;
    out.x_unit = over_time ? Unit::Seconds : Unit::Count;
    out.x_title = over_time ? "simulated time" : "scheduling attempts";
    std::vector<std::string> resources{"cpu", "memory"};
    std::set<std::string> scalars;
    for (const auto &c : curves) {
        out.names.push_back(c.name);
        scalars.insert(c.resources.begin() + 2, c.resources.end());
    }
    resources.insert(resources.end(), scalars.begin(), scalars.end());
    for (const auto &resource : resources) {
        out.panels.push_back(panel(resource + ": requested / allocatable", Unit::Share, curves, over_time,
                                   [&](const Curves &c, const Sample &m) {
                                       const auto s = capacity_of(c, m, resource);
                                       return share(static_cast<double>(s.requested), s.allocatable);
                                   }));
        out.panels.push_back(panel(resource + ": fragments / allocatable", Unit::Share, curves, over_time,
                                   [&](const Curves &c, const Sample &m) {
                                       const auto s = capacity_of(c, m, resource);
                                       return share(s.stranded, s.allocatable);
                                   }));
    }
    out.panels.push_back(panel("pods pending", Unit::Count, curves, over_time,
                               [](const Curves &, const Sample &m) { return static_cast<double>(m.pending); }));
    out.panels.push_back(panel("nodes in use", Unit::Count, curves, over_time,
                               [](const Curves &, const Sample &m) { return static_cast<double>(m.nodes_in_use); }));
    return out;
}

}  // namespace berth::report
