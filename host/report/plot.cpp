// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

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

// Colours that people who see few of them tell apart (Okabe and Ito), for light and for dark; dashes tell lines that
// lie on each other, and more lines than colours.
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

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : printable(text)) {
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

/// Round steps from 0 to at least `most`.
struct Axis {
    double step = 1, end = 1;
    double scale = 1;  ///< what stands at a tick is its value divided by this
    const char *unit = "";
    bool counts = false;

    Axis(double most, Unit of, double ticks) {
        constexpr double minute = 60, hour = 3600, day = 86400;
        if (of == Unit::Share) scale = 0.01, unit = " %";
        if (of == Unit::Seconds) {
            scale = most > 3 * day ? day : most > 3 * hour ? hour : most > 3 * minute ? minute : 1;
            unit = scale == day ? " d" : scale == hour ? " h" : scale == minute ? " min" : " s";
        }
        counts = of == Unit::Count;
        most = std::max(most / scale, of == Unit::Share ? 1.0 : counts ? ticks : 1e-3);
        const double rough = most / ticks, power = std::pow(10, std::floor(std::log10(rough)));
        const double digit = rough / power;
        step = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power * scale;
        end = std::ceil(most * scale / step - 1e-9) * step;
    }
    std::string label(double at) const {
        const double shown = at / scale;
        char text[32];
        std::snprintf(text, sizeof text, "%.6g", shown);
        return (counts ? grouped(static_cast<std::uint64_t>(std::llround(shown))) : std::string(text)) + unit;
    }
};

using Points = std::vector<std::pair<double, double>>;

/// As steps, up to the end of the axis. Of points that fall on one pixel the last counts. Tenths of a pixel are whole
/// numbers here, so that steps from one point to the next add up.
std::string path(const Points &points, double left, double bottom, const Axis &x, const Axis &y) {
    constexpr double tenths = 10;
    const auto at_x = [&](double v) { return std::lround((left + v / x.end * plot_width) * tenths); };
    const auto at_y = [&](double v) {
        return std::lround((bottom - std::clamp(v / y.end, 0.0, 1.0) * plot_height) * tenths);
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
    go(at_x(x.end));
    return out;
}

std::string stroke_classes(std::size_t line) {
    return "line s" + std::to_string(line % strokes.size()) + " d" + std::to_string(line % dashes.size());
}

std::string panel(const Plot &plot, const Panel &of, const Axis &x, double left, double top, bool x_title) {
    double most = 0;
    for (const auto &line : of.lines)
        for (const auto &point : line) most = std::max(most, point.second);
    constexpr double y_ticks = 4;
    const Axis y(most, of.unit, y_ticks);
    const double bottom = top + panel_top + plot_height;
    left += labels;
    std::string out = text_at(left, top + panel_top - 12, "panel", shortened(of.title, title_columns));
    for (double v = 0; v < y.end + y.step / 2; v += y.step) {
        const double at = bottom - v / y.end * plot_height;
        out += "<path class=\"" + std::string(v == 0 ? "axis" : "grid") + "\" d=\"M" + number(left) + " " + number(at) +
               "h" + number(plot_width) + "\"/>\n" + text_at(left - 6, at + 4, "end", y.label(v));
    }
    for (double v = 0; v <= x.end * (1 + 1e-9); v += x.step) {
        const double at = left + v / x.end * plot_width;
        out += "<path class=\"axis\" d=\"M" + number(at) + " " + number(bottom) + "v4\"/>\n" +
               text_at(at, bottom + 17, "middle", x.label(v));
    }
    if (x_title) out += text_at(left + plot_width / 2, bottom + 34, "middle", plot.x_title);
    for (std::size_t i = 0; i < of.lines.size(); ++i)
        if (!of.lines[i].empty())
            out += "<path class=\"" + stroke_classes(i) + "\" d=\"" + path(of.lines[i], left, bottom, x, y) + "\"/>\n";
    return out;
}

std::string style() {
    std::string light, dark;
    for (std::size_t i = 0; i < strokes.size(); ++i) {
        light += ".s" + std::to_string(i) + "{stroke:" + strokes[i].light + "}";
        dark += ".s" + std::to_string(i) + "{stroke:" + strokes[i].dark + "}";
    }
    for (std::size_t i = 1; i < dashes.size(); ++i)
        light += ".d" + std::to_string(i) + "{stroke-dasharray:" + dashes[i] + "}";
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
        out += "<path class=\"" + stroke_classes(i) + "\" d=\"M" + number(x) + " " + number(y - 4) + "h" +
               number(sample) + "\"/>\n" + text_at(x + sample + 8, y, "name", name);
        x += takes;
    }
    y += line_height / 2;
    return out;
}

}  // namespace

std::string to_svg(const Plot &plot) {
    double most = 0;
    for (const auto &of : plot.panels)
        for (const auto &line : of.lines)
            if (!line.empty()) most = std::max(most, line.back().first);
    constexpr double x_ticks = 5;
    Axis x(most, plot.x_unit, x_ticks);
    if (most > 0) x.end = most;  // what comes after it is no part of the picture
    double y = title_height + line_height / 2;
    auto body = text_at(edge + labels, title_height - 14, "title", plot.title) + legend(plot, y);
    for (std::size_t i = 0; i < plot.panels.size(); ++i) {
        const bool last_row = i + 2 >= plot.panels.size();
        body += panel(plot, plot.panels[i], x, edge + static_cast<double>(i % 2) * panel_width, y, last_row);
        if (i % 2 == 1 || i + 1 == plot.panels.size()) y += panel_height;
    }
    const auto size = number(width) + " " + number(y + edge);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" role=\"img\">\n<title>" +
           escaped(plot.title) + "</title>\n" + style() + "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n" +
           body + "</svg>\n";
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
