// SPDX-License-Identifier: Apache-2.0
#include "semver.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>

namespace kubernetes::cel {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }
bool numeric(std::string_view text) { return std::ranges::all_of(text, is_digit); }
bool alphanumeric(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return is_digit(c) || is_letter(c); });
}
bool leading_zero(std::string_view text) { return text.size() > 1 && text.front() == '0'; }

/// Go's strings.SplitN(text, ".", 3).
std::vector<std::string> split3(std::string_view text) {
    std::vector<std::string> parts;
    while (parts.size() < 2) {
        auto dot = text.find('.');
        if (dot == std::string_view::npos) break;
        parts.emplace_back(text.substr(0, dot));
        text.remove_prefix(dot + 1);
    }
    parts.emplace_back(text);
    return parts;
}

std::string read_uint(std::string_view text, std::uint64_t &into) {
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error == std::errc::result_out_of_range)
        return "strconv.ParseUint: parsing " + quoted(text) + ": value out of range";
    if (error != std::errc{}) return "strconv.ParseUint: parsing " + quoted(text) + ": invalid syntax";
    return {};
}

/// `name` begins the sentence with a capital letter, `within` does not.
std::string read_part(std::string_view name, std::string_view within, std::string_view text, std::uint64_t &into) {
    if (!numeric(text)) return "Invalid character(s) found in " + std::string{within} + " number " + quoted(text);
    if (leading_zero(text)) return std::string{name} + " number must not contain leading zeroes " + quoted(text);
    return read_uint(text, into);
}

std::string read_pre_release(std::string_view text, Semver::PreRelease &into) {
    if (text.empty()) return "Prerelease is empty";
    if (numeric(text)) {
        if (leading_zero(text)) return "Numeric PreRelease version must not contain leading zeroes " + quoted(text);
        return read_uint(text, into.number);
    }
    if (!alphanumeric(text)) return "Invalid character(s) found in prerelease " + quoted(text);
    into.text = text;
    return {};
}

/// Calls `read` with each part between dots until it returns an error.
template <typename Read>
std::string each_part(std::string_view text, Read read) {
    for (;;) {
        const auto dot = text.find('.');
        if (auto error = read(text.substr(0, dot)); !error.empty()) return error;
        if (dot == std::string_view::npos) return {};
        text.remove_prefix(dot + 1);
    }
}

int sign_of(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

int compare_pre_release(const Semver::PreRelease &a, const Semver::PreRelease &b) {
    if (a.text.empty() != b.text.empty()) return a.text.empty() ? -1 : 1;
    if (a.text.empty()) return sign_of(a.number <=> b.number);
    return sign_of(a.text <=> b.text);
}

}  // namespace

std::string_view escape_of(char32_t character) {
    switch (character) {
        case '\a': return "\\a";
        case '\b': return "\\b";
        case '\f': return "\\f";
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        case '\v': return "\\v";
        case '\\': return "\\\\";
        case '"': return "\\\"";
        default: return {};
    }
}

std::string quoted(std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    std::string result = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (const auto escape = escape_of(byte); !escape.empty()) result += escape;
        else if (byte < 0x20 || byte == 0x7f) (result += "\\x") += {hex[byte >> 4], hex[byte & 15]};
        else result += c;
    }
    return result + '"';
}

std::string Semver::parse(std::string_view text, Semver &into) {
    into = Semver{};
    into.size = text.size();
    if (text.empty()) return "Version string empty";
    const auto parts = split3(text);
    if (parts.size() != 3) return "No Major.Minor.Patch elements found";
    if (auto error = read_part("Major", "major", parts[0], into.major); !error.empty()) return error;
    if (auto error = read_part("Minor", "minor", parts[1], into.minor); !error.empty()) return error;
    std::string_view patch = parts[2];
    std::string_view build;
    std::string_view pre;
    const auto plus = patch.find('+');
    if (plus != std::string_view::npos) build = patch.substr(plus + 1), patch = patch.substr(0, plus);
    const auto dash = patch.find('-');
    if (dash != std::string_view::npos) pre = patch.substr(dash + 1), patch = patch.substr(0, dash);
    if (auto error = read_part("Patch", "patch", patch, into.patch); !error.empty()) return error;
    if (dash != std::string_view::npos) {
        auto error = each_part(pre, [&](auto part) { return read_pre_release(part, into.pre_release.emplace_back()); });
        if (!error.empty()) return error;
    }
    if (plus == std::string_view::npos) return {};
    return each_part(build, [&](auto part) -> std::string {
        if (part.empty()) return "Build meta data is empty";
        if (!alphanumeric(part)) return "Invalid character(s) found in build meta data " + quoted(part);
        into.build.emplace_back(part);
        return {};
    });
}

std::string Semver::parse_normalized(std::string_view text, Semver &into) {
    if (text.starts_with('v')) text.remove_prefix(1);
    auto parts = split3(text);
    for (auto &part : parts) {
        if (part.size() < 2) continue;
        part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
        if (part.empty() || !is_digit(part.front())) part.insert(part.begin(), '0');
    }
    if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos)
        return "short version cannot contain PreRelease/Build meta data";
    while (parts.size() < 3) parts.emplace_back("0");
    return parse(parts[0] + '.' + parts[1] + '.' + parts[2], into);
}

int Semver::compare(const Semver &other) const {
    for (auto part : {&Semver::major, &Semver::minor, &Semver::patch})
        if (this->*part != other.*part) return this->*part > other.*part ? 1 : -1;
    if (pre_release.empty() || other.pre_release.empty())
        return static_cast<int>(pre_release.empty()) - static_cast<int>(other.pre_release.empty());
    for (std::size_t i = 0; i < pre_release.size() && i < other.pre_release.size(); ++i)
        if (const int order = compare_pre_release(pre_release[i], other.pre_release[i]); order != 0) return order;
    return sign_of(pre_release.size() <=> other.pre_release.size());
}

std::string Semver::printed() const {
    std::string result = std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
    for (std::size_t i = 0; i < pre_release.size(); ++i) {
        result += i == 0 ? '-' : '.';
        result += pre_release[i].text.empty() ? std::to_string(pre_release[i].number) : pre_release[i].text;
    }
    for (std::size_t i = 0; i < build.size(); ++i) (result += i == 0 ? '+' : '.') += build[i];
    return result;
}

}  // namespace kubernetes::cel
