// SPDX-License-Identifier: Apache-2.0

/// Reads a description of a plot (report/plot.h) and writes it as SVG. A line each, in this order:
///
///     steps | points | points logarithmic | bars
///     title TEXT
///     x UNIT TEXT          count, share, seconds or amount; of bars it is not shown
///     name TEXT            of a line; as many as there are
///     group TEXT           of bars; as many as there are
///     panel UNIT TEXT      and below it its points:
///     X Y1 Y2…             a value of each line; `-` where it has none; X of a bar is the number of its group, from 0
///
/// Exit code 1 and a message that names the line, if one is not as it should be.

#include "report/plot.h"

#include <array>
#include <charconv>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

using namespace berth::report;

namespace {

constexpr std::array units{std::pair{"count", Unit::Count}, std::pair{"share", Unit::Share},
                           std::pair{"seconds", Unit::Seconds}, std::pair{"amount", Unit::Amount}};

Unit unit(std::string_view text) {
    for (const auto &[name, of] : units)
        if (text == name) return of;
    throw std::runtime_error("expected count, share, seconds or amount, got \"" + std::string(text) + "\"");
}

double value(std::string_view text) {
    double out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed != std::errc() || end != text.data() + text.size() || !(out >= 0))
        throw std::runtime_error("expected a number that is not negative, got \"" + std::string(text) + "\"");
    return out;
}

/// What stands before the first space; `text` becomes what stands behind it.
std::string_view word(std::string_view &text) {
    const auto at = text.find(' ');
    const auto first = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    return first;
}

void read_shape(std::string_view text, Plot &plot) {
    plot.logarithmic = text == "points logarithmic";
    if (text == "steps") plot.shape = Shape::Steps;
    else if (text == "bars") plot.shape = Shape::Bars;
    else if (text == "points" || plot.logarithmic) plot.shape = Shape::Points;
    else throw std::runtime_error("expected steps, points, points logarithmic or bars");
}

void read_points(std::string_view x_text, std::string_view rest, Plot &plot) {
    if (plot.panels.empty()) throw std::runtime_error("expected a panel before the points");
    auto &lines = plot.panels.back().lines;
    const double x = value(x_text);
    if (plot.shape == Shape::Bars && x >= static_cast<double>(plot.groups.size()))
        throw std::runtime_error("there is no group " + std::string(x_text));
    for (auto &line : lines) {
        const auto text = word(rest);
        if (text == "-") continue;
        const double y = value(text);
        if (plot.logarithmic && (x == 0 || y == 0)) throw std::runtime_error("a logarithmic axis has no 0");
        line.emplace_back(x, y);
    }
    if (!rest.empty()) throw std::runtime_error("more values than names");
}

void read(const std::string &line, bool first, Plot &plot) {
    if (first) return read_shape(line, plot);
    std::string_view rest = line;
    const auto what = word(rest);
    if (what == "title") plot.title = rest;
    else if (what == "x") plot.x_unit = unit(word(rest)), plot.x_title = rest;
    else if (what == "name") plot.names.emplace_back(rest);
    else if (what == "group") plot.groups.emplace_back(rest);
    else if (what == "panel") {
        const auto of = unit(word(rest));
        plot.panels.push_back({std::string(rest), of, {}});
        plot.panels.back().lines.resize(plot.names.size());
    } else read_points(what, rest, plot);
}

}  // namespace

int main() {
    Plot plot;
    std::string line;
    for (int number = 1; std::getline(std::cin, line); ++number) {
        try {
            read(line, number == 1, plot);
        } catch (const std::exception &e) {
            std::cerr << "plot: line " << number << ": " << e.what() << "\n";
            return 1;
        }
    }
    if (plot.panels.empty()) {
        std::cerr << "plot: expected at least one panel\n";
        return 1;
    }
    std::cout << to_svg(plot);
    return std::cout.flush() ? 0 : 1;
}
