// SPDX-License-Identifier: Apache-2.0
#include "report/decision_text.h"

#include "report/table.h"

#include <algorithm>
#include <map>

namespace berth::report {
namespace {

std::string outcome(const model::Decision &d) {
    std::string text = "Pod " + d.pod.name_space + "/" + d.pod.name + ": " + std::string(model::result_name(d.result));
    if (!d.node.empty()) text += " on " + d.node;
    text += "\n  profile " + d.profile + ", attempt " + std::to_string(d.attempt) + ", " +
            std::to_string(d.evaluated_nodes) + " nodes evaluated, " + std::to_string(d.feasible_nodes) + " feasible\n";
    if (!d.message.empty()) text += "  " + printable(d.message) + "\n";
    return text;
}

std::string pre_filters(const model::Decision &d) {
    if (d.pre_filter.empty()) return "";
    Table table({"PREFILTER", "STATUS", "SAYS"});
    for (const auto &p : d.pre_filter) {
        std::string says = printable(p.status.message());
        if (p.limited)
            says += (says.empty() ? "" : "; ") + std::string("only ") + std::to_string(p.nodes.size()) + " nodes";
        table.add({p.plugin, model::code_name(p.status.code), says});
    }
    return "\n" + table.text(2);
}

/// "raw>normalized×weight=weighted" as three short numbers: 12→40·2=80 would be hard to read in a column, so each
/// plugin has one column with raw/normalized/weighted.
std::string scores(const model::Decision &d, bool all) {
    std::vector<const model::NodeRecord *> rows;
    for (const auto &n : d.nodes)
        if (n.verdict.success()) rows.push_back(&n);
    if (rows.empty()) return "";
    std::stable_sort(rows.begin(), rows.end(), [](auto *a, auto *b) { return a->total > b->total; });
    std::vector<std::string> titles{"", "NODE"};
    if (rows.front()->scored) titles.emplace_back(">TOTAL");
    for (const auto &s : rows.front()->scores) titles.push_back(">" + s.plugin);
    Table table(titles);
    std::size_t shown = all ? rows.size() : std::min(rows.size(), rows_shown);
    for (std::size_t i = 0; i < shown; ++i) {
        std::vector<std::string> row{rows[i]->name == d.node ? "*" : "", rows[i]->name};
        if (rows[i]->scored) row.push_back(std::to_string(rows[i]->total));
        for (const auto &s : rows[i]->scores)
            row.push_back(std::to_string(s.raw) + "/" + std::to_string(s.normalized) + "/" +
                          std::to_string(s.weighted));
        table.add(std::move(row));
    }
    std::string text = "\nFEASIBLE NODES";
    text += rows.front()->scored ? "; scores are raw/normalized/weighted\n" : "; a single one is not scored\n";
    text += table.text(2);
    if (shown < rows.size()) text += "  … and " + grouped(rows.size() - shown) + " more (--all shows them)\n";
    return text;
}

std::string rejections(const model::Decision &d, bool all) {
    struct Group {
        const model::NodeRecord *first = nullptr;
        std::vector<std::string> nodes;
    };
    std::map<std::string, Group> groups;
    std::size_t rejected = 0;
    for (const auto &n : d.nodes) {
        if (n.verdict.success()) continue;
        ++rejected;
        auto &g = groups[n.verdict.plugin + "\n" + std::to_string(n.verdict.code) + "\n" + n.verdict.message()];
        if (!g.first) g.first = &n;
        g.nodes.push_back(n.name);
    }
    if (rejected == 0) return "";
    std::string text = "\nREJECTED NODES\n";
    if (all || rejected <= rows_shown) {
        Table table({"NODE", "PLUGIN", "STATUS", "REASONS"});
        for (const auto &n : d.nodes)
            if (!n.verdict.success())
                table.add({n.name, n.verdict.plugin, model::code_name(n.verdict.code), printable(n.verdict.message())});
        return text + table.text(2);
    }
    std::vector<const Group *> order;
    for (const auto &[key, g] : groups) order.push_back(&g);
    std::stable_sort(order.begin(), order.end(), [](auto *a, auto *b) { return a->nodes.size() > b->nodes.size(); });
    Table table({">NODES", "PLUGIN", "STATUS", "REASONS", "SUCH AS"});
    for (const auto *g : order) {
        const auto &v = g->first->verdict;
        std::string such_as = g->nodes[0];
        for (std::size_t i = 1; i < std::min<std::size_t>(g->nodes.size(), 2); ++i) such_as += ", " + g->nodes[i];
        table.add({grouped(g->nodes.size()), v.plugin, model::code_name(v.code), printable(v.message()), such_as});
    }
    return text + table.text(2) + "  (--all lists each node)\n";
}

}  // namespace

std::string explain(const model::Decision &d, bool all) {
    return outcome(d) + pre_filters(d) + scores(d, all) + rejections(d, all);
}

}  // namespace berth::report
