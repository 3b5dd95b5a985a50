// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Plots of lines and bars in panels, written as SVG or as a page. The file needs no other.

#include "report/time_series.h"

#include <string>
#include <utility>
#include <vector>

namespace berth::report {

/// What an axis counts: shares are between 0 and 1 and shown in per cent, seconds with the unit that suits them, other
/// amounts as they are.
enum class Unit { Count, Share, Seconds, Amount };

/// How a line goes: it keeps a value until the next point; from point to point; or not at all, but each point is a bar,
/// and x the number of a group of bars.
enum class Shape { Steps, Points, Bars };

/// Every line begins where its first point is.
struct Panel {
    std::string title;
    Unit unit = Unit::Count;
    std::vector<std::vector<std::pair<double, double>>> lines;  ///< one for each name of the plot, x ascending
};

struct Plot {
    std::string title, x_title;
    Unit x_unit = Unit::Count;
    std::vector<std::string> names;  ///< of the lines, for the legend
    std::vector<Panel> panels;       ///< two beside each other
    Shape shape = Shape::Steps;
    bool logarithmic = false;           ///< both axes, of points, all of which are above 0; their units are not shown
    std::vector<std::string> groups{};  ///< of bars: their names, the first of which is number 0
};

/// Readable on light and on dark, with and without colours.
std::string to_svg(const Plot &plot);
std::string to_html(const Plot &plot);

/// Utilisation and fragments of each resource, pending pods and nodes in use. Over the time if it passed in the
/// scenario of that name, else over the attempts: of a cluster as it stood, only pods that are tried again wait.
Plot plot_of(const std::vector<Curves> &curves, const std::string &scenario);

}  // namespace berth::report
