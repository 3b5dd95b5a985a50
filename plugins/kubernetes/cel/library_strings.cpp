// SPDX-License-Identifier: Apache-2.0
// CEL's functions of strings, such as indexOf, replace, split, matches.
#include "functions.h"
#include "regex.h"
#include "semver.h"
#include "utf8.h"

#include <algorithm>
#include <cstring>

namespace kubernetes::cel {

namespace {

using Characters = std::vector<char32_t>;

Characters characters_of(Work &work, const Value &value) {
    work.charge(1 + value.text().size() / 4);
    return utf8::decode(value.text());
}

std::string text_of(std::span<const char32_t> characters) {
    std::string text;
    for (auto each : characters) utf8::append(text, each);
    return text;
}

Value out_of_range(std::int64_t index) { return Value::error("index out of range: " + std::to_string(index)); }
bool within(std::int64_t index, const Characters &characters) {
    return index >= 0 && index <= static_cast<std::int64_t>(characters.size());
}

Value char_at(Work &work, Arguments arguments) {
    const auto characters = characters_of(work, arguments[0]);
    const auto index = arguments[1].integer();
    if (!within(index, characters)) return out_of_range(index);
    if (index == static_cast<std::int64_t>(characters.size())) return Value::of_string({});
    return Value::of_string(text_of(std::span{characters}.subspan(static_cast<std::size_t>(index), 1)));
}

/// The first position of `part`, or npos. The time grows with the sum of the sizes; find of the standard library takes
/// their product.
std::size_t place_of(std::string_view part, std::string_view text) {
    const auto *found = static_cast<const char *>(::memmem(text.data(), text.size(), part.data(), part.size()));
    return found ? static_cast<std::size_t>(found - text.data()) : std::string_view::npos;
}

/// The work of this search is the product of the sizes.
void charge_search(Work &work, const Characters &text, const Characters &part) {
    work.charge(1 + text.size() * (1 + part.size()) / 16);
}

bool stands_at(const Characters &text, const Characters &part, std::int64_t at) {
    return std::equal(part.begin(), part.end(), text.begin() + at);
}

Value index_of(Work &work, Arguments arguments) {
    const auto from = arguments.size() > 2 ? arguments[2].integer() : 0;
    const auto part = characters_of(work, arguments[1]);
    if (part.empty()) return Value::of_int(from);
    const auto text = characters_of(work, arguments[0]);
    if (from < 0) return out_of_range(from);
    charge_search(work, text, part);
    for (auto at = from; at <= static_cast<std::int64_t>(text.size()) - static_cast<std::int64_t>(part.size()); ++at)
        if (stands_at(text, part, at)) return Value::of_int(at);
    return Value::of_int(-1);
}

Value last_index_of(Work &work, Arguments arguments) {
    const auto text = characters_of(work, arguments[0]);
    const auto part = characters_of(work, arguments[1]);
    const auto length = static_cast<std::int64_t>(text.size());
    const bool whole = arguments.size() == 2;
    if (part.empty()) return Value::of_int(whole ? length : arguments[2].integer());
    if (whole && arguments[0].text().size() < arguments[1].text().size()) return Value::of_int(-1);
    const auto from = whole ? length - 1 : arguments[2].integer();
    if (from < 0) return out_of_range(from);
    if (from >= length) return Value::of_int(-1);
    charge_search(work, text, part);
    for (auto at = std::min(from, length - static_cast<std::int64_t>(part.size())); at >= 0; --at)
        if (stands_at(text, part, at)) return Value::of_int(at);
    return Value::of_int(-1);
}

template <char First, char Last, int Shift>
Value shifted(Work &work, Arguments arguments) {
    work.charge(1 + arguments[0].text().size() / 4);
    // Go makes U+FFFD of what is no UTF-8.
    auto text = text_of(utf8::decode(arguments[0].text()));
    for (char &c : text)
        if (c >= First && c <= Last) c = static_cast<char>(c + Shift);
    return Value::of_string(std::move(text));
}

/// `most` < 0: all of them. An empty `old` matches before each character and at the end.
Value replaced(Work &work, const std::string &text, const std::string &old, const std::string &with,
               std::int64_t most) {
    work.charge(1 + (text.size() + old.size()) / 4);
    std::string result;
    std::string_view rest = text;
    for (std::int64_t count = 0; most < 0 || count < most; ++count) {
        std::size_t at = 0;
        if (!old.empty()) at = place_of(old, rest);
        else if (count > 0) at = rest.empty() ? std::string_view::npos : utf8::first(rest).bytes;
        if (at == std::string_view::npos) break;
        work.charge_bytes(at + with.size());
        (result += rest.substr(0, at)) += with;
        rest.remove_prefix(at + old.size());
    }
    return Value::of_string(result += rest);
}

Value replace(Work &work, Arguments arguments) {
    const auto most = arguments.size() > 3 ? arguments[3].integer() : -1;
    if (arguments[1].text() == arguments[2].text()) return arguments[0];
    return replaced(work, arguments[0].text(), arguments[1].text(), arguments[2].text(), most);
}

Value split(Work &work, Arguments arguments) {
    const auto &separator = arguments[1].text();
    const auto most = arguments.size() > 2 ? arguments[2].integer() : -1;
    std::string_view rest = arguments[0].text();
    work.charge(1 + (rest.size() + separator.size()) / 4);
    std::vector<Value> parts;
    if (most == 0 || (separator.empty() && rest.empty())) return Value::of_list({});
    const auto add = [&](std::string_view part) {
        constexpr std::uint64_t object = 4;
        work.charge(object + part.size() / 16);
        parts.push_back(Value::of_string(separator.empty() ? text_of(utf8::decode(part)) : std::string{part}));
    };
    while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
        std::size_t at = 0;
        if (separator.empty())
            at = utf8::first(rest).bytes < rest.size() ? utf8::first(rest).bytes : std::string_view::npos;
        else at = place_of(separator, rest);
        if (at == std::string_view::npos) break;
        add(rest.substr(0, at));
        rest.remove_prefix(at + separator.size());
    }
    work.charge(1 + rest.size() / 16);
    parts.push_back(Value::of_string(std::string{rest}));
    return Value::of_list(std::move(parts));
}

Value substring(Work &work, Arguments arguments) {
    const auto characters = characters_of(work, arguments[0]);
    const auto begin = arguments[1].integer();
    const auto end = arguments.size() > 2 ? arguments[2].integer() : static_cast<std::int64_t>(characters.size());
    if (arguments.size() > 2 && begin > end)
        return Value::error("invalid substring range. start: " + std::to_string(begin) +
                            ", end: " + std::to_string(end));
    if (!within(begin, characters)) return out_of_range(begin);
    if (!within(end, characters)) return out_of_range(end);
    return Value::of_string(
        text_of(std::span{characters}.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))));
}

/// Go's unicode.IsSpace.
bool is_space(char32_t c) {
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

Value trim(Work &work, Arguments arguments) {
    const auto characters = characters_of(work, arguments[0]);
    const auto first = std::ranges::find_if_not(characters, is_space);
    auto last = characters.end();
    while (last != first && is_space(*(last - 1))) --last;
    return Value::of_string(text_of(std::span{first, last}));
}

Value quote(Work &work, Arguments arguments) {
    std::string result = "\"";
    for (auto c : characters_of(work, arguments[0])) {
        if (const auto escape = escape_of(c); !escape.empty()) result += escape;
        else utf8::append(result, c);
    }
    return Value::of_string(result + '"');
}

Value join(Work &work, Arguments arguments) {
    std::string result;
    const auto &items = arguments[0].list().items;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0 && arguments.size() > 1) {
            work.charge_bytes(arguments[1].text().size());
            result += arguments[1].text();
        }
        if (!items[i].is(Kind::String)) return Value::error("join: invalid input: " + printed(work, items[i]));
        work.charge_bytes(items[i].text().size());
        result += items[i].text();
    }
    return Value::of_string(std::move(result));
}

/// contains, startsWith and endsWith look at their arguments themselves.
template <bool (*Holds)(std::string_view text, std::string_view part)>
Value has_part(Work &work, Arguments arguments) {
    if (!arguments[0].is(Kind::String) || !arguments[1].is(Kind::String)) return Value::no_such_overload();
    work.charge_bytes(arguments[0].text().size() + arguments[1].text().size());
    return Value::of_bool(Holds(arguments[0].text(), arguments[1].text()));
}
bool has_within(std::string_view text, std::string_view part) { return place_of(part, text) != std::string_view::npos; }
bool has_before(std::string_view text, std::string_view part) { return text.starts_with(part); }
bool has_behind(std::string_view text, std::string_view part) { return text.ends_with(part); }

Value matches(Work &work, Arguments arguments) {
    if (!arguments[1].is(Kind::String)) return Value::no_such_overload();
    Regex regex;
    if (auto error = Regex::compile(work, arguments[1].text(), regex); !error.empty()) return Value::error(error);
    return Value::of_bool(regex.matches(work, arguments[0].text()));
}

Value find(Work &work, Arguments arguments) {
    Regex regex;
    if (auto error = Regex::compile(work, arguments[1].text(), regex); !error.empty())
        return Value::error("Illegal regex: " + error);
    return Value::of_string(regex.find(work, arguments[0].text()));
}

Value find_all(Work &work, Arguments arguments) {
    Regex regex;
    if (auto error = Regex::compile(work, arguments[1].text(), regex); !error.empty())
        return Value::error("Illegal regex: " + error);
    const auto most = arguments.size() > 2 ? arguments[2].integer() : -1;
    return Value::of_list(regex.find_all(work, arguments[0].text(), most));
}

bool is_string(const Value &value) { return value.is(Kind::String); }

}  // namespace

void add_strings(FunctionTable &table) {
    const auto *const string = types::string_type();
    const auto *const integer = types::int_type();
    const auto *const truth = types::bool_type();
    const auto *const strings = list_of(string);

    table.add("charAt").member({string, integer}, string, char_at);
    table.add("indexOf")
        .member({list_of(param_a()), param_a()}, integer, list_index_of)
        .member({string, string}, integer, index_of)
        .member({string, string, integer}, integer, index_of)
        .cost = Cost::Traversal;
    table.add("lastIndexOf")
        .member({list_of(param_a()), param_a()}, integer, list_last_index_of)
        .member({string, string}, integer, last_index_of)
        .member({string, string, integer}, integer, last_index_of)
        .cost = Cost::Traversal;
    table.add("lowerAscii").member({string}, string, shifted<'A', 'Z', 'a' - 'A'>).cost = Cost::Size;
    table.add("upperAscii").member({string}, string, shifted<'a', 'z', 'A' - 'a'>).cost = Cost::Size;
    table.add("replace")
        .member({string, string, string}, string, replace)
        .member({string, string, string, integer}, string, replace)
        .cost = Cost::TwiceSize;
    table.add("split").member({string, string}, strings, split).member({string, string, integer}, strings, split).cost =
        Cost::TwiceSize;
    table.add("substring")
        .member({string, integer}, string, substring)
        .member({string, integer, integer}, string, substring)
        .cost = Cost::Size;
    table.add("trim").member({string}, string, trim).cost = Cost::Size;
    table.add("strings.quote").global({string}, string, quote, Cost::Size);
    table.add("join").member({strings}, string, join).member({strings, string}, string, join).cost = Cost::ResultSize;

    table.add("contains").member({string, string}, truth, has_part<has_within>, Cost::Product).guarded = false;
    table.add("startsWith").member({string, string}, truth, has_part<has_before>, Cost::Size).guarded = false;
    table.add("endsWith").member({string, string}, truth, has_part<has_behind>, Cost::Size).guarded = false;

    auto &match = table.add("matches");
    match.global({string, string}, truth).member({string, string}, truth, nullptr, Cost::Regex);
    match.run = matches;
    match.takes = is_string;
    table.add("find").member({string, string}, string, find).cost = Cost::Regex;
    table.add("findAll")
        .member({string, string}, strings, find_all)
        .member({string, string, integer}, strings, find_all)
        .cost = Cost::Regex;
}

}  // namespace kubernetes::cel
