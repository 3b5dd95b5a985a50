// SPDX-License-Identifier: Apache-2.0
// The simulated disruption controller and eviction API. Upstream: pkg/controller/disruption,
// pkg/registry/core/pod/storage/eviction.go.
#include "model/build.h"
#include "sim/controllers.h"

#include <berth/selector.hpp>

#include <charconv>
#include <set>

namespace berth::sim {
namespace {

/// Which pods a budget is about: none if Kubernetes refuses its selector.
class Covered {
    std::string_view name_space_;
    std::optional<LabelSelector> selector_;

public:
    explicit Covered(model::Value budget)
        : name_space_(budget["metadata"]["namespace"].string()),
          selector_(LabelSelector::of_field(budget["spec"]["selector"])) {}
    bool has(const model::Pod &pod) const {
        return selector_ && name_space_ == pod.name_space() && selector_->matches(pod.labels());
    }
};

bool is_ready(const model::Pod &pod) {
    auto conditions = pod.tree->value()["status"]["conditions"];
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions.at(i)["type"].string() == "Ready") return conditions.at(i)["status"].string() == "True";
    return false;
}

/// A number, or a percentage of `all` rounded up; nothing if it is neither.
std::optional<std::int64_t> part_of(model::Value value, std::int64_t all) {
    if (auto n = value.integer()) return n;
    constexpr std::int64_t hundred = 100;
    auto text = value.string();
    std::int64_t percent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (error != std::errc{} || std::string_view(end, text.data() + text.size()) != "%") return std::nullopt;
    return (all * percent + hundred - 1) / hundred;
}

}  // namespace

void DisruptionBudgets::object_changed(const model::Kind &kind, model::AnyPtr, model::AnyPtr after) {
    if (kind == DisruptionBudgets::kind() && after) soon();
}

void DisruptionBudgets::soon() {
    if (due_) return;
    due_ = true;
    operations_.store().clock().post([this] {
        due_ = false;
        settle();
    });
}

void DisruptionBudgets::settle() {
    for (const auto &budget : operations_.store().list(kind())) set_allowed(budget->value(), allowed(budget->value()));
}

std::int64_t DisruptionBudgets::allowed(model::Value budget) const {
    auto spec = budget["spec"];
    const bool of_scale = spec["maxUnavailable"] || spec["minAvailable"].is_string();
    std::int64_t healthy = 0, expected = 0;
    std::set<std::string> owners;
    const Covered covered(budget);
    for (const auto &[key, pod] : operations_.store().pods()) {
        if (!covered.has(*pod)) continue;
        if (is_ready(*pod) && !pod->terminating()) ++healthy;
        if (!of_scale) {
            ++expected;
            continue;
        }
        auto owner = owner_of(pod->tree->value());
        auto scale = workloads_.scale(owner);
        if (!scale) return 0;  // the controller fails safe when it cannot tell how many pods there should be
        if (owners.insert(owner).second) expected += *scale;
    }
    auto desired =
        spec["maxUnavailable"] ? part_of(spec["maxUnavailable"], expected) : part_of(spec["minAvailable"], expected);
    if (!desired || expected <= 0) return 0;
    if (spec["maxUnavailable"]) desired = std::max<std::int64_t>(0, expected - *desired);
    return std::max<std::int64_t>(0, healthy - *desired);
}

void DisruptionBudgets::set_allowed(model::Value budget, std::int64_t allowed) {
    if (budget["status"]["disruptionsAllowed"].integer() == allowed) return;
    model::Arena arena;
    model::ObjectBuilder status(arena), patch(arena);
    auto value = patch.add("status", status.add("disruptionsAllowed", allowed)).value();
    auto metadata = budget["metadata"];
    (void)operations_.patch_object(kind(), Store::key(metadata["namespace"].string(), metadata["name"].string()),
                                   model::Value{&value});
}

bool DisruptionBudgets::evict(const model::Pod &pod) {
    const bool needs_leave = !pod.finished() && !pod.terminating() && !pod.node_name().empty();
    std::vector<model::TreePtr> budgets;
    for (const auto &budget : operations_.store().list(kind()))
        if (needs_leave && Covered(budget->value()).has(pod)) budgets.push_back(budget);
    for (const auto &budget : budgets) {
        auto left = budget->value()["status"]["disruptionsAllowed"].integer().value_or(0);
        // A pod of two budgets is never evicted.
        if (left <= 0 || budgets.size() > 1) return false;
        set_allowed(budget->value(), left - 1);
    }
    return static_cast<bool>(operations_.delete_object(pod_kind, pod.key()));
}

}  // namespace berth::sim
