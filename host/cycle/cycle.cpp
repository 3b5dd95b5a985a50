// SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.h"
#include "cycle/nodes_to_find.h"
#include "model/look_ups.h"

#include "plugin/meter.h"

#include <algorithm>
#include <utility>

namespace berth::cycle {

namespace {

/// Sets the choice among equal nodes apart from the other uses of chance.
constexpr std::uint64_t tie_salt = env::text_hash("tie");

}  // namespace

void Cycle::end(Ending ending, std::string_view phase, std::string message) {
    result_.ending = ending;
    // A failure has no rejectors.
    if (ending == Ending::Failed) result_.rejectors.clear();
    result_.phase = phase;
    result_.message = std::move(message);
    result_.feasible = static_cast<std::uint32_t>(filters_.feasible().size());
    result_.evaluated = result_.feasible + filters_.rejected_count();
    result_.rejections = filters_.rejections(*search_);
    if (tables_ && phase != "PreFilter") record_nodes(tables_->nodes);
    ended_ = true;
    if (running_) return;
    std::exchange(on_end_, nullptr)(result_);
}

const ScheduleResult *Cycle::run(const Search &search, model::Decision *tables, OnEnd on_end) {
    search_.emplace(search);
    tables_ = tables;
    on_end_ = std::move(on_end);
    extender_scores_.clear();
    ended_ = scored_ = false;
    running_ = true;
    result_.slot = BERTH_NO_SLOT;
    result_.rejectors.clear();
    result_.start_index = 0;
    begin();
    running_ = false;
    return ended_ ? &result_ : nullptr;
}

void Cycle::begin() {
    const Search &search = *search_;
    filters_.begin(search, Participants{});
    if (search.nodes.count == 0) return end(Ending::NoNodes, "PreFilter", "no nodes available to schedule pods");
    result_.start_index = static_cast<std::uint32_t>(next_start_ % search.nodes.count);

    plugin::PointTimer timer(search.profile, plugin::CalledPoint::PreFilter);
    model::Status status = pre_filters_.run(search, tables_ ? &tables_->pre_filter : nullptr);
    timer.end(status.code);
    if (status.rejected()) return reject(&status);
    if (!status.success()) return end(Ending::Failed, "PreFilter", std::move(status.error));

    filters_.begin(search, pre_filters_.participants(search));
    if (!visit_nominated()) return find_among_all();
    ask_extenders([this](const model::Status &answer) {
        // As with plugins, a failure there is not the pod's.
        if (!answer.success()) filters_.apply_extenders(*search_, {}, nullptr);
        if (filters_.feasible().empty()) find_among_all();
        else choose();
    });
}

void Cycle::post_filter(const Search &search, PostFilters::OnEnd on_end) {
    post_filters_.run(search, pre_filters_.participants(search), filters_, absent_, std::move(on_end));
}

bool Cycle::process_preemption(const berth_call *call, std::vector<Candidate> candidates, Processed done) {
    auto search = post_filters_.search_of(call);
    if (!search) return false;
    const berth_pods &pods = *search->nodes.pods;
    for (const auto &c : candidates) {
        if (c.slot >= search->nodes.slots || !(search->nodes.node_flags[c.slot] & BERTH_FLAG_NODE_EXISTS)) return false;
        for (auto row : c.victims)
            if (row >= pods.rows || pods.node_slot[row] != c.slot) return false;
    }
    extenders_.process_preemption(search, std::move(candidates), std::move(done));
    return true;
}

/// The pod's nominated node is tried before all others; a failure there is not the pod's.
bool Cycle::visit_nominated() {
    const Search &search = *search_;
    if (search.pod.nominated_node.len == 0) return false;
    std::uint32_t slot = model::find_node(search.nodes, search.pod.nominated_node);
    if (slot == BERTH_NO_SLOT) return false;
    model::Status status = filters_.visit(search, {&slot, 1}, 0, 1);
    if (!filters_.rejected().empty()) pre_filters_.add_limiting(filters_.rejected().front().plugin);
    return status.success() && !filters_.feasible().empty();
}

void Cycle::find_among_all() {
    const Search &search = *search_;
    const PreFilterResult &left = pre_filters_.left();
    std::span<const std::uint32_t> slots{search.nodes.order, search.nodes.count};
    if (left.limited) slots = left.slots;
    const auto n = static_cast<std::uint32_t>(slots.size());
    std::uint32_t limit = nodes_to_find(n, search.profile.percentage_of_nodes_to_score.value_or(0));
    // No plugin or extender scores them, so the first one will do.
    if (search.profile.score.empty() && !extenders_.any_filters() && !extenders_.any_prioritizes())
        limit = std::min<std::uint32_t>(n, 1);
    auto start = static_cast<std::uint32_t>(n ? next_start_ % n : 0);
    plugin::PointTimer timer(search.profile, plugin::CalledPoint::Filter);
    model::Status status = filters_.visit(search, slots, start, limit);
    timer.end(status.code);
    // Also after a failure, so that one bad node does not meet every pod first.
    next_start_ = (next_start_ + filters_.feasible().size() + filters_.rejected_count()) % search.nodes.count;
    if (!status.success()) return end(Ending::Failed, "Filter", std::move(status.error));
    ask_extenders([this](model::Status answer) {
        if (!answer.success()) return end(Ending::Failed, "Filter", std::move(answer.error));
        if (filters_.feasible().empty()) return reject(nullptr);
        choose();
    });
}

void Cycle::ask_extenders(std::function<void(model::Status)> then) {
    if (extenders_.empty() || filters_.feasible().empty()) return then({});
    auto before = filters_.feasible().size();
    extenders_.filter(*search_, filters_.feasible(), [this, before, then = std::move(then)](ExtenderVerdicts verdicts) {
        if (!verdicts.status.success()) return then(std::move(verdicts.status));
        const plugin::Instance *extender = search_->profile.extender_rejector;
        // They cannot say what would change their mind, so every event does.
        if (verdicts.left.size() != before) result_.rejectors.add(extender, BERTH_STATUS_UNSCHEDULABLE);
        filters_.apply_extenders(*search_, std::move(verdicts), extender);
        then({});
    });
}

void Cycle::choose() {
    const auto &feasible = filters_.feasible();
    if (feasible.size() == 1) {
        result_.slot = feasible[0];
        return end(Ending::Chosen, {}, {});
    }
    model::Status status = scores_.run(*search_, filters_.signatures(), filters_.found(), tables_ != nullptr);
    if (!status.success()) return end(Ending::Failed, scores_.phase(), std::move(status.error));
    if (extenders_.empty()) return pick();
    extenders_.prioritize(*search_, feasible, [this](std::vector<ExtenderScores> scores) {
        extender_scores_ = std::move(scores);
        scores_.add(extender_scores_);
        pick();
    });
}

void Cycle::pick() {
    auto place = scores_.best(env::random_value(seed_, tie_salt, search_->call.attempt_salt(), 0, 0));
    result_.slot = filters_.feasible()[place];
    scored_ = true;
    end(Ending::Chosen, {}, {});
}

/// No node fits: by the word of PreFilter (`pre_filter`), or because each was rejected.
void Cycle::reject(const model::Status *pre_filter) {
    const Search &search = *search_;
    Rejectors &rejectors = result_.rejectors;
    for (const auto *instance : pre_filters_.limited_by()) rejectors.add(instance, BERTH_STATUS_UNSCHEDULABLE);
    std::string message;
    ReasonCounts reasons;
    absent_ = {.code = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, .error = {}, .reasons = {}, .plugin = {}};
    if (pre_filter) {
        absent_ = *pre_filter;
        for (const auto *instance : search.profile.pre_filter)
            if (instance->name == pre_filter->plugin) rejectors.add(instance, pre_filter->code);
        message = pre_filter->message();
    } else {
        filters_.add_rejectors(rejectors);
        filters_.count_reasons(search, reasons);
        if (pre_filters_.left().limited) {
            absent_.reasons.push_back(pre_filters_.reason_left_out(false));
            if (filters_.rejected_count() < search.nodes.count)
                reasons[absent_.reasons.front()] += search.nodes.count - filters_.rejected_count();
        }
    }
    end(Ending::Unfit, pre_filter ? "PreFilter" : "Filter", fit_message(search.nodes.count, message, reasons));
}

void Cycle::record_nodes(std::vector<model::NodeRecord> &out) const {
    const Search &search = *search_;
    std::vector<std::size_t> place_of(search.nodes.slots, SIZE_MAX);
    for (std::size_t i = 0; i < filters_.feasible().size(); ++i) place_of[filters_.feasible()[i]] = i;
    auto rejected = filters_.rejected().begin();
    for (std::uint32_t slot : filters_.visited()) {
        model::NodeRecord &node = out.emplace_back();
        node.name = model::view(search.nodes.name[slot]);
        if (rejected != filters_.rejected().end() && rejected->slot == slot)
            node.verdict = filters_.rejection(search, *rejected++);
        std::size_t place = place_of[slot];
        if (!scored_ || place == SIZE_MAX) continue;
        node.scored = true;
        node.total = scores_.total(place);
        for (std::size_t i = 0; i < scores_.active().size(); ++i) {
            const plugin::Scorer &scorer = *scores_.active()[i];
            std::int64_t normalized = scores_.normalized(i, place);
            node.scores.push_back(
                {scorer.instance->name, scores_.raw(i, place), normalized, normalized * scorer.weight});
        }
        for (const auto &[extender, weight, scores] : extender_scores_)
            node.scores.push_back({extender, scores[place], scores[place], scores[place] * weight});
    }
}

}  // namespace berth::cycle
