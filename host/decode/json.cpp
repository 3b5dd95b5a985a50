// SPDX-License-Identifier: Apache-2.0
#include "decode/json.h"

#include "decode/json_text.h"
#include "decode/origin.h"

#include <simdjson.h>

#include <vector>

namespace berth::decode {
namespace dom = simdjson::dom;

struct JsonParser::State {
    dom::parser parser;
    std::vector<berth_kv> parts;  ///< members and items of the collections that are open

    simdjson::error_code parse(std::string_view text, std::string &padded, dom::element &root);
    std::optional<berth_value> convert(dom::element element, model::Arena &arena, std::size_t depth,
                                       Path leave_out = {});
    std::optional<berth_value> convert_array(dom::array array, model::Arena &arena, std::size_t depth);
    std::optional<berth_value> convert_object(dom::object object, model::Arena &arena, std::size_t depth,
                                              Path leave_out);
};

simdjson::error_code JsonParser::State::parse(std::string_view text, std::string &padded, dom::element &root) {
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded.append(text).append(simdjson::SIMDJSON_PADDING, '\0');
    parts.clear();
    return parser.parse(padded.data(), text.size(), false).get(root);
}

/// Nothing when the value is not one that is read; find_json_fault says why.
std::optional<berth_value> JsonParser::State::convert(dom::element element, model::Arena &arena, std::size_t depth,
                                                      Path leave_out) {
    switch (element.type()) {
        case dom::element_type::ARRAY: return convert_array(element.get_array().value_unsafe(), arena, depth + 1);
        case dom::element_type::OBJECT:
            return convert_object(element.get_object().value_unsafe(), arena, depth + 1, leave_out);
        case dom::element_type::INT64: return model::make_int(element.get_int64().value_unsafe());
        case dom::element_type::UINT64:
            return model::make_double(static_cast<double>(element.get_uint64().value_unsafe()));
        case dom::element_type::DOUBLE: return model::make_double(element.get_double().value_unsafe());
        case dom::element_type::STRING: return model::make_string(arena, element.get_string().value_unsafe());
        case dom::element_type::BOOL: return model::make_bool(element.get_bool().value_unsafe());
        case dom::element_type::NULL_VALUE: return model::make_null();
    }
    return std::nullopt;
}

std::optional<berth_value> JsonParser::State::convert_array(dom::array array, model::Arena &arena, std::size_t depth) {
    if (depth > most_levels) return std::nullopt;
    std::size_t first = parts.size();
    for (auto item : array) {
        auto value = convert(item, arena, depth);
        if (!value) return std::nullopt;
        parts.push_back({{}, *value});
    }
    std::size_t n = parts.size() - first;
    auto *items = arena.array<berth_value>(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = parts[first + i].value;
    parts.resize(first);
    return berth_value{BERTH_VALUE_ARRAY, 0, static_cast<std::int64_t>(n), items};
}

std::optional<berth_value> JsonParser::State::convert_object(dom::object object, model::Arena &arena, std::size_t depth,
                                                             Path leave_out) {
    if (depth > most_levels) return std::nullopt;
    std::size_t first = parts.size();
    for (auto member : object) {
        bool on_path = !leave_out.empty() && member.key == leave_out.front();
        if (on_path && leave_out.size() == 1) continue;
        auto value = convert(member.value, arena, depth, on_path ? leave_out.subspan(1) : Path{});
        if (!value) return std::nullopt;
        parts.push_back({model::to_str(arena.copy(member.key)), *value});
    }
    std::size_t n = parts.size() - first;
    if (repeated_key(parts.data() + first, n)) return std::nullopt;
    auto *members = arena.array<berth_kv>(n);
    std::copy_n(parts.data() + first, n, members);
    parts.resize(first);
    return berth_value{BERTH_VALUE_OBJECT, 0, static_cast<std::int64_t>(n), members};
}

namespace {

JsonRefusal why_not(std::string_view text, const std::string &file, Mark start, simdjson::error_code error) {
    if (auto fault = find_json_fault(text)) {
        std::string message = where(file, mark_at(text, fault->offset, start)) + ": " + fault->text;
        if (fault->before) message += "; it stands first at " + where(file, mark_at(text, *fault->before, start));
        return JsonRefusal{std::move(message), fault->syntax};
    }
    return JsonRefusal{where(file, start) + ": cannot be read as JSON: " + simdjson::error_message(error), true};
}

}  // namespace

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::JsonParser(JsonParser &&) noexcept = default;
JsonParser::~JsonParser() = default;

std::optional<JsonRefusal> JsonParser::parse(std::string_view text, const std::string &file, Mark start,
                                             Lacking lacking, Document &out) {
    std::string padded;
    dom::element root;
    auto error = state_->parse(text, padded, root);
    auto tree = std::make_shared<model::Tree>();
    if (!error) {
        if (auto value = state_->convert(root, tree->arena, 0)) {
            tree->root = *value;
            auto added = complete_object(*tree, lacking.api_version, lacking.kind);
            out.tree = std::move(tree);
            out.file = file;
            out.origin = std::make_shared<const Origin>(std::move(padded), text.size(), start, added);
            return std::nullopt;
        }
    }
    return why_not(text, file, start, error);
}

std::optional<JsonRefusal> JsonParser::take_apart(std::string_view text, const std::string &file, Path leave_out,
                                                  std::vector<Part> &out) {
    std::string padded;
    dom::element root;
    auto error = state_->parse(text, padded, root);
    if (error) return why_not(text, file, {1, 1}, error);
    dom::object object;
    if (root.get(object)) return JsonRefusal{where(file, {1, 1}) + ": expected a JSON object", false};
    auto add = [&](std::string_view key, bool item, dom::element element) {
        auto tree = std::make_shared<model::Tree>();
        auto value = state_->convert(element, tree->arena, item ? 2 : 1, leave_out);
        if (value) {
            tree->root = *value;
            out.push_back({std::string(key), item, std::move(tree)});
        }
        return value.has_value();
    };
    for (auto member : object) {
        bool right = true;
        dom::array list;
        if (member.value.get(list)) right = add(member.key, false, member.value);
        else
            for (auto item : list) right = right && add(member.key, true, item);
        if (!right) return why_not(text, file, {1, 1}, error);
    }
    return std::nullopt;
}

}  // namespace berth::decode
