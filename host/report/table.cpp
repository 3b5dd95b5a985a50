// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include "report/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace berth::report {
namespace {

/// The code point at `i`, which is moved past it. Bytes that are not UTF-8 count as one each.
char32_t next(std::string_view s, std::size_t &i) {
    auto byte = static_cast<unsigned char>(s[i++]);
    int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
    char32_t c = more == 0 ? byte : byte & (0x3fu >> more);
    for (; more > 0 && i < s.size() && (static_cast<unsigned char>(s[i]) & 0xc0) == 0x80; --more)
        c = (c << 6) | (static_cast<unsigned char>(s[i++]) & 0x3fu);
    return c;
}

struct Range {
    char32_t from, to;
};
// East Asian Wide and Fullwidth blocks (Unicode TR11), as coarse as a terminal needs.
constexpr std::array wide{Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},  Range{0x3041, 0x33ff},
                          Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},  Range{0xa000, 0xa4cf},
                          Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},  Range{0xfe30, 0xfe4f},
                          Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},  Range{0x1f300, 0x1f64f},
                          Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
constexpr std::array narrow{Range{0x300, 0x36f}, Range{0x200b, 0x200f}};  // combining: no width

template <std::size_t N>
bool in(const std::array<Range, N> &ranges, char32_t c) {
    return std::any_of(ranges.begin(), ranges.end(), [c](Range r) { return c >= r.from && c <= r.to; });
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < utf8.size();) {
        auto c = next(utf8, i);
        width += in(narrow, c) ? 0 : in(wide, c) ? 2 : 1;
    }
    return width;
}

std::string printable(std::string_view text) {
    std::string out(text);
    std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    return terminal_text(out);
}

std::string plural(std::uint64_t n, const char *noun) { return grouped(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string cut_off(std::uint64_t left, const char *what) {
    return "  … and " + grouped(left) + " more " + what + " (--all shows them)\n";
}

std::string clipped(std::string_view utf8, std::size_t most) {
    if (utf8.size() <= most) return std::string(utf8);
    while (most > 0 && (static_cast<unsigned char>(utf8[most]) & 0xc0) == 0x80) --most;
    return std::string(utf8.substr(0, most)) + "…";
}

std::string grouped(std::uint64_t n) {
    auto digits = std::to_string(n);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string bytes_text(std::int64_t bytes) {
    static constexpr std::array<const char *, 7> units{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    char text[32];
    bool whole = value >= 100 || value == static_cast<double>(static_cast<std::int64_t>(value));
    std::snprintf(text, sizeof text, whole ? "%.0f%s" : "%.1f%s", value, units[unit]);
    return text;
}

std::string cpu_text(std::int64_t milli) {
    if (milli >= 0 && (milli % 1000 == 0 || milli >= 100'000)) return grouped(static_cast<std::uint64_t>(milli / 1000));
    char text[32];
    std::snprintf(text, sizeof text, milli % 100 == 0 ? "%.1f" : "%.3g", static_cast<double>(milli) / 1000);
    return text;
}

std::string percent(std::int64_t part, std::int64_t whole) {
    if (whole <= 0) return "-";
    return std::to_string(static_cast<std::int64_t>(static_cast<double>(part) * 100.0 / static_cast<double>(whole))) +
           "%";
}

std::string Table::text(std::size_t indent) const {
    std::vector<std::size_t> widths;
    std::vector<bool> right;
    for (const auto &title : rows_[0]) right.push_back(title.starts_with('>'));
    for (const auto &row : rows_) {
        if (widths.size() < row.size()) widths.resize(row.size());
        for (std::size_t c = 0; c < row.size(); ++c) {
            bool mark = &row == &rows_[0] && row[c].starts_with('>');
            widths[c] = std::max(widths[c], display_width(row[c]) - (mark ? 1 : 0));
        }
    }
    std::string out;
    for (const auto &row : rows_) {
        std::string line(indent, ' ');
        for (std::size_t c = 0; c < row.size(); ++c) {
            std::string_view cell = row[c];
            if (&row == &rows_[0] && cell.starts_with('>')) cell.remove_prefix(1);
            std::string pad(widths[c] - display_width(cell), ' ');
            bool to_right = c < right.size() && right[c];
            line += to_right ? pad + std::string(cell) : std::string(cell) + (c + 1 < row.size() ? pad : "");
            if (c + 1 < row.size()) line += "  ";
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        out += line + "\n";
    }
    return out;
}

}  // namespace berth::report
