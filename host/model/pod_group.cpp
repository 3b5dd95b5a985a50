// SPDX-License-Identifier: Apache-2.0
#include "model/pod_group.h"

#include "model/field.h"

#include <limits>
#include <utility>

namespace berth::model {
namespace {

/// Returns gang.minCount, or 0 for the basic policy: exactly one of the two is there.
std::int32_t read_policy(const Field &spec) {
    const auto policy = spec["schedulingPolicy"], basic = policy.object()["basic"], gang = policy["gang"];
    basic.object();
    if (basic.present() == gang.present()) {
        policy.expected("exactly one of basic and gang");
        return 0;
    }
    if (!gang.present()) return 0;
    const auto count = gang.object()["minCount"];
    const auto least = count.integer(1, std::numeric_limits<std::int32_t>::max());
    if (!least && !count.present()) count.expected("how many pods have to run at once");
    return static_cast<std::int32_t>(least.value_or(1));
}

std::optional<GroupCondition> read_condition(const Field &status) {
    const auto conditions = status.object()["conditions"];
    for (std::size_t i = 0; i < conditions.items(); ++i) {
        const auto condition = conditions.item(i);
        const auto type = condition.object()["type"], holds = condition["status"], reason = condition["reason"],
                   message = condition["message"], generation = condition["observedGeneration"];
        if (type.string() != PodGroup::scheduled) continue;
        return GroupCondition{holds.string() == "True", std::string(reason.string()), std::string(message.string()),
                              generation.integer().value_or(0)};
    }
    return std::nullopt;
}

}  // namespace

const Kind &pod_group_kind() {
    static const Kind kind = kind_of("scheduling.k8s.io", "v1beta1", "podgroups");
    return kind;
}

PodGroupPtr read_pod_group(AnyPtr object, const FaultSink &fault) {
    Faults faults{&fault, {}};
    const Field root(object->tree->value(), faults);
    const auto metadata = root["metadata"], spec = root["spec"], status = root["status"];
    const auto generation = metadata["generation"], priority = spec.object()["priority"];
    auto group = std::make_shared<PodGroup>();
    group->min_count = read_policy(spec);
    group->priority = static_cast<std::int32_t>(
        priority.integer(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max())
            .value_or(0));
    group->generation = generation.integer().value_or(0);
    group->condition = read_condition(status);
    group->object = std::move(object);
    return faults.seen.empty() ? group : nullptr;
}

std::string group_key(const Pod &pod) { return std::string(pod.name_space()).append("/").append(pod.group()); }

}  // namespace berth::model
