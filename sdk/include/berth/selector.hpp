// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors (metav1.LabelSelector), parsed once and matched against label sets. The rules and the texts of
/// faults are those of Kubernetes 1.36 (apimachinery/pkg/apis/meta/v1, LabelSelectorAsSelector).

#include <berth/args.hpp>
#include <berth/requirement.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

/// Everything, nothing, or requirements that must all hold. A field of a Kubernetes object and an argument of a plugin
/// differ in what it means that they are absent: a field selects nothing, an argument that is left out restricts
/// nothing.
class LabelSelector {
    bool nothing_ = false;
    std::vector<Requirement> all_;

public:
    static LabelSelector everything() { return {}; }
    static LabelSelector nothing() {
        LabelSelector s;
        s.nothing_ = true;
        return s;
    }

    /// A field of a Kubernetes object: an absent one selects nothing, an empty one everything. Nullopt if Kubernetes
    /// refuses it; `why` then gets its text. What `v` says is copied.
    static std::optional<LabelSelector> of_field(Value v, std::string *why = nullptr) {
        if (v.is_null()) return nothing();
        LabelSelector s;
        bool refused = false;
        s.read(v, [&](const auto &, const std::vector<RequirementFault> &faults) {
            if (!std::exchange(refused, true) && why) *why = joined(faults);
        });
        if (refused) return std::nullopt;
        return s;
    }

    /// An argument: an absent one selects everything, one with a fault nothing. Every fault is given to
    /// `fault(path, text)`, path being below the selector. What `v` says is copied.
    template <class Fault>
    static LabelSelector parse(Value v, Fault &&fault) {
        LabelSelector s;
        auto wrong = [&](const std::string &path, const std::string &text) {
            s.nothing_ = true;
            fault(path, text);
        };
        if (v.is_null()) return s;
        if (!v.is_object()) {
            wrong({}, "expected an object with matchLabels or matchExpressions, got " + std::string(kind_name(v)));
            return s;
        }
        for (std::size_t i = 0; i < v.size(); ++i)
            if (v.key(i) != "matchLabels" && v.key(i) != "matchExpressions")
                wrong(std::string(v.key(i)), "unknown field; expected matchLabels or matchExpressions");
        check_types(v["matchLabels"], v["matchExpressions"], wrong);
        s.read(v, [&](const auto &path, const std::vector<RequirementFault> &faults) {
            for (const auto &f : faults) wrong(path() + (f.where.empty() ? "" : ".") + f.where, f.text);
        });
        return s;
    }

    /// Selects everything; like upstream's Empty(), it is false of a selector of nothing.
    bool empty() const { return !nothing_ && all_.empty(); }
    bool is_nothing() const { return nothing_; }
    std::span<const Requirement> requirements() const { return all_; }

    /// Labels sorted by key. Allocates nothing.
    bool matches(std::span<const berth_label> labels) const {
        return matches_by([&](std::string_view key) { return find_label(labels, key); });
    }
    /// Labels as they stand in an object: node.at("/metadata/labels").
    bool matches(Value labels) const {
        return matches_by([&](std::string_view key) { return text_of(labels[key]); });
    }
    /// Labels as `find(key)` finds them: a value, or nullopt.
    template <class Find>
    bool matches_by(Find &&find) const {
        return !nothing_ && std::all_of(all_.begin(), all_.end(),
                                        [&](const Requirement &r) { return r.matches(find(std::string_view{r.key})); });
    }
    /// What `find` of matches_by() returns of a value among labels.
    static std::optional<std::string_view> text_of(Value label) {
        return label.is_string() ? std::optional(label.string()) : std::nullopt;
    }

    /// Adds the requirement `key` In `value`, unchecked.
    void add(std::string_view key, std::string_view value) {
        all_.push_back({std::string(key), SelectionOperator::In, {std::string(value)}, 0});
    }
    /// Adds another selector's requirements; nothing has none.
    void add(const LabelSelector &other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }

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
    /// Reads every requirement; one that is refused is given to `refused(path, faults)`, where path() is below the
    /// selector.
    template <class Refused>
    void read(Value v, Refused &&refused) {
        auto labels = v["matchLabels"], expressions = v["matchExpressions"];
        auto add_checked = [&](Requirement r, auto path) {
            if (auto faults = check_requirement(r); !faults.empty()) refused(path, faults);
            else all_.push_back(std::move(r));
        };
        for (std::size_t i = 0; labels.is_object() && i < labels.size(); ++i)
            add_checked(
                {std::string(labels.key(i)), SelectionOperator::In, {std::string(labels.member(i).string())}, 0},
                [&] { return "matchLabels." + std::string(labels.key(i)); });
        for (std::size_t i = 0; expressions.is_array() && i < expressions.size(); ++i) {
            auto path = [&] { return "matchExpressions[" + std::to_string(i) + "]"; };
            const auto name = expressions.at(i)["operator"].string();
            auto r = detail::read_expression(expressions.at(i));
            if (const auto op = label_selector_operator(name)) {
                r.op = *op;
                add_checked(std::move(r), path);
            } else {
                refused(path, {{"", json_quote(name) + " is not a valid label selector operator"}});
            }
        }
    }

    static std::string joined(const std::vector<RequirementFault> &faults) {
        std::vector<std::string> texts;
        for (const auto &f : faults) texts.push_back(f.where + (f.where.empty() ? "" : ": ") + f.text);
        return detail::aggregate({texts.begin(), texts.end()});
    }

    template <class Wrong>
    static void check_types(Value labels, Value expressions, Wrong &&wrong) {
        if (!labels.is_null() && !labels.is_object())
            wrong("matchLabels", "expected an object, got " + std::string(kind_name(labels)));
        for (std::size_t i = 0; labels.is_object() && i < labels.size(); ++i)
            if (!labels.member(i).is_string())
                wrong("matchLabels." + std::string(labels.key(i)),
                      "expected a string, got " + std::string(kind_name(labels.member(i))));
        if (!expressions.is_null() && !expressions.is_array())
            wrong("matchExpressions", "expected a list, got " + std::string(kind_name(expressions)));
    }
};

}  // namespace berth
