// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include "utf8.h"

#include <algorithm>

namespace kubernetes::cel {

namespace {

constexpr std::size_t most_issues = 100;
constexpr std::size_t longest_snippet = 16384;

}  // namespace

Source::Source(std::string_view text) {
    for (auto code : utf8::decode(text)) {
        characters_ += code;
        if (code == '\n') lines_.push_back(static_cast<std::uint32_t>(characters_.size()));
    }
}

std::string Source::text(std::uint32_t begin, std::uint32_t end) const {
    std::string result;
    for (auto i = begin; i < end; ++i) utf8::append(result, characters_[i]);
    return result;
}

Source::Place Source::place(std::uint32_t position) const {
    const auto next = std::ranges::upper_bound(lines_, position);
    return {static_cast<std::uint32_t>(next - lines_.begin()), position - *(next - 1)};
}

std::u32string_view Source::line(std::uint32_t number) const {
    const std::u32string_view all = characters_;
    const auto begin = lines_[number - 1];
    return all.substr(begin, number < lines_.size() ? lines_[number] - 1 - begin : std::u32string_view::npos);
}

void Issues::add(std::uint32_t position, std::string text) {
    if (++count_ <= most_issues) issues_.push_back({position, std::move(text)});
}

std::string Issues::shown(const Issue &issue) const {
    if (issue.position == nowhere) return "ERROR: <input>:-1:0: " + issue.text;
    const auto [line, column] = source_.place(issue.position);
    std::string result =
        "ERROR: <input>:" + std::to_string(line) + ':' + std::to_string(column + 1) + ": " + issue.text;
    std::string snippet;
    const auto characters = source_.line(line);
    for (auto code : characters) utf8::append(snippet, code == '\t' ? U' ' : code);
    if (snippet.size() > longest_snippet) return result;
    result += "\n | " + snippet + "\n | ";
    for (std::size_t i = 0; i < column && i < characters.size(); ++i) result += characters[i] < 0x80 ? "." : "\uff0e";
    return result + (column < characters.size() && characters[column] >= 0x80 ? "\uff3e" : "^");
}

std::string Issues::text() const {
    auto sorted = issues_;
    // What is nowhere comes first.
    std::ranges::stable_sort(sorted, {}, [](const Issue &issue) { return issue.position + 1; });
    std::string result;
    for (const auto &issue : sorted) {
        if (!result.empty()) result += '\n';
        result += shown(issue);
    }
    if (count_ > most_issues) result += '\n' + std::to_string(count_ - most_issues) + " more errors were truncated";
    return result;
}

}  // namespace kubernetes::cel
