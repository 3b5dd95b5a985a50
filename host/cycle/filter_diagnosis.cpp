// SPDX-License-Identifier: Apache-2.0
// The diagnosis of a search: messages and counts of failures and rejections by Filter.
#include "cycle/filters.h"
#include "cycle/in_words.h"

#include <algorithm>
#include <map>

namespace berth::cycle {

model::Status Filters::failure(const Search &search, std::uint32_t slot, const Verdict &verdict) const {
    if (verdict.code == code_not_tried) return nominated_failure_;
    std::string why, node = in_words(search.nodes, slot);
    const auto *reasons = search.call.reasons().find(verdict.reasons);
    // An exception has been reported already.
    const bool thrown = verdict.code == FilterCall::code_thrown;
    model::Status judged = thrown ? model::Status{} : plugin::judged(*verdict.plugin, FilterCall::point, verdict.code);
    if (thrown) {
        why = call_.thrown();
    } else if (verdict.code == BERTH_STATUS_NOT_EVALUATED) {
        why = "left " + node + " without a verdict";
    } else if (verdict.rejected()) {
        why = "gave reasons " + std::to_string(verdict.reasons) + " for " + node + ", an id it never got";
        plugin::misbehaved(*verdict.plugin, FilterCall::point, "plugin \"" + verdict.plugin->name + "\" " + why);
    } else if (verdict.code == BERTH_STATUS_ERROR && reasons && !reasons->empty()) {
        why = model::Status{BERTH_STATUS_ERROR, {}, *reasons, {}}.message();
    } else if (verdict.code == BERTH_STATUS_ERROR) {
        why = "failed on " + node + " without a text";
    } else if (judged.code == BERTH_STATUS_ERROR) {
        why = judged.error;
    } else {
        why = "answered " + model::code_name(verdict.code) + " for " + node + ", which is no verdict";
    }
    return {.code = BERTH_STATUS_ERROR,
            .error = "running \"" + verdict.plugin->name + "\" filter plugin: " + why,
            .reasons = {},
            .plugin = verdict.plugin->name};
}

model::Status Filters::rejection(const Search &search, const Verdict &verdict) const {
    if (verdict.code == BERTH_STATUS_SUCCESS) return {};
    const auto *reasons = search.call.reasons().find(verdict.reasons);
    return {.code = verdict.code,
            .error = {},
            .reasons = reasons ? *reasons : std::vector<std::string>{},
            .plugin = verdict.plugin->name};
}

void Filters::add_rejectors(Rejectors &rejectors) const {
    const plugin::Instance *last = nullptr;
    for (const Verdict &verdict : rejected_) {
        if (verdict.plugin != last || verdict.code == BERTH_STATUS_PENDING) rejectors.add(verdict.plugin, verdict.code);
        last = verdict.plugin;
    }
}

void Filters::count_reasons(const Search &search, ReasonCounts &counts) const {
    // Lists of reasons are interned, so nodes are counted per list first.
    std::map<std::uint32_t, std::uint64_t> lists;
    for (const Verdict &verdict : rejected_) ++lists[verdict.reasons];
    for (const auto &[id, nodes] : lists)
        if (const auto *texts = search.call.reasons().find(id))
            for (const auto &text : *texts) counts[text] += nodes;
}

std::vector<model::Rejection> Filters::rejections(const Search &search) const {
    std::vector<std::pair<Verdict, std::uint32_t>> groups;
    std::size_t last = 0;  // neighbours are often alike
    for (const Verdict &verdict : rejected_) {
        auto same = [&](const auto &group) {
            return group.first.plugin == verdict.plugin && group.first.reasons == verdict.reasons &&
                   group.first.code == verdict.code;
        };
        if (last >= groups.size() || !same(groups[last])) {
            last = static_cast<std::size_t>(std::ranges::find_if(groups, same) - groups.begin());
            if (last == groups.size()) groups.emplace_back(verdict, 0);
        }
        ++groups[last].second;
    }
    std::ranges::stable_sort(groups, std::ranges::greater{}, [](const auto &group) { return group.second; });
    std::vector<model::Rejection> out;
    for (const auto &[verdict, nodes] : groups) {
        auto status = rejection(search, verdict);
        out.push_back({std::move(status.plugin), status.code, std::move(status.reasons), nodes});
    }
    return out;
}

}  // namespace berth::cycle
