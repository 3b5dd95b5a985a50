// SPDX-License-Identifier: Apache-2.0
#include "scheduler/shadow.h"

#include "plugin/meter.h"
#include "scheduler/evaluation.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

using model::Agreement;

void add(model::ShadowCounts &to, const model::ShadowCounts &more) {
    for (std::size_t i = 0; i < to.attempts.size(); ++i) to.attempts[i] += more.attempts[i];
    to.real_ns += more.real_ns;
    to.shadow_ns += more.shadow_ns;
}

model::Difference::Side side_of(const cycle::ScheduleResult &result, const berth_nodes &nodes) {
    if (result.ending == cycle::Ending::Chosen) return {std::string(model::view(nodes.name[result.slot])), {}, {}, {}};
    return {{}, std::string(result.phase), result.message, result.rejectors.names()};
}

Agreement compared(const model::Difference &d, bool real_failed, bool shadow_failed) {
    const bool here = !d.real.node.empty(), there = !d.shadow.node.empty();
    if (here && there) return d.real.node == d.shadow.node ? Agreement::Same : Agreement::OtherNode;
    const bool alike = !here && !there && d.real.message == d.shadow.message && d.real.phase == d.shadow.phase &&
                       d.real.rejected_by == d.shadow.rejected_by;
    if (alike && real_failed == shadow_failed) return Agreement::Same;
    if (shadow_failed) return Agreement::Error;
    return here ? Agreement::OnlyReal : there ? Agreement::OnlyShadow : Agreement::OtherReasons;
}

}  // namespace

void Shadow::use(std::span<const plugin::Profile> profiles, const ShadowSettings &settings) {
    profiles_ = profiles;
    settings_ = settings;
    // What was kept of other plugins' answers is worth nothing.
    cycle_.emplace(seed_, clock_);
    add(before_, std::exchange(counts_, {}));
    differences_.clear();
    saved_ns_ = 0;
    paused_ = false;
}

std::optional<model::Decision> Shadow::ask(const Question &question, const cycle::ScheduleResult &real) {
    const auto at = std::ranges::find(profiles_, question.pod.scheduler_name(), &plugin::Profile::scheduler_name);
    if (at == profiles_.end() || paused_) return std::nullopt;
    if (settings_.budget_percent && saved_ns_ < 0) {
        ++counts_.attempts[static_cast<std::size_t>(Agreement::Skipped)];
        return std::nullopt;
    }
    const auto began = plugin::meter_ns();
    model::Decision theirs;
    {
        // What the shadow's plugins do is no part of what is measured of the real ones.
        const plugin::CallEnvironment::CountedBy uncounted(calls_, nullptr);
        const auto &d = question.decision;
        theirs.pod = d.pod;
        theirs.profile = d.profile;
        theirs.attempt = d.attempt;
        theirs.cycle = d.cycle;
        theirs.time_ns = d.time_ns;
        plugin::State state;
        plugin::CallContext call;
        call.reset(question.cycle_id, question.salt);
        cycle_->start_at(question.start);
        scheduler::evaluate(calls_, *cycle_,
                            {*at, question.view, state, call, question.nodes, question.cache, question.nominations},
                            question.tables, theirs);
        count(question, real, theirs);
    }
    const auto took = plugin::meter_ns() - began;
    counts_.shadow_ns += took;
    saved_ns_ -= took;
    return theirs;
}

void Shadow::count(const Question &question, const cycle::ScheduleResult &real, const model::Decision &theirs) {
    model::Difference d{theirs.pod, theirs.profile, theirs.attempt, theirs.time_ns, {}, {}, {}};
    d.real = side_of(real, question.nodes);
    d.shadow = {theirs.node, theirs.phase, theirs.message, theirs.rejected_by};
    d.agreement = compared(d, real.ending == cycle::Ending::Failed, theirs.result == model::AttemptResult::Error);
    ++counts_.attempts[static_cast<std::size_t>(d.agreement)];
    if (d.agreement == Agreement::Same || settings_.kept == 0) return;
    if (differences_.size() == settings_.kept) differences_.pop_front();
    differences_.push_back(std::make_shared<const model::Difference>(std::move(d)));
}

model::ShadowCounts Shadow::all_counts() const {
    auto out = before_;
    add(out, counts_);
    return out;
}

Shadow::Differences Shadow::newest(std::size_t most) const {
    const auto n = std::min(most, differences_.size());
    return {differences_.rbegin(), differences_.rbegin() + static_cast<std::ptrdiff_t>(n)};
}

void Shadow::earn(std::int64_t ns) {
    constexpr std::int64_t whole = 100;
    counts_.real_ns += ns;
    if (!settings_.budget_percent) return;
    saved_ns_ = std::min(saved_ns_ + ns * *settings_.budget_percent / whole, most_saved_ns);
}

Shadow::Earning::Earning(Shadow *shadow)
    : shadow_(shadow), began_ns_(shadow ? plugin::meter_ns() : 0), spent_ns_(shadow ? shadow->counts_.shadow_ns : 0) {}

Shadow::Earning::~Earning() {
    if (!shadow_) return;
    shadow_->earn(plugin::meter_ns() - began_ns_ - (shadow_->counts_.shadow_ns - spent_ns_));
}

}  // namespace berth
