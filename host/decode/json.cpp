// SPDX-License-Identifier: Apache-2.0
#include "decode/json.h"

#include "decode/go_json.h"
#include "decode/json_text.h"
#include "decode/source_map.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace berth::decode {
namespace dom = simdjson::dom;

struct JsonParser::State {
    dom::parser parser;
    std::vector<berth_kv> parts;  ///< members and items of the collections that are open

    simdjson::error_code parse(std::string_view text, std::string &padded, dom::element &root);
    std::optional<berth_value> convert(dom::element element, model::Arena &arena, JsonRules rules, std::size_t depth,
                                       Path leave_out = {});
    std::optional<berth_value> convert_array(dom::array array, model::Arena &arena, JsonRules rules, std::size_t depth);
    std::optional<berth_value> convert_object(dom::object object, model::Arena &arena, JsonRules rules,
                                              std::size_t depth, Path leave_out);
};

namespace {

/// simdjson reads no more than 1,024 levels, so that recursion is bounded by Go's rules, too.
bool too_deep(JsonRules rules, std::size_t depth) { return rules == JsonRules::Strict && depth > most_levels; }

}  // namespace

simdjson::error_code JsonParser::State::parse(std::string_view text, std::string &padded, dom::element &root) {
    padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    padded.append(text).append(simdjson::SIMDJSON_PADDING, '\0');
    parts.clear();
    return parser.parse(padded.data(), text.size(), false).get(root);
}

/// Nothing when the value is not one that is read; find_json_fault says why.
std::optional<berth_value> JsonParser::State::convert(dom::element element, model::Arena &arena, JsonRules rules,
                                                      std::size_t depth, Path leave_out) {
    switch (element.type()) {
        case dom::element_type::ARRAY:
            return convert_array(element.get_array().value_unsafe(), arena, rules, depth + 1);
        case dom::element_type::OBJECT:
            return convert_object(element.get_object().value_unsafe(), arena, rules, depth + 1, leave_out);
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

std::optional<berth_value> JsonParser::State::convert_array(dom::array array, model::Arena &arena, JsonRules rules,
                                                            std::size_t depth) {
    if (too_deep(rules, depth)) return std::nullopt;
    std::size_t first = parts.size();
    for (auto item : array) {
        auto value = convert(item, arena, rules, depth);
        if (!value) return std::nullopt;
        parts.push_back({{}, *value});
    }
    std::size_t n = parts.size() - first;
    auto *items = arena.array<berth_value>(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = parts[first + i].value;
    parts.resize(first);
    return berth_value{BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
}

std::optional<berth_value> JsonParser::State::convert_object(dom::object object, model::Arena &arena, JsonRules rules,
                                                             std::size_t depth, Path leave_out) {
    if (too_deep(rules, depth)) return std::nullopt;
    std::size_t first = parts.size();
    for (auto member : object) {
        bool on_path = !leave_out.empty() && member.key == leave_out.front();
        if (on_path && leave_out.size() == 1) continue;
        auto value = convert(member.value, arena, rules, depth, on_path ? leave_out.subspan(1) : Path{});
        if (!value) return std::nullopt;
        parts.push_back({model::to_str(arena.copy(member.key)), *value});
    }
    std::size_t n = parts.size() - first;
    if (rules == JsonRules::AsGo) n = keep_last_of_each_key(parts.data() + first, n);
    else if (repeated_key(parts.data() + first, n)) return std::nullopt;
    auto *members = arena.array<berth_kv>(n);
    std::copy_n(parts.data() + first, n, members);
    parts.resize(first);
    return berth_value{BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
}

namespace {

JsonRefusal why_not(std::string_view text, const std::string &file, Position start, simdjson::error_code error) {
    if (auto fault = find_json_fault(text)) {
        std::string message = where(file, position_at(text, fault->offset, start)) + ": " + fault->text;
        if (fault->before) message += "; it stands first at " + where(file, position_at(text, *fault->before, start));
        return JsonRefusal{std::move(message), fault->syntax};
    }
    return JsonRefusal{where(file, start) + ": cannot be read as JSON: " + simdjson::error_message(error), true};
}

/// Its place in a text without lines, as servers write it, is the column.
std::string text_of(const GoJsonFault &fault, std::string_view text) {
    return "at byte " + std::to_string(fault.offset + 1) + " of " + std::to_string(text.size()) + ": " + fault.text;
}

/// What an object that cannot be read is called and which version of it that is, if so much can be read.
void keep_metadata(std::string_view object, JsonParser::Path leave_out, model::Tree &out) {
    const auto text = find_member(object, "metadata");
    berth_value metadata{};
    const bool on_path = !leave_out.empty() && leave_out.front() == "metadata";
    if (text.empty() || read_go_json(text, on_path ? leave_out.subspan(1) : JsonParser::Path{}, out.arena, metadata))
        return;
    out.root = model::make_object(out.arena, {{model::to_str("metadata"), metadata}});
}

/// Of a key that comes again the parts of its last member stay.
class LastOfEachKey {
    std::map<std::string_view, std::size_t> last_;  ///< number of the member
    std::vector<std::size_t> member_;               ///< of each part
    std::size_t members_ = 0;

public:
    void begin(std::string_view key) { last_[key] = ++members_; }
    void add_part() { member_.push_back(members_); }
    /// `parts` are those that were added.
    void keep(std::vector<JsonParser::Part> &parts) {
        if (last_.size() == members_) return;
        std::size_t i = 0;
        std::erase_if(parts, [&](const JsonParser::Part &part) { return member_[i++] != last_.at(part.key); });
    }
};

}  // namespace

JsonParser::JsonParser() : state_(std::make_unique<State>()) {}
JsonParser::JsonParser(JsonParser &&) noexcept = default;
JsonParser::~JsonParser() = default;

std::optional<std::string> JsonParser::read(std::string_view text, Path leave_out, model::Tree &out) {
    std::string padded;
    dom::element root;
    if (!state_->parse(text, padded, root)) {
        out.root = state_->convert(root, out.arena, JsonRules::AsGo, 0, leave_out).value_or(model::make_null());
        return std::nullopt;
    }
    if (auto fault = read_go_json(text, leave_out, out.arena, out.root)) return text_of(*fault, text);
    return std::nullopt;
}

std::optional<JsonRefusal> JsonParser::parse(std::string_view text, const std::string &file, Position start,
                                             Lacking lacking, Document &out, JsonRules rules) {
    auto tree = std::make_shared<model::Tree>();
    if (rules == JsonRules::AsGo) {
        if (auto fault = read(text, {}, *tree)) return JsonRefusal{where(file, start) + ": " + *fault, true};
        complete_object(*tree, lacking.api_version, lacking.kind);
        auto source_map =
            std::make_shared<const SourceMap>(std::vector<Position>(position_count(tree->value()), start));
        out = {std::move(tree), file, std::move(source_map)};
        return std::nullopt;
    }
    std::string padded;
    dom::element root;
    auto error = state_->parse(text, padded, root);
    if (!error) {
        if (auto value = state_->convert(root, tree->arena, rules, 0)) {
            tree->root = *value;
            auto added = complete_object(*tree, lacking.api_version, lacking.kind);
            out.tree = std::move(tree);
            out.file = file;
            out.source_map = std::make_shared<const SourceMap>(std::move(padded), text.size(), start, added);
            return std::nullopt;
        }
    }
    return why_not(text, file, start, error);
}

/// One part after the other, so that only those that are strange are read slowly, and one that cannot be read costs no
/// other.
bool JsonParser::take_apart_slowly(std::string_view text, Path leave_out, std::vector<Part> &out) {
    LastOfEachKey last;
    auto add = [&](std::string_view key, bool item, std::string_view value) {
        last.add_part();
        auto tree = std::make_shared<model::Tree>();
        auto fault = read(value, leave_out, *tree);
        if (fault) keep_metadata(value, leave_out, *tree);
        out.push_back({std::string(key), item, std::move(tree), fault.value_or("")});
    };
    bool whole = true;
    whole &= cut_object(text, [&](std::string_view literal, std::string_view value) {
        const auto key = literal.substr(1, literal.size() - 2);
        last.begin(key);
        if (value.front() != '[') return add(key, false, value);
        whole &= cut_list(value, [&](std::string_view, std::string_view one) { add(key, true, one); });
    });
    last.keep(out);
    return whole;
}

std::optional<JsonRefusal> JsonParser::take_apart(std::string_view text, const std::string &file, Path leave_out,
                                                  std::vector<Part> &out) {
    // Of a larger one simdjson's notes would take many times its size.
    constexpr std::size_t at_once = std::size_t{16} << 20;
    std::string padded;
    dom::element root;
    dom::object object;
    auto error = text.size() <= at_once ? state_->parse(text, padded, root) : simdjson::CAPACITY;
    if (!error && root.get(object)) return JsonRefusal{where(file, {1, 1}) + ": expected a JSON object", false};
    if (error) {
        if (take_apart_slowly(text, leave_out, out)) return std::nullopt;
        return why_not(text, file, {1, 1}, error);
    }
    LastOfEachKey last;
    auto add = [&](std::string_view key, bool item, dom::element element) {
        last.add_part();
        auto tree = std::make_shared<model::Tree>();
        tree->root = state_->convert(element, tree->arena, JsonRules::AsGo, 0, leave_out).value_or(model::make_null());
        out.push_back({std::string(key), item, std::move(tree), {}});
    };
    for (auto member : object) {
        last.begin(member.key);
        dom::array list;
        if (member.value.get(list)) add(member.key, false, member.value);
        else
            for (auto item : list) add(member.key, true, item);
    }
    last.keep(out);
    return std::nullopt;
}

}  // namespace berth::decode
