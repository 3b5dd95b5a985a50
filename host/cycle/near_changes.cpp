// SPDX-License-Identifier: Apache-2.0
// What a verdict asks for, and which of many such changes are the smallest.
#include "cycle/nearest.h"
#include "model/build.h"
#include "model/node_rules.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

namespace berth::cycle {
namespace {

using model::NearChange;
using model::Value;
using Kind = NearChange::Kind;
using Part = NearChange::Part;
using Parts = std::vector<Part>;
using Labels = std::map<std::string, std::string, std::less<>>;

std::int64_t amount_of(const berth_resources &of, std::string_view name) {
    if (name == "cpu") return of.cpu;
    if (name == "memory") return of.memory;
    if (name == "ephemeral-storage") return of.ephemeral;
    for (std::uint64_t i = 0; i < of.scalars_len; ++i)
        if (model::view(of.scalars[i].name) == name) return of.scalars[i].value;
    return 0;
}

/// Nothing if the node has enough: then somebody counts in another way.
std::optional<Part> missing(const berth_pod &pod, const model::Node &node, const NodeSums &sums, std::string_view name,
                            double &size) {
    const auto asked = amount_of(*pod.accounted, name);
    const auto used = sums.requested.find(name);
    const auto more = asked + (used == sums.requested.end() ? 0 : used->second) - amount_of(node.allocatable, name);
    if (asked <= 0 || more <= 0) return std::nullopt;
    size = std::max(size, static_cast<double>(more) / static_cast<double>(asked));
    return Part{Kind::Resource, std::string(name), {}, {}, more};
}

Parts taints(const berth_pod &pod, const model::Node &node) {
    Parts out;
    for (const auto &taint : node.taints) {
        if (model::view(taint.effect) != "NoSchedule" && model::view(taint.effect) != "NoExecute") continue;
        if (std::any_of(pod.tolerations, pod.tolerations + pod.tolerations_len,
                        [&](const auto &t) { return model::tolerates(t, taint); }))
            continue;
        out.push_back({Kind::Taint, std::string(model::view(taint.key)), std::string(model::view(taint.value)),
                       std::string(model::view(taint.effect))});
    }
    return out;
}

template <class Fn>
bool with_labels(const Labels &labels, Fn holds) {
    model::Arena arena;
    model::ObjectBuilder object(arena);
    for (const auto &[key, value] : labels) object.add(key, std::string_view{value});
    const auto value = object.value();
    return holds(Value{&value});
}

/// Gives `labels` what the requirement wants, so that the others of the term that are about the same label hold too.
void meet(Value requirement, Value term, Labels &labels) {
    const std::string key(requirement["key"].string());
    const auto op = requirement["operator"].string();
    const auto values = requirement["values"], all = term["matchExpressions"];
    auto holds = [&](Value now) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all.at(i)["key"].string() == key && !model::label_matches(all.at(i), now)) return false;
        return true;
    };
    if (op == "NotIn" || op == "DoesNotExist") {
        labels.erase(key);
    } else if (op == "In") {
        for (std::size_t i = 0; i < values.size(); ++i) {
            labels[key] = values.at(i).string();
            if (with_labels(labels, holds)) return;
        }
    } else if (op == "Exists") {
        labels[key] = "";
    } else {
        const auto text = values.at(0).string();
        std::int64_t bound = 0;
        std::from_chars(text.data(), text.data() + text.size(), bound);
        labels[key] = std::to_string(op == "Gt" ? bound + 1 : bound - 1);
    }
}

/// The labels that differ.
Parts changed(const Labels &before, const Labels &after) {
    Parts out;
    for (const auto &[key, value] : after)
        if (auto at = before.find(key); at == before.end() || at->second != value)
            out.push_back({Kind::Label, key, value, {}});
    for (const auto &[key, value] : before)
        if (!after.contains(key)) out.push_back({Kind::NoLabel, key, {}, {}});
    return out;
}

/// What the node selector and the required node affinity ask for, by the term that is nearest. Empty: no labels do.
Parts labels(Value spec, const model::Node &node) {
    Labels before;
    for (const auto &label : node.labels) before.emplace(model::view(label.key), model::view(label.value));
    auto wanted = before;
    const auto selector = spec["nodeSelector"];
    for (std::size_t i = 0; i < selector.size(); ++i)
        wanted[std::string(selector.key(i))] = selector.member(i).string();
    const auto required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if (required.is_null()) return changed(before, wanted);
    Parts best;
    const auto terms = required["nodeSelectorTerms"];
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto term = terms.at(t), expressions = term["matchExpressions"];
        auto after = wanted;
        for (std::size_t i = 0; i < expressions.size(); ++i)
            if (!with_labels(after, [&](Value now) { return model::label_matches(expressions.at(i), now); }))
                meet(expressions.at(i), term, after);
        bool holds = with_labels(after, [&](Value now) { return model::term_matches(term, now, node.name); });
        for (std::size_t i = 0; i < selector.size(); ++i)
            holds = holds && after[std::string(selector.key(i))] == selector.member(i).string();
        auto parts = changed(before, after);
        if (holds && (best.empty() || parts.size() < best.size())) best = std::move(parts);
    }
    return best;
}

std::string joined(const std::vector<std::string> &reasons) {
    std::string out;
    for (const auto &reason : reasons) out += (out.empty() ? "" : ", ") + reason;
    return out;
}

/// What one reason asks for; empty: its words are not known, or do not say what these objects show.
Parts parts_of(std::string_view reason, const berth_pod &pod, const model::Node &node, const NodeSums &sums,
               double &size) {
    constexpr std::string_view insufficient = "Insufficient ";
    if (reason.starts_with(insufficient)) {
        auto part = missing(pod, node, sums, reason.substr(insufficient.size()), size);
        return part ? Parts{*part} : Parts{};
    }
    if (reason == "Too many pods") {
        const auto more = sums.pods + 1 - node.allocatable_pods;
        return more > 0 ? Parts{{Kind::Pods, "pods", {}, {}, more}} : Parts{};
    }
    if (reason.find("untolerated taint") != reason.npos) return taints(pod, node);
    if (reason == "node(s) were unschedulable" && node.unschedulable) return {{Kind::Cordon, ""}};
    if (reason == "node(s) didn't match Pod's node affinity/selector")
        return labels(model::object_of(pod.obj)->tree->value()["spec"], node);
    return {};
}

}  // namespace

void NodeSums::add(const berth_resources &of) {
    requested["cpu"] += of.cpu;
    requested["memory"] += of.memory;
    requested["ephemeral-storage"] += of.ephemeral;
    for (std::uint64_t i = 0; i < of.scalars_len; ++i)
        requested[std::string(model::view(of.scalars[i].name))] += of.scalars[i].value;
    ++pods;
}

NearChange change_of(const berth_pod &pod, const model::Node &node, const NodeSums &sums,
                     const model::Status &verdict) {
    NearChange out;
    out.node = node.name;
    out.plugin = verdict.plugin;
    for (const auto &reason : verdict.reasons) {
        auto parts = parts_of(reason, pod, node, sums, out.size);
        if (parts.empty()) {  // the rest alone would not do
            out.parts = {{Kind::Reason, joined(verdict.reasons)}};
            out.size = 0;
            return out;
        }
        out.parts.insert(out.parts.end(), parts.begin(), parts.end());
    }
    if (out.parts.empty()) out.parts = {{Kind::Reason, model::code_name(verdict.code)}};
    return out;
}

std::vector<NearChange> smallest(std::vector<NearChange> all, std::size_t most) {
    auto order = [](const NearChange &a, const NearChange &b) {
        auto key = [](const NearChange &c) {
            const auto kind = c.parts.front().kind;
            return std::tuple(kind == Kind::Reason, c.parts.size(), kind, c.size, std::string_view(c.node));
        };
        return key(a) < key(b);
    };
    std::ranges::sort(all, order);
    auto same = [](const NearChange &a, const NearChange &b) {
        return a.plugin == b.plugin && std::ranges::equal(a.parts, b.parts, [](const Part &x, const Part &y) {
                   return std::tie(x.kind, x.name, x.value, x.effect) == std::tie(y.kind, y.name, y.value, y.effect);
               });
    };
    std::vector<NearChange> out;
    for (auto &one : all) {
        auto at = std::ranges::find_if(out, [&](const NearChange &other) { return same(one, other); });
        if (at != out.end()) at->nodes += one.nodes;
        else out.push_back(std::move(one));
    }
    if (out.size() > most) out.resize(most);
    return out;
}

}  // namespace berth::cycle
