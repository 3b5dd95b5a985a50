// SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.h"

#include <algorithm>

namespace berth::cycle {

namespace {

/// Sets the choice among equal nodes apart from the other uses of chance.
constexpr std::uint64_t tie_salt = env::text_hash("tie");

}  // namespace

const Outcome &Cycle::end(Ending ending, std::string_view phase, std::string message) {
    outcome_.ending = ending;
    outcome_.phase = phase;
    outcome_.message = std::move(message);
    outcome_.feasible = static_cast<std::uint32_t>(filters_.feasible().size());
    outcome_.evaluated = outcome_.feasible + filters_.failed();
    return outcome_;
}

const Outcome &Cycle::run(const Search &search, model::Decision *tables) {
    outcome_.slot = BERTH_NO_SLOT;
    outcome_.rejectors.clear();
    outcome_.start_index = 0;
    filters_.begin(search, Participants{});
    if (search.nodes.count == 0) return end(Ending::NoNodes, "PreFilter", "no nodes available to schedule pods");
    outcome_.start_index = static_cast<std::uint32_t>(next_start_ % search.nodes.count);

    model::Status status = pre_filters_.run(search, tables ? &tables->pre_filter : nullptr);
    if (status.rejected()) return reject(search, &status);
    if (!status.success()) return end(Ending::Failed, "PreFilter", std::move(status.error));

    status = find(search);
    bool scored = false;
    if (!status.success()) {
        end(Ending::Failed, "Filter", std::move(status.error));
    } else if (filters_.feasible().empty()) {
        reject(search, nullptr);
    } else {
        choose(search, tables != nullptr);
        scored = outcome_.ending == Ending::Chosen && filters_.feasible().size() > 1;
    }
    if (tables) record_nodes(search, scored, tables->nodes);
    return outcome_;
}

/// Everybody whose PreFilter did not skip.
Participants Cycle::participants(const Search &search) const {
    Participants out;
    for (const plugin::Instance *instance : search.profile.filter)
        if (!pre_filters_.skipped(instance)) out.filters.push_back(instance);
    for (const plugin::Instance *instance : search.profile.pre_filter)
        if (instance->pre_filter_ext && !pre_filters_.skipped(instance)) out.extensions.push_back(instance);
    return out;
}

void Cycle::post_filter(const Search &search, PostFilters::OnEnd on_end) {
    post_filters_.run(search, participants(search), filters_, absent_, std::move(on_end));
}

/// The nominated node, then the others: leaves the feasible nodes in filters_.
model::Status Cycle::find(const Search &search) {
    filters_.begin(search, participants(search));
    if (try_nominated(search)) return {};

    const Narrowing &left = pre_filters_.left();
    std::span<const std::uint32_t> slots{search.nodes.order, search.nodes.count};
    if (left.narrowed) slots = left.slots;
    const auto n = static_cast<std::uint32_t>(slots.size());
    std::uint32_t limit = nodes_to_find(n, search.profile.percentage_of_nodes_to_score.value_or(0));
    // Nobody ranks them, so the first one will do.
    if (search.profile.score.empty()) limit = std::min<std::uint32_t>(n, 1);
    auto start = static_cast<std::uint32_t>(n ? next_start_ % n : 0);
    model::Status status = filters_.visit(search, slots, start, limit);
    // Also after a failure, so that one bad node does not meet every pod first.
    next_start_ = (next_start_ + filters_.feasible().size() + filters_.failed()) % search.nodes.count;
    return status;
}

/// The node that the pod was promised is tried before all others; a failure there is not the pod's.
bool Cycle::try_nominated(const Search &search) {
    if (search.pod.nominated_node.len == 0) return false;
    std::uint32_t slot = search.nodes.find(&search.nodes, search.pod.nominated_node);
    if (slot == BERTH_NO_SLOT) return false;
    model::Status status = filters_.visit(search, {&slot, 1}, 0, 1);
    return status.success() && !filters_.feasible().empty();
}

const Outcome &Cycle::choose(const Search &search, bool keep_raw) {
    const auto &feasible = filters_.feasible();
    std::size_t place = 0;
    if (feasible.size() > 1) {
        model::Status status = scores_.run(search, feasible, keep_raw);
        if (!status.success()) return end(Ending::Failed, scores_.phase(), std::move(status.error));
        place = scores_.best(env::random_value(seed_, tie_salt, search.call.attempt_salt(), 0, 0));
    }
    outcome_.slot = feasible[place];
    return end(Ending::Chosen, {}, {});
}

/// No node fits: by the word of PreFilter (`pre_filter`), or because each was rejected.
const Outcome &Cycle::reject(const Search &search, const model::Status *pre_filter) {
    Rejectors &rejectors = outcome_.rejectors;
    for (const auto *instance : pre_filters_.narrowed_by()) rejectors.add(instance, BERTH_UNSCHEDULABLE);
    std::string message;
    ReasonCounts reasons;
    absent_ = {.code = BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE, .error = {}, .reasons = {}, .plugin = {}};
    if (pre_filter) {
        absent_ = *pre_filter;
        for (const auto *instance : search.profile.pre_filter)
            if (instance->name == pre_filter->plugin) rejectors.add(instance, pre_filter->code);
        message = pre_filter->message();
    } else {
        filters_.add_rejectors(rejectors);
        filters_.count_reasons(search, reasons);
        if (pre_filters_.left().narrowed) {
            absent_.reasons.push_back("node(s) didn't satisfy plugin(s) " + pre_filters_.narrowed_by_text());
            if (filters_.failed() < search.nodes.count)
                reasons[absent_.reasons.front()] += search.nodes.count - filters_.failed();
        }
    }
    return end(Ending::Unfit, pre_filter ? "PreFilter" : "Filter", fit_message(search.nodes.count, message, reasons));
}

void Cycle::record_nodes(const Search &search, bool scored, std::vector<model::NodeRecord> &out) const {
    std::vector<std::size_t> place_of(search.nodes.slots, SIZE_MAX);
    for (std::size_t i = 0; i < filters_.feasible().size(); ++i) place_of[filters_.feasible()[i]] = i;
    for (std::uint32_t slot : filters_.visited()) {
        model::NodeRecord &node = out.emplace_back();
        node.name = model::view(search.nodes.name[slot]);
        node.verdict = filters_.verdict(search, slot);
        std::size_t place = place_of[slot];
        if (!scored || place == SIZE_MAX) continue;
        node.scored = true;
        node.total = scores_.total(place);
        for (std::size_t i = 0; i < scores_.active().size(); ++i) {
            const plugin::Scorer &scorer = *scores_.active()[i];
            std::int64_t normalized = scores_.normalized(i, place);
            node.scores.push_back(
                {scorer.instance->name, scores_.raw(i, place), normalized, normalized * scorer.weight});
        }
    }
}

}  // namespace berth::cycle
