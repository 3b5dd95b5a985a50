// SPDX-License-Identifier: Apache-2.0
#include "config/gate_flags.h"

#include "decode/trimmed.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>

namespace berth::config {
namespace {

constexpr std::string_view spaces = " \t\n\v\f\r", kube = "kube";

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> out;
    for (;;) {
        const auto end = text.find(at);
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return out;
        text.remove_prefix(end + 1);
    }
}

/// As Go's %q.
std::string in_go_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        constexpr std::string_view plain = "\a\b\f\n\r\t\v\\\"", letters = "abfnrtv\\\"", digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (const auto at = plain.find(c); at != std::string_view::npos) (out += '\\') += letters[at];
        else if (byte < ' ' || byte == 0x7f) ((out += "\\x") += digits[byte / 16]) += digits[byte % 16];
        else out += c;
    }
    return out + '"';
}

/// A version as apimachinery's util/version has it.
struct WholeVersion {
    std::vector<std::uint64_t> components;
    std::string more;  ///< "-alpha.1+build", of a semantic version

    MinorVersion minor() const { return {components[0], components[1]}; }
    std::uint64_t patch() const { return components.size() < 3 ? 0 : components[2]; }
    std::string text() const {
        std::string out;
        for (const auto n : components) out += (out.empty() ? "" : ".") + std::to_string(n);
        return out + more;
    }
};

/// The numbers at the beginning of a version.
std::vector<std::string_view> numbers_of(std::string_view &rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::vector<std::string_view> out;
    for (;;) {
        const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
        if (end == 0) return out;
        out.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
        if (rest.size() < 2 || rest[0] != '.' || rest[1] < '0' || rest[1] > '9') return out;
        rest.remove_prefix(1);
    }
}

bool has_leading_zero(std::string_view number) { return number.size() > 1 && number[0] == '0'; }

/// What follows the numbers of a semantic version; nothing if it is none.
std::optional<std::string> semantic_rest(std::string_view rest) {
    static const std::regex form(R"((-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?)");
    constexpr std::size_t longest = 256;  // std::regex takes stack for each character
    rest = decode::trimmed(rest);
    if (rest.size() > longest || !std::regex_match(rest.begin(), rest.end(), form)) return std::nullopt;
    const auto pre = rest.substr(0, rest.find('+'));
    if (!pre.empty())
        for (const auto part : split(pre.substr(1), '.'))
            if (has_leading_zero(part) && part.find_first_not_of("0123456789") == std::string_view::npos)
                return std::nullopt;
    return std::string(rest);
}

model::Result<WholeVersion> parse_version(std::string_view text) {
    auto rest = text;
    const auto numbers = numbers_of(rest);
    if (numbers.empty()) return model::Error{"could not parse " + in_go_quotes(text) + " as version"};
    if (numbers.size() < 2) return model::Error{"illegal version string " + in_go_quotes(text)};
    WholeVersion out;
    bool semantic = numbers.size() == 3;
    for (const auto number : numbers) {
        semantic = semantic && !has_leading_zero(number);
        if (out.components.empty() && has_leading_zero(number))
            return model::Error{"illegal zero-prefixed version component " + in_go_quotes(number) + " in " +
                                in_go_quotes(text)};
        std::uint64_t n = 0;
        if (std::from_chars(number.data(), number.data() + number.size(), n).ec != std::errc{})
            return model::Error{"illegal non-numeric version component " + in_go_quotes(number) + " in " +
                                in_go_quotes(text) + ": strconv.ParseUint: parsing " + in_go_quotes(number) +
                                ": value out of range"};
        out.components.push_back(n);
    }
    if (semantic) out.more = semantic_rest(rest).value_or("");
    return out;
}

/// The versions of one flag, by component.
model::Result<std::map<std::string, WholeVersion>> versions_of(const std::vector<std::string> &given) {
    std::map<std::string, WholeVersion> out;
    for (const auto &all : given) {
        if (all.empty()) continue;
        for (const auto one : split(all, ',')) {
            std::string component(kube);
            auto text = one;
            if (const auto equals = one.find('='); equals != std::string_view::npos) {
                component = decode::trimmed(one.substr(0, equals));
                text = decode::trimmed(one.substr(equals + 1));
            }
            auto version = parse_version(text);
            if (!version) return version.error();
            if (version->patch() != 0)
                return model::Error{"patch version not allowed, got: " + component + "=" + version->text()};
            const auto [at, fresh] = out.try_emplace(component, *version);
            if (!fresh)
                return model::Error{"duplicate version flag, " + component + "=" + at->second.text() + " and " +
                                    component + "=" + version->text()};
        }
    }
    for (const auto &[component, version] : out)
        if (component != kube) return model::Error{"component not registered: " + component};
    return out;
}

/// As strconv.ParseBool.
std::optional<bool> boolean(std::string_view text) {
    for (const auto *yes : {"1", "t", "T", "TRUE", "true", "True"})
        if (text == yes) return true;
    for (const auto *no : {"0", "f", "F", "FALSE", "false", "False"})
        if (text == no) return false;
    return std::nullopt;
}

}  // namespace

MinorVersion minor_version(std::string_view text) {
    const auto version = parse_version(text);
    return version ? version->minor() : MinorVersion{};
}

std::string text(MinorVersion version) { return std::to_string(version.major) + "." + std::to_string(version.minor); }

void Versions::emulate(MinorVersion version) {
    emulated = version;
    compatible = std::max(MinorVersion{version.major, version.minor > 0 ? version.minor - 1 : 0}, oldest);
}

Versions Versions::of(MinorVersion release) {
    constexpr std::uint64_t behind = 3;  // that upstream can emulate
    Versions out;
    out.oldest = {release.major, release.minor > behind ? release.minor - behind : 0};
    out.emulate(release);
    return out;
}

model::Result<void> read_versions(const GateFlags &flags, Versions &versions) {
    const auto emulated = versions_of(flags.emulated);
    if (!emulated) return model::Error{"--emulated-version: " + emulated.error().text};
    for (const auto &[component, version] : *emulated) versions.emulate(version.minor());
    const auto compatible = versions_of(flags.compatible);
    if (!compatible) return model::Error{"--min-compatibility-version: " + compatible.error().text};
    for (const auto &[component, version] : *compatible) versions.compatible = version.minor();
    return {};
}

model::Result<void> check_range(const GateFlags &flags, const Versions &versions, const std::string &release) {
    const auto newest = minor_version(release);
    std::vector<std::string> errors;
    if (versions.emulated > newest || versions.emulated < versions.oldest)
        errors.push_back("emulation version " + text(versions.emulated) + " is not between [" + text(versions.oldest) +
                         ", " + text(newest) + ".0]");
    if (versions.compatible > versions.emulated || versions.compatible < versions.oldest)
        errors.push_back("minCompatibilityVersion version " + text(versions.compatible) + " is not between [" +
                         text(versions.oldest) + ", " + text(versions.emulated) + "]");
    if (errors.empty()) return {};
    return model::Error{(flags.emulated.empty() ? "--min-compatibility-version: " : "--emulated-version: ") +
                        aggregate(errors)};
}

model::Result<std::map<std::string, bool>> read_gates(const GateFlags &flags) {
    std::map<std::string, std::vector<std::string>, std::less<>> components;
    for (const auto &all : flags.gates)
        for (const auto pair : split(all, ',')) {
            if (pair.empty()) continue;
            const auto colon = pair.find(':');
            const bool named = colon != std::string_view::npos;
            components[std::string(named ? decode::trimmed(pair.substr(0, colon)) : "")].emplace_back(
                decode::trimmed(named ? pair.substr(colon + 1) : pair));
        }
    auto wrong = [](const std::string &text) { return model::Error{"--feature-gates: " + text}; };
    if (components.contains("") && components.contains(kube))
        return wrong("set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use");
    std::map<std::string, bool> out;
    for (const auto &[component, entries] : components) {
        if (!component.empty() && component != kube) return wrong("component not registered: " + component);
        for (const std::string_view entry : entries) {
            if (entry.empty()) continue;
            const auto equals = entry.find('=');
            const auto name = std::string(decode::trimmed(entry.substr(0, equals)));
            if (equals == std::string_view::npos) return wrong("missing bool value for " + name);
            const auto text = decode::trimmed(entry.substr(equals + 1));
            const auto value = boolean(text);
            if (!value)
                return wrong("invalid value of " + name + "=" + std::string(text) +
                             ", err: strconv.ParseBool: parsing " + in_go_quotes(text) + ": invalid syntax");
            out[name] = *value;
        }
    }
    return out;
}

std::string aggregate(const std::vector<std::string> &errors) {
    if (errors.size() == 1) return errors.front();
    std::string out = "[";
    for (const auto &error : errors) out += (out.size() == 1 ? "" : ", ") + error;
    return out + ']';
}

}  // namespace berth::config
