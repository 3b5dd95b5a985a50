// SPDX-License-Identifier: Apache-2.0
#include "offline/divergence.h"

#include <algorithm>
#include <map>
#include <set>

namespace berth::offline {

using report::Divergence;

namespace {

std::string said(const model::Status &status) {
    const auto text = status.message();
    return model::code_name(status.code) + (text.empty() ? "" : " (" + text + ")");
}

bool alike(const model::Status &a, const model::Status &b) {
    return a.code == b.code && a.error == b.error && a.reasons == b.reasons;
}

template <class Record>
std::map<std::string, const Record *> by_plugin(const std::vector<Record> &records) {
    std::map<std::string, const Record *> out;
    for (const auto &one : records) out.emplace(one.plugin, &one);
    return out;
}

std::string nodes_text(const model::PreFilterRecord &one) {
    return one.limited ? ", " + std::to_string(one.nodes.size()) + " nodes" : "";
}

std::optional<Divergence> of_pre_filters(const model::Decision &then, const model::Decision &now) {
    const auto before = by_plugin(then.pre_filter), after = by_plugin(now.pre_filter);
    auto missing = [](const std::string &plugin, const char *when) {
        return Divergence{plugin, "PreFilter", "it was asked " + std::string(when)};
    };
    for (const auto &one : now.pre_filter) {
        const auto at = before.find(one.plugin);
        if (at == before.end()) return missing(one.plugin, "now, and not then");
        const auto &old = *at->second;
        if (!alike(old.status, one.status) || old.limited != one.limited || old.nodes != one.nodes)
            return Divergence{
                one.plugin, "PreFilter",
                "then " + said(old.status) + nodes_text(old) + "; now " + said(one.status) + nodes_text(one)};
    }
    for (const auto &one : then.pre_filter)
        if (!after.contains(one.plugin)) return missing(one.plugin, "then, and not now");
    return std::nullopt;
}

/// Of two plugins of which one rejected the node then and the other one now, the one that changed its mind.
const model::Status *changed(const model::Status *then, const model::Status *now,
                             std::span<const std::string> filters) {
    if (now->success()) return then;
    if (then->success()) return now;
    // If the one that rejects it now runs later, the one that did so then let it pass.
    return std::ranges::find(filters, now->plugin) > std::ranges::find(filters, then->plugin) ? then : now;
}

std::optional<Divergence> of_filters(const model::Decision &then, const model::Decision &now,
                                     std::span<const std::string> filters) {
    std::map<std::string, const model::NodeRecord *> before;
    for (const auto &node : then.nodes) before.emplace(node.name, &node);
    for (const auto &node : now.nodes) {
        const auto at = before.find(node.name);
        if (at == before.end()) continue;
        const auto &old = at->second->verdict;
        if (alike(old, node.verdict) && old.plugin == node.verdict.plugin) continue;
        auto who = [](const model::Status &status) {
            return status.success() ? std::string("it fits") : status.plugin + " says " + said(status);
        };
        return Divergence{changed(&old, &node.verdict, filters)->plugin, "Filter",
                          "node " + node.name + ": then " + who(old) + "; now " + who(node.verdict)};
    }
    return std::nullopt;
}

std::optional<Divergence> of_scores(const model::Decision &then, const model::Decision &now) {
    std::map<std::string, const model::NodeRecord *> before;
    for (const auto &node : then.nodes) before.emplace(node.name, &node);
    auto text = [](const model::PluginScore *score) {
        return score ? std::to_string(score->raw) + ", normalized " + std::to_string(score->normalized) +
                           ", weighted " + std::to_string(score->weighted)
                     : std::string("nothing");
    };
    // The raw score is the plugin's own; the others may follow from those of other nodes.
    for (const bool raw : {true, false})
        for (const auto &node : now.nodes) {
            const auto at = before.find(node.name);
            if (at == before.end() || !at->second->scored || !node.scored) continue;
            const auto old = by_plugin(at->second->scores), scores = by_plugin(node.scores);
            std::set<std::string> names;
            for (const auto *all : {&old, &scores})
                for (const auto &[name, score] : *all) names.insert(name);
            for (const auto &name : names) {
                const auto *a = old.contains(name) ? old.at(name) : nullptr;
                const auto *b = scores.contains(name) ? scores.at(name) : nullptr;
                if (a && b && (raw ? a->raw == b->raw : a->weighted == b->weighted)) continue;
                return Divergence{name, "Score", "node " + node.name + ": then " + text(a) + "; now " + text(b)};
            }
        }
    return std::nullopt;
}

std::optional<Divergence> of_post_filters(const model::Decision &then, const model::Decision &now) {
    const auto before = by_plugin(then.post_filter);
    for (const auto &one : now.post_filter) {
        const auto at = before.find(one.plugin);
        if (at == before.end()) continue;
        const auto &old = *at->second;
        if (alike(old.status, one.status) && old.nominated == one.nominated && old.victims == one.victims) continue;
        auto text = [](const model::PostFilterRecord &record) {
            std::string out = said(record.status) + ", node \"" + record.nominated.value_or("") + "\"";
            const auto &victims = record.victims;
            for (const auto &victim : victims.pods) out += ", victim " + victim;
            if (victims.more > 0) out += " and " + std::to_string(victims.more) + " more";
            return victims.reason.empty() ? out : out + " (" + victims.reason + ")";
        };
        return Divergence{one.plugin, "PostFilter", "then " + text(old) + "; now " + text(one)};
    }
    return std::nullopt;
}

}  // namespace

std::optional<Divergence> find_divergence(const model::Decision &then, const model::Decision &now,
                                          std::span<const std::string> filters) {
    if (auto found = of_pre_filters(then, now)) return found;
    if (auto found = of_filters(then, now, filters)) return found;
    if (auto found = of_scores(then, now)) return found;
    if (auto found = of_post_filters(then, now)) return found;
    // After the choice of the node: the rejecting plugin.
    for (const auto *one : {&now, &then})
        if (!one->rejected_by.empty() && then.rejected_by != now.rejected_by)
            return Divergence{one->rejected_by.front(), one->phase, one->message};
    return std::nullopt;
}

}  // namespace berth::offline
