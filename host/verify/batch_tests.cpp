// SPDX-License-Identifier: Apache-2.0
// Tests that Filter and Score of a node do not depend on its batch.
#include "verify/world.h"

#include "cycle/scores.h"
#include "model/status.h"

#include <algorithm>

namespace berth::verify {
namespace {

using Slots = std::vector<std::uint32_t>;

/// The same slots in other batches: one by one, all in another order, in pieces.
std::vector<std::vector<Slots>> cuts(Random &random, const Slots &slots) {
    std::vector<std::vector<Slots>> out(4);
    for (auto slot : slots) out[0].push_back({slot});
    out[1].emplace_back(slots.rbegin(), slots.rend());
    out[2].push_back(slots);
    random.shuffle(out[2].front());
    Slots rest = slots;
    random.shuffle(rest);
    while (!rest.empty()) {
        const auto n = static_cast<std::ptrdiff_t>(1 + random.below(rest.size()));
        out[3].emplace_back(rest.end() - n, rest.end());
        rest.erase(rest.end() - n, rest.end());
    }
    return out;
}

Finding clone_threw(const Attempt &attempt) {
    return {"a copy of the state that PreFilter left", "the state's clone threw", attempt.where()};
}

const std::string same = "the same answer for a node, whatever batch the call has";

std::string of_batch(std::size_t n) {
    return n == 1 ? " when the node is alone" : " in a batch of " + std::to_string(n);
}

Found filter_splits(World &world, Run &) {
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.filters()) continue;
        const auto &slots = attempt.slots();
        auto state = attempt.state.clone();
        if (!state) return clone_threw(attempt);
        const auto all = attempt.filter(*state, slots);
        std::map<std::uint32_t, std::size_t> place;
        for (std::size_t i = 0; i < slots.size(); ++i) place[slots[i]] = i;
        for (const auto &cut : cuts(world.random, slots)) {
            auto copy = attempt.state.clone();
            if (!copy) return clone_threw(attempt);
            for (const auto &part : cut) {
                const auto verdicts = attempt.filter(*copy, part);
                for (std::size_t i = 0; i < part.size(); ++i)
                    if (const auto &first = all[place[part[i]]]; verdicts[i] != first)
                        return Finding{
                            same,
                            first.text() + of_batch(slots.size()) + ", " + verdicts[i].text() + of_batch(part.size()),
                            attempt.where(part[i])};
            }
        }
    }
    return {};
}

/// The nodes that passed Filter and were given to PreScore: the state that Score begins with.
bool prepare_score(Attempt &attempt, Slots &feasible) {
    if (!attempt.pre_filter.success()) return false;
    feasible = attempt.fitting(attempt.state);
    return !feasible.empty() && attempt.pre_score(attempt.state, feasible);
}

Found score_splits(World &world, Run &) {
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        Slots slots;
        if (!prepare_score(attempt, slots)) continue;
        auto state = attempt.state.clone();
        if (!state) return clone_threw(attempt);
        const auto all = attempt.score(*state, slots);
        if (!all) return Finding{"scores", all.error().text, attempt.where()};
        std::map<std::uint32_t, std::int64_t> scores;
        for (std::size_t i = 0; i < slots.size(); ++i) scores[slots[i]] = (*all)[i];
        for (const auto &cut : cuts(world.random, slots)) {
            auto copy = attempt.state.clone();
            if (!copy) return clone_threw(attempt);
            for (const auto &part : cut) {
                const auto now = attempt.score(*copy, part);
                if (!now)
                    return Finding{same,
                                   "scored" + of_batch(slots.size()) + ", failed" + of_batch(part.size()) + ": " +
                                       now.error().text,
                                   attempt.where()};
                for (std::size_t i = 0; i < part.size(); ++i)
                    if (scores[part[i]] != (*now)[i])
                        return Finding{same,
                                       std::to_string(scores[part[i]]) + of_batch(slots.size()) + ", " +
                                           std::to_string((*now)[i]) + of_batch(part.size()),
                                       attempt.where(part[i])};
            }
        }
    }
    return {};
}

Found filter_results(World &world, Run &) {
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.filters()) continue;
        const auto verdicts = attempt.filter(attempt.state, attempt.slots());
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            const auto code = verdicts[i].code;
            if (code == BERTH_STATUS_SUCCESS || model::is_rejection(code)) continue;
            return Finding{"Success, Unschedulable, UnschedulableAndUnresolvable or Pending for every node of the call",
                           verdicts[i].text(), attempt.where(attempt.slots()[i])};
        }
    }
    return {};
}

/// Of all feasible nodes, of some, of one: whatever the host leaves to be scored.
Found score_range(World &world, Run &) {
    for (const auto &pod : world.pending) {
        for (int which = 0; which < 4; ++which) {
            Attempt attempt(world, pod);
            Slots slots = attempt.slots();
            if (!attempt.pre_filter.success() || slots.empty()) break;
            world.random.shuffle(slots);
            if (which == 1) slots.resize(1);
            if (which > 1) slots.resize(1 + world.random.below(slots.size()));
            if (attempt.filters()) {
                const auto verdicts = attempt.filter(attempt.state, slots);
                Slots left;
                for (std::size_t i = 0; i < slots.size(); ++i)
                    if (verdicts[i].code == BERTH_STATUS_SUCCESS) left.push_back(slots[i]);
                slots = left;
            }
            if (slots.empty()) continue;
            cycle::Scores scores;
            cycle::Signatures signatures;
            auto status = scores.run(attempt.search(attempt.state), signatures, {.slots = slots}, true);
            if (!status.success())
                return Finding{"scores from 0 to 100 when they are normalized", status.message(),
                               attempt.where() + ", " + std::to_string(slots.size()) + " nodes"};
        }
    }
    return {};
}

/// A plugin whose call was cancelled continues for at most 64 nodes.
constexpr std::size_t most_after_cancel = 64;

Found filter_cancel(World &world, Run &) {
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.filters() || attempt.slots().size() <= most_after_cancel) continue;
        attempt.call.set_cancelled(true);
        const auto verdicts = attempt.filter(attempt.state, attempt.slots());
        const auto judged =
            std::ranges::count_if(verdicts, [](const auto &v) { return v.code != BERTH_STATUS_NOT_EVALUATED; });
        if (judged > static_cast<std::ptrdiff_t>(most_after_cancel))
            return Finding{"an end within 64 nodes once berth_cancelled(call) is true",
                           std::to_string(judged) + " nodes were judged", attempt.where()};
    }
    return {};
}

Found score_cancel(World &world, Run &) {
    const auto &instance = world.instance();
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        Slots slots;
        if (!prepare_score(attempt, slots) || slots.size() <= most_after_cancel) continue;
        attempt.call.set_cancelled(true);
        constexpr std::int64_t unwritten = -987654321;
        std::vector<std::int64_t> out(slots.size(), unwritten);
        plugin::StatusSlot status;
        (void)plugin::guard(instance, "Score", [&] {
            instance.score->score(instance.self, attempt.call.call(), attempt.state.handle(), &attempt.view(),
                                  &attempt.nodes, slots.data(), slots.size(), out.data(), status.raw());
        });
        const auto scored = std::ranges::count_if(out, [](auto score) { return score != unwritten; });
        if (scored > static_cast<std::ptrdiff_t>(most_after_cancel))
            return Finding{"an end within 64 nodes once berth_cancelled(call) is true",
                           std::to_string(scored) + " nodes were scored", attempt.where()};
    }
    return {};
}

template <WorldTest Fn>
Found usual(Run &run) {
    return in_world(run, {}, Fn);
}
template <WorldTest Fn>
Found wide(Run &run) {
    return in_world(run, {400, 400, 12, true}, Fn);
}

}  // namespace

std::vector<Test> batch_tests() {
    return {{.name = "semantics/filter-answers", .run = usual<filter_results>, .interfaces = {BERTH_PLUGIN_FILTER_V1}},
            {.name = "semantics/filter-splits", .run = usual<filter_splits>, .interfaces = {BERTH_PLUGIN_FILTER_V1}},
            {.name = "semantics/filter-cancel", .run = wide<filter_cancel>, .interfaces = {BERTH_PLUGIN_FILTER_V1}},
            {.name = "semantics/score-splits", .run = usual<score_splits>, .interfaces = {BERTH_PLUGIN_SCORE_V1}},
            {.name = "semantics/score-range", .run = usual<score_range>, .interfaces = {BERTH_PLUGIN_SCORE_V1}},
            {.name = "semantics/score-cancel", .run = wide<score_cancel>, .interfaces = {BERTH_PLUGIN_SCORE_V1}}};
}

}  // namespace berth::verify
