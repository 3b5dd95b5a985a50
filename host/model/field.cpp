// SPDX-License-Identifier: Apache-2.0
#include "model/field.h"

#include "model/name.h"
#include "model/time.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace berth::model {
namespace {

/// The value as a message shows it.
std::string shown(Value value) {
    switch (value.kind()) {
        case BERTH_VALUE_BOOL: return *value.boolean() ? "true" : "false";
        case BERTH_VALUE_INT: return std::to_string(*value.integer());
        case BERTH_VALUE_DOUBLE: {
            std::array<char, 32> text{};
            auto end = std::to_chars(text.data(), text.data() + text.size(), *value.number()).ptr;
            return {text.data(), end};
        }
        case BERTH_VALUE_STRING: {
            const auto text = value.string();
            if (text.size() <= 80) return '"' + std::string(text) + '"';
            return '"' + std::string(text.substr(0, 77)) + "…\"";
        }
        case BERTH_VALUE_ARRAY: return "a list";
        case BERTH_VALUE_OBJECT: return "an object";
        default: return "null";
    }
}

bool plain_key(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

std::string_view derived_uid(Arena &arena, std::string_view kind, std::string_view name_space, std::string_view name) {
    __extension__ using Hash = unsigned __int128;
    constexpr Hash prime = (Hash{1} << 88) + 0x13b;
    Hash hash = (Hash{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
    auto take = [&](std::string_view part) {
        for (char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
        hash = (hash ^ '/') * prime;
    };
    take(kind);
    take(name_space);
    take(name);
    const auto high = static_cast<std::uint64_t>(hash >> 64), low = static_cast<std::uint64_t>(hash);
    std::string text = "00000000-0000-8000-0000-000000000000";
    auto put = [&](std::size_t at, std::size_t width, std::uint64_t number) {
        for (; width > 0; number >>= 4) text[at + --width] = "0123456789abcdef"[number & 0xf];
    };
    put(0, 8, high >> 32);
    put(9, 4, high >> 16);
    put(15, 3, high);
    put(19, 4, (low >> 48 & 0x3fff) | 0x8000);
    put(24, 12, low);
    return arena.copy(text);
}

}  // namespace

std::string Field::path() const {
    if (!from_) return {};
    auto path = from_->path();
    if (name_.data() == nullptr) return path + '[' + std::to_string(index_) + ']';
    if (!plain_key(name_)) return path + '[' + std::string(name_) + ']';
    if (!path.empty()) path += '.';
    return path.append(name_);
}

void Field::fault(std::string text) const {
    auto place = path();
    if (!faults_->seen.insert(place + ": " + text).second) return;
    if (*faults_->sink) (*faults_->sink)(value_, std::move(place), std::move(text));
}

void Field::expected(std::string_view what) const { fault("expected " + std::string(what) + ", got " + shown(value_)); }

std::size_t Field::items() const {
    if (present() && !value_.is_array()) expected("a list");
    return value_.is_array() ? value_.size() : 0;
}

std::size_t Field::members() const {
    object();
    return value_.is_object() ? value_.size() : 0;
}

const Field &Field::object() const {
    if (present() && !value_.is_object()) expected("an object");
    return *this;
}

std::string_view Field::string() const {
    if (present() && !value_.is_string()) {
        const bool scalar = !value_.is_array() && !value_.is_object();
        expected(scalar ? "a string (put it in quotes)" : "a string");
    }
    return value_.string();
}

bool Field::boolean() const {
    if (present() && !value_.boolean()) expected("true or false");
    return value_.is_true();
}

std::optional<std::int64_t> Field::integer(std::int64_t least, std::int64_t most) const {
    if (!present()) return std::nullopt;
    auto n = value_.integer();
    if (n && *n >= least && *n <= most) return n;
    if (n) expected("a number from " + std::to_string(least) + " to " + std::to_string(most));
    else expected("a whole number");
    return std::nullopt;
}

std::optional<std::int64_t> Field::time() const {
    if (!present()) return std::nullopt;
    auto ns = parse_time(value_.string());
    if (!ns) expected("a time like 2026-01-01T00:00:00Z");
    return ns;
}

std::string_view Field::choice(std::initializer_list<std::string_view> allowed) const {
    const auto text = string();
    if (text.empty() || std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
    std::string what = "one of ";
    for (auto name : allowed) (what += name) += name == *(allowed.end() - 1) ? "" : ", ";
    expected(what);
    return {};
}

std::span<const berth_label> read_labels(Arena &arena, const Field &map) {
    const auto count = map.members();
    auto *labels = arena.array<berth_label>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto label = map.member(i);
        labels[i] = {to_str(label.key()), to_str(label.string())};
    }
    std::sort(labels, labels + count,
              [](const berth_label &a, const berth_label &b) { return view(a.key) < view(b.key); });
    return {labels, count};
}

Identity read_identity(Arena &arena, const Field &metadata, std::string_view kind, bool namespaced, NameRule rule) {
    const auto name = metadata.object()["name"], name_space = metadata["namespace"], uid = metadata["uid"];
    Identity id{name.string(), namespaced ? name_space.string() : std::string_view{}, uid.string()};
    if (!name.present()) name.fault("a name is required");
    else if (rule == NameRule::PathSegment && name.value().is_string() && !path_segment(id.name))
        name.expected("a name without '/' and '%'");
    else if (rule == NameRule::Subdomain && name.value().is_string() && !dns_subdomain(id.name))
        name.expected("a name of at most 253 lower case letters, digits, '-' and '.'");
    if (namespaced && id.name_space.empty()) id.name_space = "default";
    else if (namespaced && !dns_label(id.name_space))
        name_space.expected("a namespace of at most 63 lower case letters, digits and '-'");
    if (id.uid.empty()) id.uid = derived_uid(arena, kind, id.name_space, id.name);
    return id;
}

}  // namespace berth::model
