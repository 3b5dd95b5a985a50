// SPDX-License-Identifier: Apache-2.0
#include "report/call_metrics.h"

#include "model/time.h"
#include "report/profile_plugins.h"

namespace berth::report {
namespace {

/// The points whose evaluations kube-scheduler counts.
bool counts_evaluations(plugin::CalledPoint point) {
    using plugin::CalledPoint;
    return point == CalledPoint::PreFilter || point == CalledPoint::Filter || point == CalledPoint::PreScore ||
           point == CalledPoint::Score;
}

}  // namespace

void CallMetrics::use(std::span<const plugin::Profile> profiles) {
    using plugin::CalledPoint;
    instances_.clear();
    in_force_ = plugin_list(profiles);
    for (const auto &profile : profiles) {
        const std::string &name = profile.scheduler_name;
        for (const auto &instance : profile.instances) instances_[instance->id].profile = name;
        // As upstream: those that were never called are there, too.
        for (const auto *one : profile.pre_filter) evaluations({name, one->name, CalledPoint::PreFilter});
        for (const auto *one : profile.filter) evaluations({name, one->name, CalledPoint::Filter});
        for (const auto *one : profile.pre_score) evaluations({name, one->name, CalledPoint::PreScore});
        for (const auto &one : profile.score) evaluations({name, one.instance->name, CalledPoint::Score});
    }
}

void CallMetrics::called(const plugin::Instance &instance, plugin::CalledPoint point, std::size_t slots,
                         std::int64_t ns) {
    auto &known = of(instance, point);
    ++known.latency[PluginCalls::bucket(ns)];
    known.calls.add();
    known.slots.add(static_cast<double>(slots));
    known.seconds.add(model::in_seconds(ns));
}

CallMetrics::Calls &CallMetrics::of(const plugin::Instance &instance, plugin::CalledPoint point) {
    auto &known = instances_[instance.id];
    auto &calls = known.at[point.index()];
    if (!calls) calls = &of({known.profile, instance.name, point});
    return *calls;
}

CallMetrics::Calls &CallMetrics::of(const Place &place) {
    const auto [at, fresh] = calls_.try_emplace(place);
    auto &out = at->second;
    if (!fresh) return out;
    const Metrics::Labels labels{
        {"plugin", place.plugin}, {"extension_point", std::string(place.point.text())}, {"profile", place.profile}};
    out.calls = metrics_.counter(definitions_.plugin_calls, labels);
    out.slots = metrics_.counter(definitions_.plugin_slots, labels);
    out.seconds = metrics_.counter(definitions_.plugin_seconds, labels);
    out.rejections = metrics_.counter(definitions_.plugin_rejections, labels);
    if (counts_evaluations(place.point)) out.evaluations = evaluations(place);
    return out;
}

Counter CallMetrics::evaluations(const Place &place) {
    return metrics_.counter(
        definitions_.plugin_evaluations,
        {{"plugin", place.plugin}, {"profile", place.profile}, {"extension_point", std::string(place.point.text())}});
}

PluginList CallMetrics::plugins() const {
    auto out = in_force_;
    auto whole = [](const Counter &counter) { return static_cast<std::uint64_t>(counter.value()); };
    for (const auto &[place, calls] : calls_)
        out.calls.push_back({place.profile, place.plugin, std::string(place.point.text()), whole(calls.calls),
                             whole(calls.slots), whole(calls.rejections), calls.seconds.value(), calls.latency});
    return out;
}

}  // namespace berth::report
