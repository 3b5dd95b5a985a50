// SPDX-License-Identifier: Apache-2.0
// Tests of Filter and Score on several threads, and of whole lives of pods under strict checks.
#include "verify/world.h"

#include "env/threads.h"
#include "plugin/violations.h"
#include "verify/changes.h"
#include "verify/stand_in.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace berth::verify {
namespace {

using Slots = std::vector<std::uint32_t>;

constexpr std::size_t threads = 4;
constexpr int rounds = 25;

/// A call as the attempt's own, with the same chance, for another thread.
struct OwnCall {
    plugin::CallContext context;
    OwnCall() { context.reset(1, 1); }
};

/// Filter's verdicts or Score's numbers, as texts that can be compared.
using Results = std::vector<std::string>;

Results filter(Attempt &attempt, plugin::State &state, const Slots &slots, plugin::CallContext &context,
               const berth_call *call) {
    Results out;
    for (const auto &verdict : attempt.filter(state, slots, context, call)) out.push_back(verdict.text());
    return out;
}

Results score(Attempt &attempt, plugin::State &state, const Slots &slots, plugin::CallContext &context) {
    const auto scores = attempt.score(state, slots, context);
    if (!scores) return Results(slots.size(), scores.error().text);
    Results out;
    for (auto one : *scores) out.push_back(std::to_string(one));
    return out;
}

/// What was answered on the loop, beside what is answered elsewhere.
struct Expected {
    const Attempt &attempt;
    const Slots &slots;
    const Results &results;

    /// `now` is of the slots from place `from` on.
    Found compare(const Results &now, std::size_t from, const std::string &expected, const std::string &how) const {
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != results[from + i])
                return Finding{expected, results[from + i] + " on the loop, " + now[i] + " " + how,
                               attempt.where(slots[from + i])};
        return {};
    }
};

const std::string anywhere = "the same answer on every thread";
const std::string together = "the same answer when other nodes are judged on other threads meanwhile";

void on_another_thread(const Attempt &attempt, const std::function<void()> &what) {
    std::thread([&] {
        const plugin::AboutPod about(attempt.pod());
        what();
    }).join();
}

using Ask = std::function<Results(const Slots &, plugin::CallContext &)>;

/// All slots on a thread that is none of the plugin's, then a part of them on each of several at the same time.
Found ask_on_threads(const Expected &expected, const Ask &ask) {
    const auto &slots = expected.slots;
    Results now;
    on_another_thread(expected.attempt, [&] {
        OwnCall own;
        now = ask(slots, own.context);
    });
    if (auto found = expected.compare(now, 0, anywhere, "on another thread")) return found;

    std::array<Found, threads> wrong;
    std::barrier start(threads);
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            const plugin::AboutPod about(expected.attempt.pod());
            OwnCall own;
            const auto from = slots.size() * t / threads, to = slots.size() * (t + 1) / threads;
            const Slots mine(slots.begin() + static_cast<std::ptrdiff_t>(from),
                             slots.begin() + static_cast<std::ptrdiff_t>(to));
            for (int round = 0; round < rounds; ++round) {
                start.arrive_and_wait();
                if (!wrong[t])
                    wrong[t] = expected.compare(ask(mine, own.context), from, together, "beside three other threads");
            }
        });
    all.clear();
    for (const auto &one : wrong)
        if (one) return one;
    return {};
}

/// A call in which something else happens whenever the plugin asks for reasons, before they are read.
class Interrupted final : plugin::GivenCall {
    berth_call call_;
    plugin::GivenCall &real_;
    std::function<void()> meanwhile_;

    plugin::CallContext &context() override { return real_.context(); }
    std::uint32_t intern_reasons(const berth_str *texts, std::uint64_t n) override {
        meanwhile_();
        return real_.intern_reasons(texts, n);
    }
    void *scratch(std::uint64_t size, std::uint64_t align) override { return real_.scratch(size, align); }

public:
    Interrupted(const berth_call &real, std::function<void()> what)
        : call_(real), real_(plugin::behind(real)), meanwhile_(std::move(what)) {
        call_.handle = model::to_handle<plugin::GivenCall>(this);
    }
    const berth_call *call() const { return &call_; }
};

/// Half of the slots, while the others are judged on another thread at the worst of times: between a plugin's own
/// lines. Threads that only run at the same time seldom hit it.
Found interrupt(Attempt &attempt, plugin::State &state, const Expected &expected) {
    const auto middle = expected.slots.begin() + static_cast<std::ptrdiff_t>(expected.slots.size() / 2);
    const Slots mine(expected.slots.begin(), middle), others(middle, expected.slots.end());
    Found of_others;
    const auto meanwhile = [&] {
        on_another_thread(attempt, [&] {
            OwnCall own;
            if (of_others) return;
            of_others = expected.compare(filter(attempt, state, others, own.context, own.context.call()), mine.size(),
                                         together, "while another thread was in Filter");
        });
    };
    OwnCall own;
    const Interrupted interrupted(*own.context.call(), meanwhile);
    if (auto found = expected.compare(filter(attempt, state, mine, own.context, interrupted.call()), 0, together,
                                      "when another thread was in Filter meanwhile"))
        return found;
    return of_others;
}

Found filter_threads(World &world, Run &) {
    world.stage.count_by(nullptr);  // a meter is the loop's
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.filters()) continue;
        const auto &slots = attempt.slots();
        auto state = attempt.state.clone();
        if (!state) return {};  // semantics/filter-splits says so
        const auto results = filter(attempt, *state, slots, attempt.call, attempt.call.call());
        const Expected expected{attempt, slots, results};
        if (auto found = interrupt(attempt, *state, expected)) return found;
        if (auto found = ask_on_threads(expected, [&](const Slots &part, plugin::CallContext &context) {
                return filter(attempt, *state, part, context, context.call());
            }))
            return found;
    }
    return {};
}

Found score_threads(World &world, Run &) {
    world.stage.count_by(nullptr);  // a meter is the loop's
    for (const auto &pod : world.pending) {
        Attempt attempt(world, pod);
        if (!attempt.pre_filter.success()) continue;
        const auto slots = attempt.fitting(attempt.state);
        if (slots.empty() || !attempt.pre_score(attempt.state, slots)) continue;
        const auto results = score(attempt, attempt.state, slots, attempt.call);
        if (auto found =
                ask_on_threads({attempt, slots, results}, [&](const Slots &part, plugin::CallContext &context) {
                    return score(attempt, attempt.state, part, context);
                }))
            return found;
    }
    return {};
}

/// Schedules until nothing more happens within a minute. A plugin may complete a call late, on a thread of its own,
/// which needs time that is not virtual.
void drive(Stage &stage) {
    using namespace std::chrono_literals;
    constexpr std::int64_t minute_ns = 60'000'000'000;
    constexpr int most_attempts = 600, short_wait = 20, long_wait = 2000;  // ms
    const auto end = stage.clock.now_ns() + minute_ns;
    int attempts = 0, waited = 0;
    for (;;) {
        bool any = stage.clock.run();
        while (attempts < most_attempts && stage.scheduler.schedule_one()) {
            ++attempts;
            any = true;
            stage.clock.run();
        }
        if (any) {
            waited = 0;
            continue;
        }
        const auto when =
            std::min(stage.clock.next_timer().value_or(INT64_MAX),
                     attempts < most_attempts ? stage.scheduler.next_ready().value_or(INT64_MAX) : INT64_MAX);
        const bool over = when > end;
        if (!stage.scheduler.pending_calls().empty() && waited++ < (over ? long_wait : short_wait)) {
            std::this_thread::sleep_for(1ms);
            continue;
        }
        if (over) return;
        stage.clock.advance_to(when);
    }
}

/// What happens in a cluster from day to day, so that pods wake and are evaluated again. Pods that wait go, too.
void change(Stage &stage, ClusterMaker &maker, Random &random, const sim::Input &input) {
    for (std::size_t i = 0; i < input.pods.size(); i += 3) {
        stage.api.store().remove(sim::pod_kind, input.pods[i]->key());
    }
    for (int i = 0; i < 4; ++i) {
        const auto which = random.below(input.nodes.size());
        (void)stage.api.store().put_node(*maker.node(which)->tree);
    }
    constexpr std::uint64_t objects_of_one = 4;
    ObjectChanges(stage.api.store(), random).change(objects_of_one);
}

Found strict_checks(Run &run) {
    Stage stage(run.seed, plugin::Checks::Strict);
    stage.count_by(run.meter, run.coverage);
    env::Threads workers(stage.clock, 2);
    stage.services.workers = &workers;
    auto profile = profile_of(run.subject, stage.services);
    const auto kinds = plugin::used_kinds(std::span(&profile, 1));
    complete(profile, stage.api);
    std::vector<plugin::Profile> profiles;
    profiles.push_back(std::move(profile));
    stage.scheduler.use(std::move(profiles));
    Random random(run.seed);
    ClusterMaker maker(random, run.material(kinds));
    // With too many pods, so that some wait for what changes.
    const auto input = maker.cluster({8, 40, 40}, kinds);
    stage.api.start(input, stage.scheduler.observer());
    drive(stage);
    change(stage, maker, random, input);
    drive(stage);
    const auto late = stage.scheduler.pending_calls();

    // A pod that waits in Permit would let the instance live on.
    std::vector<std::string> left;
    for (const auto &[key, pod] : stage.api.pods()) left.push_back(key);
    std::ranges::sort(left);
    for (const auto &key : left) stage.api.store().remove(sim::pod_kind, key);
    if (late.empty()) drive(stage);
    // The instance ends; objects that it still holds are reported then.
    profiles.clear();
    profiles.push_back(stand_in_profile("nobody", stage.api));
    stage.scheduler.use(std::move(profiles));
    drive(stage);
    for (const auto &line : stage.complaints.errors())
        if (line.find("broke the plugin ABI") != line.npos)
            return Finding{"nothing that the strict checks find while pods are scheduled, from PreEnqueue to PostBind",
                           line};
    if (!late.empty())
        return Finding{"an answer, on whatever thread and once, to each call that was answered with IN_PROGRESS",
                       late.front()};
    // What the host itself finds, as in `berth simulate`.
    if (const auto all = plugin::violations(); all.count > 0)
        return Finding{"answers that the ABI knows, and no request that was not declared", all.first};
    return {};
}

/// With many pods on each node.
template <WorldTest Fn>
Found full(Run &run) {
    return in_world(run, {24, 144, 24}, Fn);
}

}  // namespace

std::vector<Test> thread_tests() {
    return {{.name = "threads/filter", .run = full<filter_threads>, .interfaces = {BERTH_PLUGIN_FILTER_V1}},
            {.name = "threads/score", .run = full<score_threads>, .interfaces = {BERTH_PLUGIN_SCORE_V1}},
            {.name = "threads/strict-checks", .run = strict_checks}};
}

}  // namespace berth::verify
