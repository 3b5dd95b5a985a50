// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The YAML reader of tests. It reads the subset that manifests are written in: block and flow maps and lists, plain
/// and quoted scalars, comments, several documents. Anchors, tags and block scalars (`|`, `>`) are refused, with their
/// line.

#include <berth/value.hpp>

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::testing {

/// Keeps the trees that it made as long as it lives.
class Trees {
    std::deque<std::string> texts_;
    std::deque<std::vector<berth_value>> items_;
    std::deque<std::vector<berth_kv>> members_;
    std::deque<berth_value> roots_;

public:
    Trees() = default;
    Trees(const Trees &) = delete;
    Trees &operator=(const Trees &) = delete;

    berth_str text(std::string_view s) { return to_str(texts_.emplace_back(s)); }
    berth_value string(std::string_view s) {
        auto kept = text(s);
        return {BERTH_VALUE_STRING, 0, {static_cast<std::int64_t>(kept.len)}, {kept.ptr}};
    }
    berth_value list(std::vector<berth_value> items) {
        const auto &kept = items_.emplace_back(std::move(items));
        return {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(kept.size())}, {kept.data()}};
    }
    berth_value map(std::vector<berth_kv> members) {
        const auto &kept = members_.emplace_back(std::move(members));
        return {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(kept.size())}, {kept.data()}};
    }
    const berth_value *root(berth_value value) { return &roots_.emplace_back(value); }
};

/// Reads YAML. Throws std::runtime_error with the line.
class Yaml {
    struct Line {
        std::size_t number, indent;
        std::string text;
    };
    Trees &trees_;
    std::vector<Line> lines_;
    std::size_t at_ = 0;

    Yaml(Trees &trees, std::vector<Line> lines) : trees_(trees), lines_(std::move(lines)) {}

public:
    /// Its documents, those that are empty left out.
    static std::vector<const berth_value *> read(Trees &trees, std::string_view text) {
        std::vector<const berth_value *> out;
        std::vector<Line> document;
        auto end = [&] {
            if (document.empty()) return;
            Yaml reader(trees, std::exchange(document, {}));
            out.push_back(trees.root(reader.all()));
        };
        std::size_t number = 0;
        while (!text.empty()) {
            auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            ++number;
            if (line.starts_with("---")) end();
            else keep(document, number, line);
        }
        end();
        return out;
    }

private:
    [[noreturn]] static void fail(std::size_t line, const std::string &what) {
        throw std::runtime_error("YAML, line " + std::to_string(line) + ": " + what);
    }
    [[noreturn]] void fail(const std::string &what) const {
        fail(lines_[std::min(at_, lines_.size() - 1)].number, what);
    }

    static void keep(std::vector<Line> &into, std::size_t number, std::string_view line) {
        std::size_t indent = 0;
        while (indent < line.size() && line[indent] == ' ') ++indent;
        if (indent < line.size() && line[indent] == '\t') fail(number, "a tab; indent with spaces");
        line.remove_prefix(indent);
        line = line.substr(0, comment(line));
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
        if (!line.empty()) into.push_back({number, indent, std::string(line)});
    }

    /// Calls fn(place, depth of brackets) for each character that is not within quotes, until it answers true.
    template <class Fn>
    static std::size_t scan(std::string_view s, Fn &&fn) {
        char quote = 0;
        int depth = 0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            const char c = s[i];
            if (quote) {
                if (c == '\\' && quote == '"') ++i;
                else if (c == quote) quote = 0;
                continue;
            }
            // A quote opens a scalar only where one can begin.
            if ((c == '"' || c == '\'') && (i == 0 || std::string_view(" {[,:-").find(s[i - 1]) != s.npos)) {
                quote = c;
                continue;
            }
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (fn(i, depth)) return i;
        }
        return quote ? std::string_view::npos : s.size();
    }
    static std::size_t comment(std::string_view s) {
        auto at = scan(s, [&](std::size_t i, int) { return s[i] == '#' && (i == 0 || s[i - 1] == ' '); });
        return std::min(at, s.size());
    }
    /// Where the colon of `key: value` is; npos if the text is none.
    static std::size_t colon(std::string_view s) {
        if (s.starts_with('{') || s.starts_with('[')) return s.npos;
        auto at = scan(s, [&](std::size_t i, int) { return s[i] == ':' && (i + 1 == s.size() || s[i + 1] == ' '); });
        return at == s.size() ? s.npos : at;
    }
    static bool is_item(std::string_view s) { return s == "-" || s.starts_with("- "); }

    berth_value all() {
        auto out = block(lines_.front().indent);
        if (at_ < lines_.size()) fail("this is indented otherwise than what it belongs to");
        return out;
    }
    berth_value block(std::size_t indent) {
        if (is_item(lines_[at_].text)) return items(indent);
        if (colon(lines_[at_].text) != std::string::npos) return members(indent);
        return inline_value(lines_[at_].text);
    }
    berth_value items(std::size_t indent) {
        std::vector<berth_value> out;
        while (at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].text)) {
            std::string_view rest = lines_[at_].text;
            std::size_t offset = 1;
            while (offset < rest.size() && rest[offset] == ' ') ++offset;
            rest.remove_prefix(std::min(offset, rest.size()));
            if (rest.empty()) {
                out.push_back(below(indent));
            } else if (is_item(rest) || colon(rest) != rest.npos) {
                lines_[at_] = {lines_[at_].number, indent + offset, std::string(rest)};
                out.push_back(block(indent + offset));
            } else {
                out.push_back(inline_value(std::string(rest)));
            }
        }
        return trees_.list(std::move(out));
    }
    berth_value members(std::size_t indent) {
        std::vector<berth_kv> out;
        while (at_ < lines_.size() && lines_[at_].indent == indent && !is_item(lines_[at_].text)) {
            const std::string text = lines_[at_].text;
            const auto end = colon(text);
            if (end == std::string::npos) fail("expected `key: value`, found " + text);
            const auto key = scalar_text(std::string_view(text).substr(0, end));
            for (const auto &other : out)
                if (view(other.key) == key) fail("the key " + key + " is given twice");
            auto rest = trimmed(std::string_view(text).substr(end + 1));
            out.push_back({trees_.text(key), rest.empty() ? below(indent) : inline_value(std::string(rest))});
        }
        if (at_ < lines_.size() && lines_[at_].indent > indent)
            fail("this is indented otherwise than what it belongs to");
        return trees_.map(std::move(out));
    }
    /// What belongs to the line at hand, which has only a key or a dash.
    berth_value below(std::size_t indent) {
        const bool was_item = is_item(lines_[at_].text);
        ++at_;
        if (at_ == lines_.size()) return {};
        const auto &next = lines_[at_];
        if (next.indent > indent) return block(next.indent);
        return next.indent == indent && !was_item && is_item(next.text) ? items(indent) : berth_value{};
    }
    /// A value that begins on the line at hand; a flow value may go on in the next ones.
    berth_value inline_value(std::string text) {
        const auto line = lines_[at_].number;
        ++at_;
        if (std::string_view("&*!|>").find(text.front()) != std::string_view::npos)
            fail(line, "anchors, tags and block scalars are not known here: " + text);
        auto open = [&] {
            int depth = 0;
            auto end = scan(text, [&](std::size_t, int d) { return depth = d, false; });
            return end == std::string::npos || depth > 0;
        };
        if (text.front() == '{' || text.front() == '[' || text.front() == '"' || text.front() == '\'')
            while (open() && at_ < lines_.size()) text += ' ' + lines_[at_++].text;
        std::string_view rest = text;
        auto out = flow(rest, line, "");
        if (!trimmed(rest).empty()) fail(line, "this is too much: " + std::string(rest));
        return out;
    }

    static std::string_view trimmed(std::string_view s) {
        while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
        while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
        return s;
    }
    /// Takes a value from the front of `s`; a plain scalar ends before one of `stops`.
    berth_value flow(std::string_view &s, std::size_t line, std::string_view stops) {
        s = trimmed(s);
        if (s.empty()) fail(line, "a value is missing");
        if (s.front() == '[') {
            std::vector<berth_value> out;
            for (s.remove_prefix(1); !closes(s, ']', line);) out.push_back(flow(s, line, ",]"));
            return trees_.list(std::move(out));
        }
        if (s.front() == '{') {
            std::vector<berth_kv> out;
            for (s.remove_prefix(1); !closes(s, '}', line);) {
                const auto key = scalar_text(take(s, line, ":,}"));
                s = trimmed(s);
                if (!s.starts_with(':')) fail(line, "expected a colon after the key " + key);
                s = trimmed(s.substr(1));
                out.push_back(
                    {trees_.text(key), s.starts_with(',') || s.starts_with('}') ? berth_value{} : flow(s, line, ",}")});
            }
            return trees_.map(std::move(out));
        }
        const auto text = take(s, line, stops);
        if (text.starts_with('"') || text.starts_with('\'')) return trees_.string(scalar_text(text));
        return plain(text);
    }
    static bool closes(std::string_view &s, char bracket, std::size_t line) {
        s = trimmed(s);
        if (s.starts_with(',')) s = trimmed(s.substr(1));
        if (s.empty()) fail(line, std::string("a bracket is not closed: ") + bracket);
        if (s.front() != bracket) return false;
        s.remove_prefix(1);
        return true;
    }
    /// The text of a scalar at the front of `s`, with its quotes.
    static std::string_view take(std::string_view &s, std::size_t line, std::string_view stops) {
        std::size_t end = s.size();
        if (s.starts_with('"') || s.starts_with('\'')) {
            for (end = 1; end < s.size() && s[end] != s.front(); ++end)
                if (s[end] == '\\' && s.front() == '"') ++end;
            if (end >= s.size()) fail(line, "a quote is not closed");
            ++end;
        } else {
            for (std::size_t i = 0; i < s.size() && end == s.size(); ++i)
                if (stops.find(s[i]) != stops.npos && (s[i] != ':' || i + 1 == s.size() || s[i + 1] == ' ')) end = i;
        }
        auto out = trimmed(s.substr(0, end));
        s.remove_prefix(end);
        return out;
    }
    /// A scalar without its quotes.
    static std::string scalar_text(std::string_view s) {
        s = trimmed(s);
        if (s.size() < 2 || (s.front() != '"' && s.front() != '\'') || s.back() != s.front()) return std::string(s);
        const bool escapes = s.front() == '"';
        s = s.substr(1, s.size() - 2);
        std::string out;
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (!escapes && s[i] == '\'' && i + 1 < s.size() && s[i + 1] == '\'') ++i;
            if (escapes && s[i] == '\\' && i + 1 < s.size()) {
                const char c = s[++i];
                out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
                continue;
            }
            out += s[i];
        }
        return out;
    }
    berth_value plain(std::string_view s) {
        if (s.empty() || s == "~" || s == "null") return {};
        if (s == "true" || s == "false") return {BERTH_VALUE_BOOL, 0, {s == "true"}, {nullptr}};
        std::int64_t whole = 0;
        const auto *end = s.data() + s.size();
        if (auto [p, e] = std::from_chars(s.data(), end, whole); e == std::errc{} && p == end)
            return {BERTH_VALUE_INT, 0, {whole}, {nullptr}};
        if (s.find_first_not_of("0123456789.eE+-") == s.npos) {
            const std::string text(s);
            char *stop = nullptr;
            const double number = std::strtod(text.c_str(), &stop);
            if (*stop == 0) return {BERTH_VALUE_DOUBLE, 0, {std::bit_cast<std::int64_t>(number)}, {nullptr}};
        }
        return trees_.string(s);
    }
};

}  // namespace berth::testing
