// SPDX-License-Identifier: Apache-2.0
// The real decision and the shadow's about one pod side by side, as text.
#include "report/shadow.h"
#include "report/table.h"

#include <algorithm>
#include <optional>
#include <set>

namespace berth::report {
namespace {

using model::Value;

std::string text_of(Value v) { return printable(v.string()); }

Value node_of(Value decision, std::string_view name) {
    const auto nodes = decision["nodes"];
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes.at(i)["name"].string() == name) return nodes.at(i);
    return {};
}

std::string outcome(Value d) {
    if (d["result"].string() == "Scheduled" || !d["node"].string().empty()) return text_of(d["node"]);
    const auto message = text_of(d["message"]);
    return "none: " + (message.empty() ? text_of(d["result"]) : message);
}

/// The total, or the plugin that rejects the node.
std::string word_on(Value decision, std::string_view name) {
    const auto node = node_of(decision, name);
    if (!node.is_object()) return "-";
    const auto verdict = node["verdict"];
    if (verdict.is_object()) {
        std::string out = text_of(verdict["plugin"]);
        for (std::size_t i = 0; i < verdict["reasons"].size(); ++i)
            out += (i ? "; " : ": ") + text_of(verdict["reasons"].at(i));
        return out;
    }
    auto out = node["scores"].size() > 0 ? std::to_string(node["total"].integer().value_or(0)) : "takes it";
    return decision["node"].string() == name ? out + "  (chosen)" : out;
}

/// The best nodes of either side and those that only one of them takes, in the order of the real totals.
std::vector<std::string> nodes_worth_showing(Value real, Value shadow, std::size_t most) {
    std::vector<std::string> out;
    auto add = [&](Value d) {
        std::vector<Value> nodes;
        for (std::size_t i = 0; i < d["nodes"].size(); ++i) nodes.push_back(d["nodes"].at(i));
        std::ranges::stable_sort(nodes, [&](Value a, Value b) {
            auto rank = [&](Value n) {
                return std::pair{n["name"].string() == d["node"].string() ? 1 : 0,
                                 n["verdict"].is_object() ? INT64_MIN : n["total"].integer().value_or(0)};
            };
            return rank(a) > rank(b);
        });
        for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i)
            if (auto name = text_of(nodes[i]["name"]); std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    add(real);
    add(shadow);
    return out;
}

std::optional<std::int64_t> score_of(Value decision, std::string_view name, std::string_view plugin) {
    const auto scores = node_of(decision, name)["scores"];
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores.at(i)["plugin"].string() == plugin) return scores.at(i)["weighted"].integer();
    return std::nullopt;
}

/// Weighted scores of the plugins that do not say the same of these nodes.
std::string plugins(Value real, Value shadow, const std::vector<std::string> &nodes) {
    std::vector<std::string> names;
    std::set<std::string> known;
    for (const auto side : {real, shadow})
        for (const auto &node : nodes) {
            const auto scores = node_of(side, node)["scores"];
            for (std::size_t i = 0; i < scores.size(); ++i)
                if (auto name = text_of(scores.at(i)["plugin"]); known.insert(name).second) names.push_back(name);
        }
    Table table({"PLUGIN", "NODE", ">REAL", ">SHADOW"});
    auto word = [](std::optional<std::int64_t> score) { return score ? std::to_string(*score) : "-"; };
    for (const auto &plugin : names)
        for (const auto &node : nodes) {
            const auto here = score_of(real, node, plugin), there = score_of(shadow, node, plugin);
            if (here != there) table.add({plugin, node, word(here), word(there)});
        }
    return table.size() == 0 ? "" : "\nSCORES THAT DIFFER (weighted; - where there is none)\n" + table.text(2);
}

}  // namespace

std::string side_by_side(Value real, Value shadow, const ViewOptions &options) {
    Table outcomes({"", "NODE"});
    outcomes.add({"real", outcome(real)});
    outcomes.add({"shadow", outcome(shadow)});
    auto text = outcomes.text(2);
    const auto nodes = nodes_worth_showing(real, shadow, options.nodes);
    if (nodes.empty()) return text;
    Table table({"NODE", "REAL", "SHADOW"});
    for (const auto &name : nodes) table.add({name, word_on(real, name), word_on(shadow, name)});
    // The plugins' scores show why one node was chosen and not the other; without a choice, those of the first one.
    std::vector<std::string> chosen;
    for (const auto side : {real, shadow})
        if (auto name = text_of(side["node"]); !name.empty() && std::ranges::find(chosen, name) == chosen.end())
            chosen.push_back(name);
    if (chosen.empty()) chosen.push_back(nodes.front());
    return text + "\nNODES, BY BOTH\n" + table.text(2) + plugins(real, shadow, chosen);
}

bool is_alike(Value answer) {
    const auto real = answer["real"], shadow = answer["shadow"];
    return real["node"].string() == shadow["node"].string() && real["message"].string() == shadow["message"].string();
}

std::string comparison_view(Value answer, const ViewOptions &options) {
    const auto pod = text_of(answer["metadata"]["namespace"]) + "/" + text_of(answer["metadata"]["name"]);
    return pod +
           (is_alike(answer) ? ": both decide alike, if its turn were now\n"
                             : ": the shadow decides otherwise, if its turn were now\n") +
           side_by_side(answer["real"], answer["shadow"], options);
}

}  // namespace berth::report
