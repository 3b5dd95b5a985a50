// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors with upstream's evaluation (apimachinery/pkg/labels).

#include "node_selector.h"

#include <stdexcept>

namespace kubernetes {

/// A selector of labels as upstream evaluates one (apimachinery/pkg/labels): everything, nothing, or requirements that
/// must all hold.
class LabelSelector {
    bool nothing_ = false;
    std::vector<NodeRequirement> all_;

public:
    static LabelSelector everything() { return {}; }
    static LabelSelector nothing() {
        LabelSelector s;
        s.nothing_ = true;
        return s;
    }

    /// A metav1.LabelSelector: an absent one selects nothing, an empty one everything. Throws upstream's text.
    static LabelSelector parse(berth::Value v) {
        if (v.is_null()) return nothing();
        LabelSelector s;
        auto labels = v["matchLabels"], expressions = v["matchExpressions"];
        for (std::size_t i = 0; i < labels.size(); ++i) s.require(labels.key(i), labels.member(i).string());
        for (std::size_t i = 0; i < expressions.size(); ++i) {
            auto e = expressions.at(i);
            auto op = e["operator"].string();
            if (!berth::label_selector_operator(op))
                throw std::runtime_error(berth::json_quote(op) + " is not a valid label selector operator");
            NodeTerm one;
            berth::parse_requirement(e, "", one);
            check(one);
            s.all_.push_back(std::move(one.labels.front()));
        }
        return s;
    }

    /// Selects everything; upstream's Empty(), which holds for no selector of nothing.
    bool empty() const { return !nothing_ && all_.empty(); }
    bool is_nothing() const { return nothing_; }

    bool matches(std::span<const berth_label> labels) const {
        return !nothing_ && std::all_of(all_.begin(), all_.end(), [&](const NodeRequirement &r) {
            return r.matches(berth::find_label(labels, r.key));
        });
    }

    /// Adds `key=value`, unchecked.
    void add(std::string_view key, std::string_view value) {
        all_.push_back({std::string(key), NodeRequirement::Op::In, {std::string(value)}, 0, 0});
    }
    /// Adds another selector's requirements; nothing has none.
    void add(const LabelSelector &other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }

    /// Equal for selectors that are written alike: what counts are kept under.
    void write(std::string &out) const {
        if (nothing_) out += '!';
        for (const auto &r : all_) {
            out += static_cast<char>('0' + static_cast<int>(r.op));
            out.append(r.key) += '\1';
            for (const auto &v : r.values) out.append(v) += '\1';
        }
        out += '\2';
    }

private:
    /// Throws the faults of a requirement, whose path begins with a dot that upstream does not write.
    static void check(NodeTerm &one) {
        for (auto &fault : one.faults) fault.erase(0, 1);
        if (!one.faults.empty()) throw std::runtime_error(berth::faults_of({one}));
    }
    void require(std::string_view key, std::string_view value) {
        auto invalid = [](const std::string &where, std::string_view what, const std::string &why) {
            return "." + where + ": Invalid value: " + berth::json_quote(what) + ": " + why;
        };
        NodeTerm one;
        if (auto why = berth::label_key_fault(key); !why.empty()) one.faults.push_back(invalid("key", key, why));
        if (auto why = berth::label_value_fault(value); !why.empty())
            one.faults.push_back(invalid("values[0][" + std::string(key) + "]", value, why));
        check(one);
        add(key, value);
    }
};

}  // namespace kubernetes
