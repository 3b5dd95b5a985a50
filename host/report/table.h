// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Tables, numbers and amounts as text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// How many columns of a terminal the text takes: wide characters (Chinese, Japanese, Korean) take two.
std::size_t display_width(std::string_view utf8);

/// The text on one line and without what a terminal would obey (terminal_text.h).
std::string printable(std::string_view text);

/// At most so many bytes of the UTF-8 text, without half a character at the end; "…" stands for the rest.
std::string clipped(std::string_view utf8, std::size_t most);

/// "8,152".
std::string grouped(std::uint64_t n);
/// "1 pod", "2,000 pods".
std::string plural(std::uint64_t n, const char *noun);
/// Long tables are cut to so many rows, and then end with a line of cut_off().
inline constexpr std::size_t rows_shown = 20;
/// "  … and 3 more nodes (--all shows them)", as a line.
std::string cut_off(std::uint64_t left, const char *what);

/// Bytes with a binary unit, as in "15.6Gi".
std::string bytes_text(std::int64_t bytes);

/// milli-CPU as CPUs, as in "1.5" or "32".
std::string cpu_text(std::int64_t milli);

/// "37%"; "-" when there is nothing to take a share of.
std::string percent(std::int64_t part, std::int64_t whole);

/// Columns aligned by two blanks, as kubectl prints them. A column whose title begins with '>' is set to the right
/// (without the mark).
class Table {
    std::vector<std::vector<std::string>> rows_;

public:
    explicit Table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::size_t size() const { return rows_.size() - 1; }
    /// The lines, each ending in a newline; `indent` blanks before each.
    std::string text(std::size_t indent = 0) const;
};

}  // namespace berth::report
