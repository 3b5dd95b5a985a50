// SPDX-License-Identifier: Apache-2.0
#include "verify/world.h"

#include "cycle/extensions.h"
#include "cycle/scores.h"
#include "plugin/meter.h"
#include "verify/stand_in.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace berth::verify {

plugin::Profile profile_of(const Subject &subject, const plugin::Services &services) {
    auto made = subject.make(services);
    if (!made) throw std::runtime_error(made.error().text);
    plugin::Profile out;
    out.scheduler_name = "default-scheduler";
    out.instances.push_back(*std::move(made));
    out.calls = services.calls;
    enable(out, *out.instances.back());
    return out;
}

namespace {

plugin::Profile heard_profile(const Subject &subject, Stage &stage, std::optional<RequestListener> &listener,
                              Requests *listens) {
    if (listens) listener.emplace(*listens, stage.services);
    return profile_of(subject, stage.services);
}

}  // namespace

World::World(Run &run, const Size &size, Requests *listens)
    : random(run.seed),
      stage(run.seed),
      profile(heard_profile(run.subject, stage, listener, listens)),
      maker(random, run.material(plugin::used_kinds(std::span(&profile, 1)))) {
    stage.count_by(run.meter, run.coverage);
    // The queue has another profile, so that no pod is tried unless a test does.
    std::vector<plugin::Profile> others;
    others.push_back(stand_in_profile("nobody", stage.api));
    stage.scheduler.use(std::move(others));
    auto input = maker.cluster(size, plugin::used_kinds(std::span(&profile, 1)));
    for (const auto &pod : input.pods) (pod->node_name().empty() ? pending : placed).push_back(pod);
    nodes = input.nodes;
    stage.api.start(input, stage.scheduler.observer());
    get_going();
}

void World::get_going() {
    constexpr std::int64_t minute_ns = 60'000'000'000;
    constexpr int most_timers = 64;
    pass_time(stage.clock, most_timers, minute_ns);
}

plugin::Profile World::another(const Subject &subject) {
    auto out = profile_of(subject, stage.services);
    // Subscribers hear of the objects that there are when profiles change.
    std::vector<plugin::Profile> others;
    others.push_back(stand_in_profile("nobody", stage.api));
    stage.scheduler.use(std::move(others));
    (void)stage.scheduler.schedule_one();
    get_going();
    return out;
}

std::string Verdict::text() const { return model::code_name(code) + (reasons.empty() ? "" : " \"" + reasons + "\""); }

Attempt::Attempt(World &world, model::PodPtr pod, const plugin::Profile *profile)
    : world_(world),
      keeps_arrays_(world.stage.scheduler.cache().keep_arrays()),
      profile_(profile ? *profile : world.profile),
      pod_(std::move(pod)),
      about_(pod_),
      view_(pod_->view),
      nodes(world.snapshot()) {
    view_.attempts = 1;
    view_.queued_time_ns = stage_start_ns;
    call.reset(1, 1);
    pre_filter = pre_filters_.run(search(state), nullptr);
    const bool has_any = profile_.instances.front()->filter != nullptr;
    goes_on_ = pre_filter.success() && has_any && !pre_filters_.skipped(profile_.instances.front().get());
    if (!pre_filter.success()) return;
    if (pre_filters_.left().limited) slots_ = pre_filters_.left().slots;
    else slots_.assign(nodes.order, nodes.order + nodes.count);
}

cycle::Search Attempt::search(plugin::State &with) {
    return {profile_, view_, with, call, nodes, world_.stage.scheduler.cache(), world_.nominations()};
}

bool Attempt::filters() const { return goes_on_; }

std::vector<Verdict> Attempt::filter(plugin::State &with, std::span<const std::uint32_t> slots,
                                     plugin::CallContext &context, const berth_call *as) const {
    const auto &instance = *profile_.instances.front();
    std::vector<std::int32_t> codes(slots.size(), BERTH_STATUS_NOT_EVALUATED);
    std::vector<std::uint32_t> reasons(slots.size(), BERTH_NO_REASONS);
    auto thrown = plugin::counted(instance, plugin::CalledPoint::Filter, slots.size(), [&] {
        instance.filter->filter(instance.self, as, with.handle(), &view_, &nodes, slots.data(), slots.size(),
                                codes.data(), reasons.data());
    });
    context.free_scratch();
    std::vector<Verdict> out;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        Verdict &one = out.emplace_back(Verdict{codes[i]});
        if (!thrown.success()) one = {BERTH_STATUS_ERROR, thrown.error};
        else if (const auto *texts = context.reasons().find(reasons[i])) {
            for (const auto &text : *texts) one.reasons += (one.reasons.empty() ? "" : ", ") + text;
        } else {
            one.reasons = "reasons of id " + std::to_string(reasons[i]) + ", which was never given out";
            one.code = BERTH_STATUS_INVALID;
        }
    }
    if (auto *meter = instance.meter()) {
        const auto rejected = std::ranges::count_if(out, [](const Verdict &one) {
            model::Status status;
            status.code = one.code;
            return status.rejected();
        });
        meter->rejected(instance, plugin::CalledPoint::Filter, static_cast<std::size_t>(rejected));
    }
    return out;
}

std::vector<std::uint32_t> Attempt::fitting(plugin::State &with) {
    if (!goes_on_) return slots_;
    std::vector<std::uint32_t> out;
    const auto verdicts = filter(with, slots_);
    for (std::size_t i = 0; i < verdicts.size(); ++i)
        if (verdicts[i].code == BERTH_STATUS_SUCCESS) out.push_back(slots_[i]);
    return out;
}

bool Attempt::pre_score(plugin::State &with, std::span<const std::uint32_t> slots) {
    const auto &instance = *profile_.instances.front();
    if (!instance.pre_score) return true;
    plugin::StatusSlot status;
    (void)plugin::counted(instance, plugin::CalledPoint::PreScore, 1, [&] {
        instance.pre_score->pre_score(instance.self, call.call(), with.handle(), &view_, &nodes, slots.data(),
                                      slots.size(), status.raw());
    });
    call.free_scratch();
    const auto code = status.take(instance, "PreScore").code;
    if (auto *meter = instance.meter(); meter && code != BERTH_STATUS_SKIP)
        meter->evaluated(instance, plugin::CalledPoint::PreScore, 1);
    return code == BERTH_STATUS_SUCCESS;
}

model::Result<std::vector<std::int64_t>> Attempt::score(plugin::State &with, std::span<const std::uint32_t> slots,
                                                        plugin::CallContext &context) const {
    const auto &instance = *profile_.instances.front();
    std::vector<std::int64_t> out(slots.size(), 0);
    plugin::StatusSlot status;
    auto thrown = plugin::counted(instance, plugin::CalledPoint::Score, slots.size(), [&] {
        instance.score->score(instance.self, context.call(), with.handle(), &view_, &nodes, slots.data(), slots.size(),
                              out.data(), status.raw());
    });
    context.free_scratch();
    if (thrown.success()) thrown = status.take(instance, "Score");
    if (!thrown.success()) return model::Error{cycle::failure_text(thrown)};
    if (auto *coverage = world_.stage.coverage()) coverage->add_scores(out);
    return out;
}

model::Status Attempt::change(plugin::State &with, bool added, const berth_pod &other, std::uint32_t slot) {
    const plugin::Instance *instance = profile_.instances.front().get();
    return cycle::run_extensions(search(with), {&instance, 1}, added ? cycle::Change::Added : cycle::Change::Removed,
                                 other, slot);
}

void Attempt::reserve(std::uint32_t slot) {
    const auto &instance = *profile_.instances.front();
    plugin::StatusSlot status;
    (void)plugin::counted(instance, plugin::CalledPoint::Reserve, 1, [&] {
        instance.reserve->reserve(instance.self, call.call(), state.handle(), &view_, &nodes, slot, nodes.name[slot],
                                  status.raw());
    });
}

void Attempt::unreserve(std::uint32_t slot) {
    const auto &instance = *profile_.instances.front();
    (void)plugin::counted(instance, plugin::CalledPoint::Unreserve, 1, [&] {
        instance.reserve->unreserve(instance.self, call.call(), state.handle(), &view_, nodes.name[slot]);
    });
}

std::string Attempt::results() {
    std::string out = where() + " PreFilter " + model::code_name(pre_filter.code) + " " + pre_filter.message() + "\n";
    if (!pre_filter.success()) return out;
    std::vector<std::uint32_t> feasible = slots_;
    if (goes_on_) {
        feasible.clear();
        const auto verdicts = filter(state, slots_);
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            out += where(slots_[i]) + " Filter " + verdicts[i].text() + "\n";
            if (verdicts[i].code == BERTH_STATUS_SUCCESS) feasible.push_back(slots_[i]);
        }
    }
    if (profile_.score.empty() || feasible.empty()) return out;
    cycle::Scores scores;
    cycle::Signatures signatures;
    auto status = scores.run(search(state), signatures, {.slots = feasible}, true);
    if (!status.success()) return out + where() + " Score " + status.message() + "\n";
    std::vector<std::int64_t> raw;
    for (std::size_t i = 0; i < feasible.size() && !scores.active().empty(); ++i) raw.push_back(scores.raw(0, i));
    if (auto *coverage = world_.stage.coverage()) coverage->add_scores(raw);
    for (std::size_t i = 0; i < feasible.size() && !scores.active().empty(); ++i)
        out += where(feasible[i]) + " Score " + std::to_string(scores.raw(0, i)) + ", normalized " +
               std::to_string(scores.normalized(0, i)) + "\n";
    return out;
}

Found in_world(Run &run, const Size &size, WorldTest test) {
    World world(run, size);
    auto found = test(world, run);
    if (auto all = world.stage.complaints.misbehaviour(); !found && !all.empty())
        return Finding{"answers that the ABI knows, and nothing thrown", all.front()};
    return found;
}

Found same_results(const std::string &expected, const std::string &before, const std::string &after,
                   const std::string &where) {
    if (before == after) return {};
    std::istringstream a(before), b(after);
    for (std::string one, other;;) {
        const bool more = static_cast<bool>(std::getline(a, one)), others = static_cast<bool>(std::getline(b, other));
        if (more && others && one == other) continue;
        return Finding{expected,
                       "first: " + (more ? one : "nothing more") + "\nthen:  " + (others ? other : "nothing more"),
                       where};
    }
}

}  // namespace berth::verify
