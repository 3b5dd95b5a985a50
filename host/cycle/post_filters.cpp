// SPDX-License-Identifier: Apache-2.0
#include "cycle/post_filters.h"

#include "model/look_ups.h"
#include "plugin/fault.h"
#include "plugin/meter.h"

#include <algorithm>

namespace berth::cycle {

namespace {

constexpr plugin::CalledPoint point = plugin::CalledPoint::PostFilter;

std::vector<berth_str> views_of(const std::vector<std::string> &texts) {
    std::vector<berth_str> out;
    out.reserve(texts.size());
    for (const auto &text : texts) out.push_back(model::to_str(text));
    return out;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

/// Whether they are different pods, each of them on a node.
bool are_placed(const berth_pods &pods, std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> sorted(rows.begin(), rows.end());
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) == sorted.end() && std::ranges::all_of(sorted, [&](std::uint32_t row) {
               return row < pods.rows && pods.node_slot[row] != BERTH_NO_SLOT && pods.obj[row];
           });
}

/// In one line, cut before a character.
std::string reason_of(berth_str text) {
    auto all = plugin::text_of(text);
    std::size_t end = std::min(all.size(), model::Victims::longest_reason);
    if (end < all.size())
        while (end > 0 && (static_cast<unsigned char>(all[end]) & 0xc0) == 0x80) --end;
    std::string out(all.substr(0, end));
    std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return out;
}

}  // namespace

NodeToStatus::NodeToStatus(const Search &search, const Filters &filters, const model::Status &absent)
    : search_(search), absent_texts_(views_of(absent.reasons)) {
    codes_.assign(search.nodes.slots, absent.code);
    rejection_.resize(search.nodes.slots);
    for (std::uint32_t slot : filters.visited()) codes_[slot] = BERTH_STATUS_SUCCESS;
    for (const auto &rejected : filters.rejected()) {
        codes_[rejected.slot] = rejected.code;
        rejection_[rejected.slot] = &rejected;
    }
    view_.struct_size = sizeof view_;
    view_.handle = model::to_handle<plugin::GivenOutcome>(this);
    view_.code = codes_.data();
    view_.absent_code = absent.code;
}

std::uint64_t NodeToStatus::reasons(std::uint32_t slot, const berth_str **texts) {
    const std::vector<berth_str> *list = &absent_texts_;
    if (slot < codes_.size() && (rejection_[slot] || codes_[slot] == BERTH_STATUS_SUCCESS)) {
        auto id = rejection_[slot] ? rejection_[slot]->reasons : BERTH_NO_REASONS;
        auto [at, fresh] = texts_.try_emplace(id);
        const auto *known = search_.call.reasons().find(id);
        if (fresh && known) at->second = views_of(*known);
        list = &at->second;
    }
    *texts = list->data();
    return list->size();
}

berth_str NodeToStatus::plugin(std::uint32_t slot) {
    if (slot >= codes_.size() || !rejection_[slot] || !rejection_[slot]->plugin) return {};
    return model::to_str(rejection_[slot]->plugin->name);
}

std::uint64_t NodeToStatus::slots_with(std::int32_t code, const std::uint32_t **slots) {
    auto [at, fresh] = by_code_.try_emplace(code);
    const berth_nodes &nodes = search_.nodes;
    for (std::uint32_t i = 0; fresh && i < nodes.count; ++i)
        if (codes_[nodes.order[i]] == code) at->second.push_back(nodes.order[i]);
    *slots = at->second.data();
    return at->second.size();
}

void PostFilters::nominate(berth_str node) {
    // A nomination after the end of the call is ignored.
    if (run_) run_->nominated = std::string(model::view(node));
}

std::int32_t PostFilters::name_victims(const std::uint32_t *rows, std::uint64_t n, berth_str reason) {
    constexpr std::uint64_t most = 10'000;
    if (!run_ || !rows || n < 1 || n > most) return BERTH_STATUS_INVALID;
    const berth_pods &pods = *run_->search.nodes.pods;
    const std::span all(rows, n);
    if (!are_placed(pods, all)) return BERTH_STATUS_INVALID;
    model::Victims named;
    for (auto row : all.first(std::min<std::size_t>(n, model::Victims::most))) {
        const auto meta = model::object_of(pods.obj[row])->meta();
        named.pods.push_back(std::string(model::view(meta.namespace_)).append("/").append(model::view(meta.name)));
    }
    named.more = n - named.pods.size();
    named.reason = reason_of(reason);
    run_->victims = std::move(named);
    return BERTH_STATUS_SUCCESS;
}

void PostFilters::run(const Search &search, Participants active, const Filters &filters, const model::Status &absent,
                      OnEnd on_end) {
    calls_.clear();
    run_ = std::make_shared<Run>(search, std::move(active), filters, absent, std::move(on_end));
    go_on();
}

const plugin::PendingCall *PostFilters::pending_call() const {
    return run_ && !calls_.empty() && calls_.back().pending() ? &calls_.back() : nullptr;
}

/// Calls the remaining plugins until one is pending or decides.
void PostFilters::go_on() {
    const auto &plugins = run_->search.profile.post_filter;
    while (run_->next < plugins.size()) {
        const plugin::Instance &instance = *plugins[run_->next++];
        run_->nominated.reset();
        run_->victims = {};
        dry_runs_.begin(run_->search, run_->active);
        auto place = calls_.size();
        auto &call = calls_.emplace_back(instance, point, run_->search.call, clock_,
                                         [this, place, weak = std::weak_ptr(alive_)] {
                                             if (weak.lock() && place < calls_.size()) completed(calls_[place]);
                                         });
        const Search &s = run_->search;
        const auto start = plugin::meter_ns();
        auto status = call.call([&](berth_status *raw, const berth_done *done) {
            instance.post_filter->post_filter(instance.self, s.call.call(), s.state.handle(), &s.pod, &s.nodes,
                                              run_->node_to_status.view(), handle(), raw, done);
        });
        if (auto *meter = instance.meter()) meter->called(instance, point, 1, plugin::meter_ns() - start);
        if (!status) return;
        if (!take(instance, std::move(*status))) break;
    }
    end();
}

void PostFilters::completed(plugin::PendingCall &call) {
    // A call that returned at once, or belongs to an earlier run, is ignored.
    if (!run_ || !call.pending() || !call.ended()) return;
    if (take(call.instance(), call.take())) go_on();
    else end();
}

/// One plugin's result. True if the next one must be called.
bool PostFilters::take(const plugin::Instance &instance, model::Status status) {
    const Search &s = run_->search;
    s.call.free_scratch();
    auto fail = [&](const std::string &what) {
        status = {.code = BERTH_STATUS_ERROR,
                  .error = "plugin " + quoted(instance.name) + " " + what,
                  .reasons = {},
                  .plugin = instance.name};
        plugin::misbehaved(instance, point, status.error);
    };
    auto &nominated = run_->nominated;
    if (auto left = dry_runs_.end()) fail("answered at PostFilter with its trial of node " + quoted(*left) + " open");
    if (status.code != BERTH_STATUS_ERROR && nominated && !nominated->empty() &&
        model::find_node(s.nodes, model::to_str(*nominated)) == BERTH_NO_SLOT)
        fail("nominated the pod to node " + quoted(*nominated) + ", which does not exist");
    if (!status.success() && !status.rejected()) nominated.reset(), run_->victims = {};
    auto &result = run_->result;
    result.said.push_back({instance.name, status, nominated, run_->victims});
    if (status.success()) result.victims = std::move(run_->victims);
    if (nominated) result.nomination = nominated;
    const bool last_word = status.success() || status.code == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE;
    if (last_word) {
        // What earlier plugins said does not count any more.
        result.nomination = nominated;
        run_->reasons.clear();
        result.message = status.message();
        return false;
    }
    if (!status.rejected()) {
        result.nomination.reset();
        result.failed = true;
        result.message = failure_text(status);
        run_->reasons.clear();
        return false;
    }
    run_->reasons.insert(run_->reasons.end(), status.reasons.begin(), status.reasons.end());
    return true;
}

void PostFilters::end() {
    auto run = std::move(run_);
    if (!run->reasons.empty())
        run->result.message = model::Status{BERTH_STATUS_UNSCHEDULABLE, {}, std::move(run->reasons), {}}.message();
    run->on_end(std::move(run->result));
}

}  // namespace berth::cycle
