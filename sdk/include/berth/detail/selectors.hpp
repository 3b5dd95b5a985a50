// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A label selector and a field selector, read and applied to objects. Not for plugin authors.

#include <berth/detail/selector_text.hpp>
#include <berth/json.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::detail {

class Selectors {
    std::vector<Requirement> labels_, fields_;

    /// As a field selector compares it; "" for a field that is absent or no text, number or boolean. `room` may have
    /// it.
    static std::string_view text_of(Value field, std::string &room) {
        if (field.is_string()) return field.string();
        if (field.number()) return room = json(field);
        if (const auto b = field.boolean()) return *b ? "true" : "false";
        return {};
    }
    static Value field_at(Value object, std::string_view path) {
        while (true) {
            const auto dot = path.find('.');
            object = object[path.substr(0, dot)];
            if (dot == path.npos) return object;
            path.remove_prefix(dot + 1);
        }
    }
    static bool is_path(std::string_view key) {
        const auto member = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        };
        bool begins = true;
        for (const char c : key) {
            if (begins ? !member(c) : !member(c) && c != '.') return false;
            begins = c == '.';
        }
        return !begins;
    }

public:
    /// Nullopt: `why` says what is wrong.
    static std::optional<Selectors> read(std::string_view labels, std::string_view fields, std::string &why) {
        Selectors out;
        auto of_labels = read_label_selector(labels, why);
        if (!of_labels) return std::nullopt;
        auto of_fields = SelectorText::read(fields, why);
        if (!of_fields) return std::nullopt;
        // Field selectors have no sets.
        const bool sets = fields.find('(') != fields.npos;
        for (const auto &one : *of_fields) {
            const bool equality = one.op == SelectionOperator::In || one.op == SelectionOperator::NotIn;
            if (sets || !equality || one.values.size() != 1) why = "expected '=', '==' or '!=' in the field selector";
            else if (!is_path(one.key)) why = "field label not supported: " + one.key;
            if (!why.empty()) return std::nullopt;
        }
        out.labels_ = *std::move(of_labels);
        out.fields_ = *std::move(of_fields);
        return out;
    }
    const std::vector<Requirement> &fields() const { return fields_; }
    /// Without the fields.
    Selectors of_labels() const {
        Selectors out;
        out.labels_ = labels_;
        return out;
    }
    /// The only value that the field may have; nullptr if there is none such.
    const std::string *only(std::string_view field) const {
        for (const auto &one : fields_)
            if (one.key == field && one.op == SelectionOperator::In) return &one.values.front();
        return nullptr;
    }
    /// Of an object with that name, by the names that its metadata has; label(key) is the value of its label, or
    /// nullopt.
    template <class Label>
    bool select(std::string_view name_space, std::string_view name, Value object, Label &&label) const {
        std::string room;
        const auto field = [&](const std::string &key) {
            if (key == "metadata.name") return name;
            if (key == "metadata.namespace") return name_space;
            return text_of(field_at(object, key), room);
        };
        return std::all_of(labels_.begin(), labels_.end(), [&](const auto &r) { return r.matches(label(r.key)); }) &&
               std::all_of(fields_.begin(), fields_.end(), [&](const auto &r) { return r.matches(field(r.key)); });
    }
    /// The same by the labels in its metadata.
    bool select(std::string_view name_space, std::string_view name, Value object) const {
        return select(name_space, name, object, [own = object["metadata"]["labels"]](std::string_view key) {
            const auto value = own[key];
            return value.is_string() ? std::optional(value.string()) : std::nullopt;
        });
    }
};

}  // namespace berth::detail
