// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include "decode/json_text.h"
#include "report/axis.h"
#include "report/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace berth::report {
namespace {

// Of the picture, in its own units, which are pixels unless it is scaled.
constexpr double width = 960, edge = 16, labels = 48, plot_width = 400, plot_height = 150;
constexpr double panel_width = 472, panel_height = 226, panel_top = 40, line_height = 22, title_height = 44;
constexpr double name_width = 7.2;  // of a character, at most
constexpr std::size_t title_columns = 54, legend_columns = 110;

// Colours for people with colour blindness (Okabe and Ito), for light and for dark; dashes distinguish overlapping
// lines, and lines beyond the number of colours.
struct Stroke {
    const char *light, *dark;
};
constexpr std::array strokes{Stroke{"#0072b2", "#56b4e9"}, Stroke{"#d55e00", "#ff8c42"}, Stroke{"#00835f", "#2fc79a"},
                             Stroke{"#b0518c", "#e59ac6"}, Stroke{"#8a6d00", "#f0d34a"}, Stroke{"#444444", "#cccccc"}};
constexpr std::array dashes{"", "7 3", "2 3", "10 3 2 3"};

std::string number(double n) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", n);
    std::string out = text;
    if (out.ends_with(".0")) out.resize(out.size() - 2);
    return out == "-0" ? "0" : out;
}

/// Bytes that are no UTF-8, and the two characters that XML does not have, are replaced: names of files may be any.
std::string utf8(std::string_view text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string out;
    while (const auto bad = decode::find_bad_utf8(text)) {
        (out += text.substr(0, *bad)) += replacement;
        text.remove_prefix(*bad + 1);
    }
    out += text;
    for (const char *none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
        for (auto at = out.find(none); at != out.npos; at = out.find(none)) out.replace(at, 3, replacement);
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : printable(utf8(text))) {
        if (c == '<') out += "&lt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else out += c;
    }
    return out;
}

/// The text, or its beginning: what takes no more than that many columns.
std::string shortened(const std::string &text, std::size_t columns) {
    if (display_width(text) <= columns) return text;
    std::string out = text;
    while (!out.empty() && display_width(out) >= columns) {
        while ((static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
        out.pop_back();
    }
    return out + "…";
}

std::string text_at(double x, double y, const char *classes, std::string_view words) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" + classes + "\">" + escaped(words) +
           "</text>\n";
}

using Points = std::vector<std::pair<double, double>>;

/// As steps, up to the end of the axis. Of points that fall on one pixel the last counts. Tenths of a pixel are whole
/// numbers here, so that steps from one point to the next add up.
std::string steps(const Points &points, double left, double bottom, const Axis &x, const Axis &y) {
    constexpr double tenths = 10;
    const auto at_x = [&](double v) { return std::lround((left + x.at(v) * plot_width) * tenths); };
    const auto at_y = [&](double v) {
        return std::lround((bottom - std::clamp(y.at(v), 0.0, 1.0) * plot_height) * tenths);
    };
    const auto text = [](long n) { return number(static_cast<double>(n) / tenths); };
    std::string out;
    long now_x = 0, now_y = 0;
    const auto go = [&](long to) {
        if (to != now_x) out += "h" + text(to - now_x);
        now_x = to;
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto to_x = at_x(points[i].first), to_y = at_y(points[i].second);
        if (i > 0 && i + 1 < points.size() && to_x / 10 == at_x(points[i + 1].first) / 10) continue;
        if (out.empty()) {
            out = "M" + text(to_x) + " " + text(to_y);
            now_x = to_x;
        } else if (to_y != now_y) {
            go(to_x);
            out += "v" + text(to_y - now_y);
        }
        now_y = to_y;
    }
    go(std::lround((left + plot_width) * tenths));
    return out;
}

/// From point to point, each of which is a dot.
std::string dotted(const Points &points, const std::string &classes, double left, double bottom, const Axis &x,
                   const Axis &y) {
    std::string line, dots;
    for (const auto &[at_x, at_y] : points) {
        const auto place = number(left + x.at(at_x) * plot_width) + " " + number(bottom - y.at(at_y) * plot_height);
        line += (line.empty() ? "M" : "L") + place;
        dots += "M" + place + "h0";
    }
    return "<path class=\"" + classes + "\" d=\"" + line + "\"/>\n<path class=\"dot " + classes + "\" d=\"" + dots +
           "\"/>\n";
}

/// As bars, of which `which` is the place of this line's among `of` in each of the groups.
std::string bars(const Points &points, std::size_t which, std::size_t of, std::size_t groups, double left,
                 double bottom, const Axis &y) {
    constexpr double filled = 0.8;  // of a group's width
    const double group = plot_width / static_cast<double>(groups), bar = group * filled / static_cast<double>(of);
    std::string out;
    for (const auto &[at_x, at_y] : points) {
        const double height = y.at(at_y) * plot_height;
        out += "<rect class=\"s" + std::to_string(which % strokes.size()) + " bar\" x=\"" +
               number(left + group * (at_x + (1 - filled) / 2) + bar * static_cast<double>(which)) + "\" y=\"" +
               number(bottom - height) + "\" width=\"" + number(bar) + "\" height=\"" + number(height) + "\"/>\n";
    }
    return out;
}

std::string stroke_classes(std::size_t line) {
    return "line s" + std::to_string(line % strokes.size()) + " d" + std::to_string(line % dashes.size());
}

/// The least and the most of what `of` finds in the points; of none both are 0.
template <class Of>
std::pair<double, double> extent(const std::vector<std::vector<std::pair<double, double>>> &lines, Of of) {
    double least = 0, most = 0;
    for (const auto &line : lines)
        for (const auto &point : line) {
            least = least > 0 ? std::min(least, of(point)) : of(point);
            most = std::max(most, of(point));
        }
    return {least, most};
}

std::string panel(const Plot &plot, const Panel &of, const Axis &x, double left, double top, bool x_title) {
    const auto [least, most] = extent(of.lines, [](const auto &point) { return point.second; });
    constexpr double y_ticks = 4;
    const Axis y = plot.logarithmic && least > 0 ? Axis(least, most) : Axis(most, of.unit, y_ticks);
    const double bottom = top + panel_top + plot_height;
    left += labels;
    std::string out = text_at(left, top + panel_top - 12, "panel", shortened(of.title, title_columns));
    for (double v : y.ticks()) {
        const double at = bottom - y.at(v) * plot_height;
        out += "<path class=\"" + std::string(v == y.ticks().front() ? "axis" : "grid") + "\" d=\"M" + number(left) +
               " " + number(at) + "h" + number(plot_width) + "\"/>\n" + text_at(left - 6, at + 4, "end", y.label(v));
    }
    const auto tick = [&](double at, const std::string &label) {
        out += "<path class=\"axis\" d=\"M" + number(at) + " " + number(bottom) + "v4\"/>\n" +
               text_at(at, bottom + 17, "middle", label);
    };
    const auto groups = plot.groups.size();
    for (std::size_t i = 0; i < groups; ++i)
        tick(left + plot_width * (static_cast<double>(i) + 0.5) / static_cast<double>(groups), std::to_string(i + 1));
    if (groups == 0)
        for (double v : x.ticks())
            if (x.at(v) <= 1 + 1e-9) tick(left + x.at(v) * plot_width, x.label(v));
    if (x_title) out += text_at(left + plot_width / 2, bottom + 34, "middle", plot.x_title);
    for (std::size_t i = 0; i < of.lines.size(); ++i) {
        const auto &line = of.lines[i];
        if (line.empty()) continue;
        if (plot.shape == Shape::Points) out += dotted(line, stroke_classes(i), left, bottom, x, y);
        else if (plot.shape == Shape::Bars) out += bars(line, i, of.lines.size(), groups, left, bottom, y);
        else out += "<path class=\"" + stroke_classes(i) + "\" d=\"" + steps(line, left, bottom, x, y) + "\"/>\n";
    }
    return out;
}

std::string style(Shape shape) {
    std::string light, dark;
    for (std::size_t i = 0; i < strokes.size(); ++i) {
        const auto colours = [&](const char *colour) {
            const auto of = ".s" + std::to_string(i);
            return of + "{stroke:" + colour + "}" + (shape == Shape::Bars ? of + ".bar{fill:" + colour + "}" : "");
        };
        light += colours(strokes[i].light);
        dark += colours(strokes[i].dark);
    }
    for (std::size_t i = 1; i < dashes.size(); ++i)
        light += ".d" + std::to_string(i) + "{stroke-dasharray:" + dashes[i] + "}";
    if (shape == Shape::Points) light += ".line.dot{stroke-width:7;stroke-linecap:round;stroke-dasharray:none}";
    return "<style>text{font:12px system-ui,sans-serif;fill:#333}.title{font-size:16px;font-weight:600}"
           ".panel{font-size:13px;font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}"
           ".ground{fill:#fff}.grid,.axis{fill:none;stroke:#e2e2e2}.axis{stroke:#888}"
           ".line{fill:none;stroke-width:2;stroke-linejoin:round}" +
           light + "@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181c}.grid{stroke:#33363c}" +
           dark + "}</style>\n";
}

/// The names with their strokes, in as many rows as they take; `y` is moved below.
std::string legend(const Plot &plot, double &y) {
    constexpr double sample = 30, gap = 24;
    std::string out;
    double x = edge + labels;
    for (std::size_t i = 0; i < plot.names.size(); ++i) {
        const auto name = shortened(plot.names[i], legend_columns);
        const double takes = sample + 8 + name_width * static_cast<double>(display_width(name)) + gap;
        if (x > edge + labels && x + takes > width - edge) x = edge + labels, y += line_height;
        const auto classes =
            plot.shape == Shape::Bars ? "line s" + std::to_string(i % strokes.size()) : stroke_classes(i);
        out += "<path class=\"" + classes + "\" d=\"M" + number(x) + " " + number(y - 4) + "h" + number(sample) +
               "\"/>\n" + text_at(x + sample + 8, y, "name", name);
        x += takes;
    }
    y += line_height / 2;
    return out;
}

}  // namespace

std::string to_svg(const Plot &plot) {
    double least = 0, most = 0;
    for (const auto &of : plot.panels) {
        const auto [from, to] = extent(of.lines, [](const auto &point) { return point.first; });
        least = least > 0 ? std::min(least, from) : from;
        most = std::max(most, to);
    }
    constexpr double x_ticks = 5;
    Axis x = plot.logarithmic && least > 0 ? Axis(least, most) : Axis(most, plot.x_unit, x_ticks);
    if (!plot.logarithmic && most > 0) x.end_at(most);
    double y = title_height + line_height / 2;
    auto body = text_at(edge + labels, title_height - 14, "title", plot.title) + legend(plot, y);
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
        const bool last_row = i + 2 >= plot.panels.size();
        body += panel(plot, plot.panels[i], x, edge + static_cast<double>(i % 2) * panel_width, y, last_row);
        if (i % 2 == 1 || i + 1 == plot.panels.size()) y += panel_height;
    }
    for (std::size_t i = 0; i < plot.groups.size(); ++i, y += line_height)
        body += text_at(edge + labels, y + line_height, "name",
                        std::to_string(i + 1) + "  " + shortened(plot.groups[i], legend_columns));
    const auto size = number(width) + " " + number(y + edge);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" role=\"img\">\n<title>" +
           escaped(plot.title) + "</title>\n" + style(plot.shape) +
           "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n" + body + "</svg>\n";
}

std::string to_html(const Plot &plot) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
           escaped(plot.title) +
           "</title>\n<style>body{margin:0;background:#fff}svg{display:block;max-width:1200px;margin:auto}"
           "@media(prefers-color-scheme:dark){body{background:#16181c}}</style>\n</head>\n<body>\n" +
           to_svg(plot) + "</body>\n</html>\n";
}

}  // namespace berth::report
