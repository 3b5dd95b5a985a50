// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A PodGroup (scheduling.k8s.io/v1beta1) as the scheduler needs it: read once, when it arrives.

#include "model/any_object.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::model {

/// The kind of pod groups that is watched.
const Kind &pod_group_kind();

/// A condition of a PodGroup's status.
struct GroupCondition {
    bool holds = false;  ///< status is "True"
    std::string reason, message;
    std::int64_t generation = 0;  ///< observedGeneration
    bool operator==(const GroupCondition &) const = default;
};

/// Immutable. `object` owns what the views point to.
struct PodGroup {
    /// The condition that kube-scheduler writes.
    static constexpr std::string_view scheduled = "PodGroupInitiallyScheduled";

    AnyPtr object;
    std::int32_t min_count = 0;  ///< of a gang; 0: the policy is basic
    std::int32_t priority = 0;   ///< 0 if there is none
    std::int64_t generation = 0;
    std::optional<GroupCondition> condition;  ///< `scheduled`, if the status has it

    std::string_view name_space() const { return object->name_space; }
    std::string_view name() const { return object->name; }
    std::string key() const { return object->key(); }  ///< "namespace/name"
};
using PodGroupPtr = std::shared_ptr<const PodGroup>;

/// Reads what an object of that kind says. nullptr after reporting every fault; unknown fields are none.
PodGroupPtr read_pod_group(AnyPtr object, const FaultSink &fault);

/// "namespace/name" of the group that the pod is a member of.
std::string group_key(const Pod &pod);

}  // namespace berth::model
