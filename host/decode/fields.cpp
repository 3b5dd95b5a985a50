// SPDX-License-Identifier: Apache-2.0
#include "decode/fields.h"

#include "decode/did_you_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth::decode {

std::string FieldError::message() const {
    return where(file, position) + ": " + (path.empty() ? "" : path + ": ") + text;
}

std::string messages(FieldErrors errors) {
    std::stable_sort(errors.begin(), errors.end(), [](const FieldError &a, const FieldError &b) {
        return std::pair{a.position.line, a.position.column} < std::pair{b.position.line, b.position.column};
    });
    std::string text;
    for (const auto &e : errors) (text += text.empty() ? "" : "\n") += e.message();
    return text;
}

std::string_view kind_name(model::Value v) {
    switch (v.kind()) {
        case BERTH_VALUE_BOOL: return "a boolean";
        case BERTH_VALUE_INT:
        case BERTH_VALUE_DOUBLE: return "a number";
        case BERTH_VALUE_STRING: return "a string";
        case BERTH_VALUE_ARRAY: return "a list";
        case BERTH_VALUE_OBJECT: return "an object";
        default: return v ? "null" : "nothing";
    }
}

Fields::Fields(const Document &document, FieldErrors &errors) : Fields(document, document.value(), {}, errors) {}

Fields::Fields(const Document &document, model::Value value, std::string path, FieldErrors &errors)
    : document_(&document), value_(value), path_(std::move(path)), errors_(&errors) {
    if (!value_.is_null()) expect(value_.is_object(), value_, path_, "an object");
}

model::Value Fields::any(std::string_view name) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
    return value_[name];
}

/// The member unless it is null.
model::Value Fields::find(std::string_view name) {
    auto v = any(name);
    return v.is_null() ? model::Value{} : v;
}

std::string Fields::path_of(std::string_view name) const {
    std::string path = path_;
    if (!path.empty() && !name.empty()) path += '.';
    return path += name;
}

void Fields::error_at(model::Value v, std::string path, std::string text) {
    errors_->push_back({document_->file, document_->position(v), std::move(path), std::move(text)});
}

void Fields::error(std::string_view name, std::string text) {
    auto member = name.empty() ? value_ : any(name);
    error_at(member ? member : value_, path_of(name), std::move(text));
}

bool Fields::expect(bool right, model::Value v, const std::string &path, std::string_view expected) {
    if (!right) error_at(v, path, "expected " + std::string{expected} + ", got " + std::string{decode::kind_name(v)});
    return right;
}

bool Fields::has(std::string_view name) { return static_cast<bool>(find(name)); }

std::optional<std::string> Fields::string(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.is_string(), v, path_of(name), "a string")) return std::nullopt;
    return std::string{v.string()};
}

std::optional<bool> Fields::boolean(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.boolean().has_value(), v, path_of(name), "true or false")) return std::nullopt;
    return v.boolean();
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t least, std::int64_t most,
                                            std::string_view expected) {
    auto v = find(name);
    if (!v || !expect(v.number().has_value(), v, path_of(name), expected)) return std::nullopt;
    auto n = v.integer();
    double d = v.number().value_or(0);
    // 1e3 and 2.0 are integers too, as long as a double says them exactly.
    if (!n && std::trunc(d) == d && std::abs(d) <= 0x1p53) n = static_cast<std::int64_t>(d);
    if (n && *n >= least && *n <= most) return n;
    bool fraction = !n && std::trunc(d) != d;
    error_at(v, path_of(name),
             fraction ? "expected " + std::string{expected} + ", got a number with a fraction"
                      : "expected " + std::string{expected} + " from " + std::to_string(least) + " to " +
                            std::to_string(most) + (n ? ", got " + std::to_string(*n) : ", got a larger number"));
    return std::nullopt;
}

std::optional<std::int32_t> Fields::int32(std::string_view name) {
    using Limits = std::numeric_limits<std::int32_t>;
    auto n = integer(name, Limits::min(), Limits::max(), "an integer");
    return n ? std::optional{static_cast<std::int32_t>(*n)} : std::nullopt;
}

std::optional<std::int64_t> Fields::int64(std::string_view name) {
    using Limits = std::numeric_limits<std::int64_t>;
    return integer(name, Limits::min(), Limits::max(), "an integer");
}

std::optional<double> Fields::number(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.number().has_value(), v, path_of(name), "a number")) return std::nullopt;
    return v.number();
}

std::optional<std::chrono::nanoseconds> Fields::duration(std::string_view name) {
    auto v = find(name);
    constexpr std::string_view expected = "a duration such as \"15s\" or \"1m30s\"";
    if (!v || !expect(v.is_string(), v, path_of(name), expected)) return std::nullopt;
    auto d = parse_duration(v.string());
    if (!d)
        error_at(v, path_of(name), "expected " + std::string{expected} + ", got \"" + std::string{v.string()} + '"');
    return d;
}

std::vector<model::Value> Fields::list(std::string_view name) {
    auto v = find(name);
    std::vector<model::Value> items;
    if (!v || !expect(v.is_array(), v, path_of(name), "a list")) return items;
    for (std::size_t i = 0; i < v.size(); ++i) items.push_back(v.at(i));
    return items;
}

std::vector<std::string> Fields::strings(std::string_view name) {
    std::vector<std::string> all;
    std::size_t i = 0;
    for (auto item : list(name)) {
        if (expect(item.is_string(), item, path_of(name) + '[' + std::to_string(i++) + ']', "a string"))
            all.emplace_back(item.string());
    }
    return all;
}

std::optional<std::map<std::string, std::string>> Fields::string_map(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.is_object(), v, path_of(name), "an object")) return std::nullopt;
    std::map<std::string, std::string> all;
    for (std::size_t i = 0; i < v.size(); ++i) {
        std::string key{v.key(i)};
        if (expect(v.member(i).is_string(), v.member(i), path_of(name) + '.' + key, "a string"))
            all.emplace(std::move(key), v.member(i).string());
    }
    return all;
}

std::optional<std::map<std::string, bool>> Fields::bool_map(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.is_object(), v, path_of(name), "an object")) return std::nullopt;
    std::map<std::string, bool> all;
    for (std::size_t i = 0; i < v.size(); ++i) {
        std::string key{v.key(i)};
        const auto value = v.member(i).boolean();
        if (expect(value.has_value(), v.member(i), path_of(name) + '.' + key, "true or false"))
            all.emplace(std::move(key), *value);
    }
    return all;
}

std::optional<Fields> Fields::object(std::string_view name) {
    auto v = find(name);
    if (!v || !expect(v.is_object(), v, path_of(name), "an object")) return std::nullopt;
    return Fields{*document_, v, path_of(name), *errors_};
}

std::vector<Fields> Fields::objects(std::string_view name) {
    std::vector<Fields> all;
    std::size_t i = 0;
    for (auto item : list(name)) {
        auto path = path_of(name) + '[' + std::to_string(i++) + ']';
        if (expect(item.is_object(), item, path, "an object")) all.emplace_back(*document_, item, path, *errors_);
    }
    return all;
}

void Fields::finish() {
    for (std::size_t i = 0; i < value_.size(); ++i) {
        auto name = value_.key(i);
        if (!value_.is_object() || std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        errors_->push_back({document_->file, document_->key_position(value_.member(i)), path_of(name),
                            "unknown field" + did_you_mean(name, known_)});
    }
}

}  // namespace berth::decode
