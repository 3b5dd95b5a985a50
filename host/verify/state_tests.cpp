// SPDX-License-Identifier: Apache-2.0
// Tests of a plugin's state: in a pod's CycleState, and in its instance from pod to pod.
#include "model/look_ups.h"
#include "verify/changes.h"
#include "verify/world.h"

#include "cluster/node_simulation.h"

#include <sys/resource.h>
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>

namespace berth::verify {
namespace {

Found repeatable(World &world, Run &) {
    for (std::size_t i = 0; i < world.pending.size(); ++i) {
        const auto before = Attempt(world, world.pending[i]).results();
        (void)Attempt(world, world.pending[(i + 1) % world.pending.size()]).results();
        const auto after = Attempt(world, world.pending[i]).results();
        if (auto found = same_results("the same answers for the same pod, cluster and attempt", before, after,
                                      Attempt(world, world.pending[i]).where()))
            return found;
    }
    return {};
}

Found same_seed(World &world, Run &run) {
    for (const auto &pod : world.pending) run.trace += Attempt(world, pod).results();
    return {};
}

std::string verdicts(Attempt &attempt, plugin::State &state) {
    std::string out;
    const auto all = attempt.filter(state, attempt.slots());
    for (std::size_t i = 0; i < all.size(); ++i)
        out += attempt.where(attempt.slots()[i]) + " Filter " + all[i].text() + "\n";
    return out;
}

/// Calls `fn(attempt, row, slot)` for some placed pods and every pending one that gets as far as Filter.
template <class Fn>
Found with_others(World &world, const Fn &fn) {
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.filters()) continue;
        world.stage.scheduler.cache().reserve(4);
        for (int i = 0; i < 8; ++i) {
            const auto &pods = *attempt.nodes.pods;
            const auto row = static_cast<std::uint32_t>(world.random.below(pods.rows));
            if (pods.node_slot[row] == BERTH_NO_SLOT) continue;
            if (auto found = fn(attempt, row, pods.node_slot[row])) return found;
        }
    }
    return {};
}

std::string about(const Attempt &attempt, const berth_pod &other, std::uint32_t slot) {
    return attempt.where(slot) + ", the other pod \"" + std::string(model::view(other.namespace_)) + "/" +
           std::string(model::view(other.name)) + "\"";
}

/// RemovePod and AddPod of one pod leave the verdicts as they were, and so do AddPod and RemovePod.
Found add_remove(World &world, Run &) {
    return with_others(world, [&](Attempt &attempt, std::uint32_t row, std::uint32_t slot) -> Found {
        const auto before = verdicts(attempt, *attempt.state.clone());
        const berth_pod other = *model::look_ups(*attempt.nodes.pods).view_of(row);
        auto state = attempt.state.clone();
        {
            cluster::NodeSimulation simulation(world.stage.scheduler.cache(), slot);
            simulation.take(row);
            auto removed = attempt.change(*state, false, other, slot);
            simulation.give_back(row);
            auto added = attempt.change(*state, true, other, slot);
            for (const auto &status : {removed, added})
                if (!status.success())
                    return Finding{"Success of RemovePod and AddPod", cycle::failure_text(status),
                                   about(attempt, other, slot)};
        }
        return same_results("the verdicts of before, once RemovePod and AddPod have been called for the same pod",
                            before, verdicts(attempt, *state), about(attempt, other, slot));
    });
}

/// After RemovePod the node's verdict is that of a cluster in which the pod is not there.
Found remove_is_gone(World &world, Run &) {
    return with_others(world, [&](Attempt &attempt, std::uint32_t row, std::uint32_t slot) -> Found {
        const berth_pod other = *model::look_ups(*attempt.nodes.pods).view_of(row);
        const model::PodPtr *found = nullptr;
        for (const auto &pod : world.placed)
            if (pod->uid() == model::view(other.uid)) found = &pod;
        if (!found) return {};
        auto state = attempt.state.clone();
        Verdict tried;
        {
            cluster::NodeSimulation simulation(world.stage.scheduler.cache(), slot);
            simulation.take(row);
            if (!attempt.change(*state, false, other, slot).success()) return {};  // semantics/add-remove says so
            tried = attempt.filter(*state, {&slot, 1}).front();
        }
        world.stage.scheduler.observer().pod_deleted(*found);
        Verdict gone = tried;
        {
            Attempt without(world, attempt.pod());
            if (without.filters()) gone = without.filter(without.state, {&slot, 1}).front();
        }
        world.stage.scheduler.observer().pod_added(*found);
        (void)world.snapshot();
        if (gone.code == tried.code) return {};
        return Finding{"after RemovePod the verdict of a cluster in which the other pod is not there: " + gone.text(),
                       tried.text(), about(attempt, other, slot)};
    });
}

/// What Score says with the state that PreScore left, and with a copy of it.
Found clone_scores(World &world) {
    const auto scores = [](Attempt &attempt, plugin::State &state, std::span<const std::uint32_t> slots) {
        const auto all = attempt.score(state, slots);
        if (!all) return attempt.where() + " Score " + all.error().text + "\n";
        std::string out;
        for (std::size_t i = 0; i < slots.size(); ++i)
            out += attempt.where(slots[i]) + " Score " + std::to_string((*all)[i]) + "\n";
        return out;
    };
    if (!world.instance().score) return {};
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.pre_filter.success()) continue;
        const auto slots = attempt.fitting(attempt.state);
        if (slots.empty() || !attempt.pre_score(attempt.state, slots)) continue;
        auto copy = attempt.state.clone();
        if (!copy) return {};  // semantics/score-splits says so
        const auto before = scores(attempt, attempt.state, slots);
        if (auto found = same_results("the same scores from a copy of the state", before, scores(attempt, *copy, slots),
                                      attempt.where()))
            return found;
    }
    return {};
}

/// A copy and what it was made of are changed, and end, without each other.
Found clone(World &world, Run &) {
    if (auto found = clone_scores(world)) return found;
    return with_others(world, [&](Attempt &attempt, std::uint32_t row, std::uint32_t slot) -> Found {
        const berth_pod other = *model::look_ups(*attempt.nodes.pods).view_of(row);
        auto first = attempt.state.clone();
        const auto before = verdicts(attempt, attempt.state);
        if (auto found = same_results("the same verdicts from a copy of the state", before, verdicts(attempt, *first),
                                      attempt.where()))
            return found;
        auto copy = first->clone();
        if (auto found = same_results("the same verdicts from a copy of the state", before, verdicts(attempt, *copy),
                                      attempt.where()))
            return found;
        if (world.instance().pre_filter_ext) {
            cluster::NodeSimulation simulation(world.stage.scheduler.cache(), slot);
            for (int i = 0; i < 5; ++i) (void)attempt.change(*copy, true, other, slot);
        }
        if (auto found = same_results("a state that does not change when a copy of it does", before,
                                      verdicts(attempt, *first), about(attempt, other, slot)))
            return found;
        copy = first->clone();
        // In a pod's state the original lives longest; in the host's tests of nominated pods the copy ends first.
        auto last = copy->clone();
        copy.reset();
        return same_results("a copy of a copy that is good after that one has ended", before, verdicts(attempt, *last),
                            attempt.where());
    });
}

/// What an instance answers while it reserves a node for each pod, one after the other; all of them are given back.
std::string while_reserving(World &world, const plugin::Profile &profile) {
    std::string out;
    std::vector<std::unique_ptr<Attempt>> all;
    for (const auto &pod : world.pending) {
        auto &attempt = *all.emplace_back(std::make_unique<Attempt>(world, pod, &profile));
        out += attempt.results();
        if (attempt.pre_filter.success() && attempt.nodes.count > 0) attempt.reserve(attempt.nodes.order[0]);
    }
    for (; !all.empty(); all.pop_back()) all.back()->unreserve(all.back()->nodes.order[0]);
    return out;
}

template <class Fn>
Found leaves_all_as_it_was(World &world, const Run &run, const std::string &what, const Fn &fn) {
    std::string before, after;
    for (const auto &pod : world.pending) before += Attempt(world, pod).results();
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (attempt.nodes.count > 0) fn(attempt, attempt.nodes.order[world.random.below(attempt.nodes.count)]);
    }
    for (const auto &pod : world.pending) after += Attempt(world, pod).results();
    if (auto found = same_results("the answers of before " + what, before, after, {})) return found;
    // What is reserved shows where much is.
    const auto fresh = world.another(run.subject);
    const auto expected = while_reserving(world, fresh);
    return same_results(
        "the answers of an instance that was made now, while both reserve nodes for the same pods, after " + what,
        expected, while_reserving(world, world.profile), {});
}

Found unreserve_undoes(World &world, Run &run) {
    return leaves_all_as_it_was(world, run, "Reserve, once Unreserve has undone it", [&](Attempt &attempt, auto slot) {
        attempt.reserve(slot);
        attempt.unreserve(slot);
    });
}
Found unreserve_again(World &world, Run &run) {
    return leaves_all_as_it_was(world, run, "Reserve, once Unreserve has undone it twice",
                                [&](Attempt &attempt, auto slot) {
                                    attempt.reserve(slot);
                                    attempt.unreserve(slot);
                                    attempt.unreserve(slot);
                                });
}
Found unreserve_alone(World &world, Run &run) {
    return leaves_all_as_it_was(world, run, "an Unreserve that no Reserve came before",
                                [&](Attempt &attempt, auto slot) { attempt.unreserve(slot); });
}

/// Whether an instance that is made now, which has not seen the cluster change, answers as the one that has.
Found as_new_instance(World &world, const Run &run) {
    const auto fresh = world.another(run.subject);
    // In another order of pods, for that must not matter either.
    std::vector<std::string> expected(world.pending.size());
    for (std::size_t i = world.pending.size(); i-- > 0;)
        expected[i] = Attempt(world, world.pending[i], &fresh).results();
    for (std::size_t i = 0; i < world.pending.size(); ++i)
        if (auto found =
                same_results("the answers of an instance that was made now, which has not seen the cluster change",
                             expected[i], Attempt(world, world.pending[i]).results(), {}))
            return found;
    return {};
}

/// A long life in a changing cluster makes no difference: an instance that was made now says the same.
Found churn(World &world, Run &run) {
    constexpr int rounds = 8;
    constexpr std::size_t most_pods = 64;
    constexpr std::uint64_t objects_of_one = 4;
    auto &scheduler = world.stage.scheduler;
    ObjectChanges objects(world.stage.api.store(), world.random);
    for (int round = 0; round < rounds; ++round) {
        for (const auto &pod : world.pending) (void)Attempt(world, pod).results();
        // So many sets of labels come and go that codes are given to others.
        world.maker.own_values = round + 1 < rounds;
        for (std::size_t i = 0; i < std::min(world.placed.size(), most_pods); ++i) {
            const auto at = world.random.below(world.placed.size());
            if (world.random.once_in(2)) {
                scheduler.observer().pod_deleted(world.placed[at]);
                world.placed[at] =
                    world.maker.pod(std::string(world.nodes[world.random.below(world.nodes.size())]->name));
                scheduler.observer().pod_added(world.placed[at]);
            }
        }
        const auto which = world.random.below(world.nodes.size());
        auto changed = world.maker.node(which);
        if (world.random.once_in(3)) {
            scheduler.observer().node_deleted(world.nodes[which]);
            (void)world.snapshot();
            scheduler.observer().node_added(changed);
        } else {
            scheduler.observer().node_updated(world.nodes[which], changed);
        }
        world.nodes[which] = changed;
        objects.change(objects_of_one);
        world.stage.clock.run();
    }
    return as_new_instance(world, run);
}

/// The same while objects alone change, and nodes are so full that a limit matters.
Found churn_of_objects(World &world, Run &run) {
    constexpr int rounds = 60;
    constexpr std::uint64_t objects_of_one = 3;
    if (world.stage.api.store().kinds().empty()) return {};
    ObjectChanges objects(world.stage.api.store(), world.random);
    for (int round = 0; round < rounds; ++round) {
        objects.change(objects_of_one);
        world.stage.clock.run();
        if (auto found = as_new_instance(world, run)) return found;
    }
    return {};
}

Found churn_in_both(Run &run) {
    if (auto found = in_world(run, {}, churn)) return found;
    return in_world(run, {3, 36, 24}, churn_of_objects);
}

/// A thread that sleeps is switched away from by its own will.
Found never_blocks(World &world, Run &) {
    constexpr std::int64_t most_ns = 2'000'000;
    const auto now = [](clockid_t which) {
        timespec time{};
        ::clock_gettime(which, &time);
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    };
    const auto waits = [] {
        rusage use{};
        ::getrusage(RUSAGE_THREAD, &use);
        return use.ru_nvcsw;
    };
    // What a busy machine takes away now and then does not come with every try.
    constexpr int tries = 5;
    for (const auto &pod : world.pending) {
        std::int64_t least = INT64_MAX;
        for (int i = 0; i < tries && least >= most_ns; ++i) {
            const auto wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
            const auto before = waits();
            (void)Attempt(world, pod).results();
            const auto idle = now(CLOCK_MONOTONIC) - wall - (now(CLOCK_THREAD_CPUTIME_ID) - cpu);
            least = std::min(least, waits() == before ? 0 : idle);
        }
        if (least >= most_ns)
            return Finding{"no waiting in PreFilter, Filter and Score: they hold up every other pod",
                           "the thread stood still for " + std::to_string(least / 1'000'000) +
                               " ms at least, in each of " + std::to_string(tries) + " tries",
                           "pod \"" + pod->key() + "\""};
    }
    return {};
}

template <WorldTest Fn>
Found usual(Run &run) {
    return in_world(run, {}, Fn);
}

}  // namespace

std::vector<Test> state_tests() {
    return {
        {.name = "semantics/repeatable", .run = usual<repeatable>},
        {.name = "semantics/same-seed", .run = usual<same_seed>, .twice = true},
        {.name = "semantics/clone", .run = usual<clone>, .interfaces = {BERTH_PLUGIN_FILTER_V1, BERTH_PLUGIN_SCORE_V1}},
        {.name = "semantics/add-remove", .run = usual<add_remove>, .interfaces = {BERTH_PLUGIN_PRE_FILTER_EXT_V1}},
        {.name = "semantics/remove-is-gone",
         .run = usual<remove_is_gone>,
         .interfaces = {BERTH_PLUGIN_PRE_FILTER_EXT_V1}},
        {.name = "semantics/unreserve", .run = usual<unreserve_undoes>, .interfaces = {BERTH_PLUGIN_RESERVE_V1}},
        {.name = "semantics/unreserve-twice", .run = usual<unreserve_again>, .interfaces = {BERTH_PLUGIN_RESERVE_V1}},
        {.name = "semantics/unreserve-alone", .run = usual<unreserve_alone>, .interfaces = {BERTH_PLUGIN_RESERVE_V1}},
        {.name = "semantics/churn",
         .run = churn_in_both,
         .interfaces = {BERTH_PLUGIN_PRE_FILTER_V1, BERTH_PLUGIN_FILTER_V1, BERTH_PLUGIN_SCORE_V1}},
        {.name = "semantics/never-blocks",
         .run = usual<never_blocks>,
         .interfaces = {BERTH_PLUGIN_PRE_FILTER_V1, BERTH_PLUGIN_FILTER_V1, BERTH_PLUGIN_SCORE_V1}}};
}

}  // namespace berth::verify
