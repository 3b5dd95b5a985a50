// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The arguments of PodTopologySpread, defaulted and validated.

#include <berth/label_syntax.hpp>
#include <berth/plugin.hpp>

#include <array>

namespace kubernetes {

/// Checks one of defaultConstraints: the types of its fields, then what upstream checks, in its words.
inline void check_default_constraint(berth::Value c, const std::string &path, const berth::ArgsReader &args) {
    static constexpr std::array<std::string_view, 8> fields{
        "maxSkew",    "topologyKey",    "whenUnsatisfiable",  "labelSelector",
        "minDomains", "matchLabelKeys", "nodeAffinityPolicy", "nodeTaintsPolicy"};
    if (!c.is_object()) return args.error(path, "expected an object, got " + std::string(berth::kind_name(c)));
    for (std::size_t i = 0; i < c.size(); ++i)
        if (std::find(fields.begin(), fields.end(), c.key(i)) == fields.end())
            args.error(path + "." + std::string(c.key(i)),
                       "unknown field; a constraint has maxSkew, topologyKey and "
                       "whenUnsatisfiable, and may have minDomains, "
                       "nodeAffinityPolicy, nodeTaintsPolicy and matchLabelKeys");
    auto expect = [&](const char *field, bool right, const char *what) {
        if (!c[field].is_null() && !right)
            args.error(path + "." + field,
                       std::string("expected ") + what + ", got " + std::string(berth::kind_name(c[field])));
    };
    for (const auto *field : {"maxSkew", "minDomains"}) expect(field, c[field].integer().has_value(), "a whole number");
    for (const auto *field : {"topologyKey", "whenUnsatisfiable", "nodeAffinityPolicy", "nodeTaintsPolicy"})
        expect(field, c[field].is_string(), "a string");
    expect("matchLabelKeys", c["matchLabelKeys"].is_array(), "a list");

    auto skew = c["maxSkew"].integer().value_or(0);
    if (skew <= 0 && (c["maxSkew"].is_null() || c["maxSkew"].integer()))
        args.error(path + ".maxSkew", "Invalid value: " + std::to_string(skew) + ": not in valid range (0, inf)");
    auto key = c["topologyKey"].string();
    if (key.empty()) args.error(path + ".topologyKey", "Required value: can not be empty");
    else if (auto fault = berth::label_key_fault(key); !fault.empty())
        args.error(path + ".topologyKey", "Invalid value: " + berth::json_quote(key) + ": " + fault);
    auto action = c["whenUnsatisfiable"].string();
    if (action.empty()) args.error(path + ".whenUnsatisfiable", "Required value: can not be empty");
    else if (action != "DoNotSchedule" && action != "ScheduleAnyway")
        args.error(path + ".whenUnsatisfiable", "Unsupported value: " + berth::json_quote(action) +
                                                    ": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"");
    if (!c["labelSelector"].is_null())
        args.error(path + ".labelSelector",
                   "Forbidden: constraint must not define a selector, as they deduced for each pod");
}

/// Defaults and checks PodTopologySpread's arguments.
inline void default_spread_args(berth::ArgsReader &args) {
    auto list = args.field("defaultConstraints"), type = args.field("defaultingType");
    if (!list.is_null() && !list.is_array())
        args.error("defaultConstraints", "expected a list, got " + std::string(berth::kind_name(list)));
    if (!type.is_null() && !type.is_string())
        args.error("defaultingType", "expected a string, got " + std::string(berth::kind_name(type)));
    auto word = type.string().empty() ? std::string_view("System") : type.string();
    if (word != "System" && word != "List")
        args.error("defaultingType",
                   "Unsupported value: " + berth::json_quote(word) + ": supported values: \"System\", \"List\"");
    else if (word == "System" && list.size() > 0)
        args.error("defaultingType", "Invalid value: \"System\": when .defaultConstraints are not empty");
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto path = "defaultConstraints[" + std::to_string(i) + "]";
        check_default_constraint(list.at(i), path, args);
        auto pair = [&](std::size_t k) {
            auto c = list.at(k);
            return "{" + std::string(c["topologyKey"].string()) + ", " + std::string(c["whenUnsatisfiable"].string()) +
                   "}";
        };
        for (std::size_t k = 0; k < i; ++k)
            if (pair(k) == pair(i)) {
                args.error(path, "Duplicate value: " + berth::json_quote(pair(i)));
                break;
            }
    }
    args.set("defaultConstraints", list.is_null() ? "[]" : berth::json(list));
    args.set("defaultingType", berth::json_quote(word));
}

}  // namespace kubernetes
