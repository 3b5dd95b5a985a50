// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors (metav1.LabelSelector), parsed once and matched against label sets.

#include <berth/args.hpp>
#include <berth/requirement.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

/// matchLabels and matchExpressions, all of which must hold. An empty selector matches everything, and so does an
/// absent one: an argument that is left out restricts nothing. (In the fields of Kubernetes' own objects an absent
/// selector often means nothing.)
class LabelSelector {
    using Op = SelectionOperator;
    struct Requirement {
        std::string key;
        std::optional<Op> op;  ///< nullopt: of an unknown name; it never holds
        std::vector<std::string> values;
    };
    std::vector<Requirement> all_;

public:
    bool empty() const { return all_.empty(); }

    /// Parses `v`; every fault is given to `fault(path, text)`, path being below the selector. What `v` says is copied.
    template <class Fault>
    static LabelSelector parse(Value v, Fault &&fault) {
        LabelSelector s;
        if (v.is_null()) return s;
        if (!v.is_object()) {
            fault(std::string(),
                  "expected an object with matchLabels or matchExpressions, got " + std::string(kind_name(v)));
            return s;
        }
        for (std::size_t i = 0; i < v.size(); ++i)
            if (v.key(i) != "matchLabels" && v.key(i) != "matchExpressions")
                fault(std::string(v.key(i)), std::string("unknown field; expected matchLabels or matchExpressions"));
        s.parse_labels(v["matchLabels"], fault);
        s.parse_expressions(v["matchExpressions"], fault);
        return s;
    }

    bool matches(std::span<const berth_label> labels) const {
        return all_hold([&](std::string_view key) { return find_label(labels, key); });
    }
    /// Labels as they stand in an object: node.at("/metadata/labels").
    bool matches(Value labels) const {
        return all_hold([&](std::string_view key) {
            const Value label = labels[key];
            return label.is_string() ? std::optional(label.string()) : std::nullopt;
        });
    }

    /// An argument that is a selector, in default_args(): reports what is wrong with it and keeps it as it is.
    static LabelSelector read(ArgsReader &args, const std::string &name) {
        Value v = args.field(name);
        auto s = parse(v, [&](const std::string &path, const std::string &text) {
            args.error(path.empty() ? name : name + "." + path, text);
        });
        if (!v.is_null()) args.set(name, json(v));
        return s;
    }
    /// The same argument in the constructor.
    static LabelSelector read(Args args, std::string_view name) {
        return parse(args[name], [](const auto &, const auto &) {});
    }

private:
    template <class Find>
    bool all_hold(Find &&find) const {
        return std::all_of(all_.begin(), all_.end(),
                           [&](const Requirement &r) { return r.op && holds(*r.op, find(r.key), r.values); });
    }

    template <class Fault>
    void parse_labels(Value labels, Fault &&fault) {
        if (!labels.is_null() && !labels.is_object())
            fault(std::string("matchLabels"), "expected an object, got " + std::string(kind_name(labels)));
        for (std::size_t i = 0; i < labels.size(); ++i) {
            if (!labels.member(i).is_string())
                fault("matchLabels." + std::string(labels.key(i)),
                      "expected a string, got " + std::string(kind_name(labels.member(i))));
            all_.push_back({std::string(labels.key(i)), Op::In, {std::string(labels.member(i).string())}});
        }
    }

    template <class Fault>
    void parse_expressions(Value list, Fault &&fault) {
        if (!list.is_null() && !list.is_array())
            fault(std::string("matchExpressions"), "expected a list, got " + std::string(kind_name(list)));
        for (std::size_t i = 0; i < list.size(); ++i) {
            Value e = list.at(i);
            std::string path = "matchExpressions[" + std::to_string(i) + "]";
            auto op = e["operator"].string();
            Requirement r{std::string(e["key"].string()), label_selector_operator(op), {}};
            if (!r.op)
                fault(path + ".operator", "must be one of In, NotIn, Exists, DoesNotExist; got " + json_quote(op));
            if (r.key.empty()) fault(path + ".key", std::string("required"));
            for (std::size_t k = 0; k < e["values"].size(); ++k) r.values.emplace_back(e["values"].at(k).string());
            const bool needs = !r.op || r.op == Op::In || r.op == Op::NotIn;
            if (needs && r.values.empty()) fault(path + ".values", std::string("must not be empty for In and NotIn"));
            if (!needs && !r.values.empty())
                fault(path + ".values", std::string("must be empty for Exists and DoesNotExist"));
            all_.push_back(std::move(r));
        }
    }
};

}  // namespace berth
