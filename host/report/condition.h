// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The patches of the conditions PodScheduled and PodGroupInitiallyScheduled.

#include "env/api.h"
#include "model/decision.h"
#include "model/pod_group.h"

#include <optional>
#include <string>

namespace berth::report {

/// The strategic merge patch of pods/status that kube-scheduler v1.36.3 sends after this failed attempt: the
/// differences between `pod`'s status, as it was when it was tried, and what it is to be, with the pod's uid, which is
/// ours: the server refuses the patch when another pod has the name by then. Nothing if there are no differences.
/// `now_ns` becomes the transition time of a condition whose status changes.
std::optional<std::string> condition_patch(const model::Pod &pod, const model::Decision &decision, std::int64_t now_ns);

/// The patch that makes status.nominatedNodeName `node`, alone, with the pod's uid. Nothing if it is that already.
std::optional<std::string> nomination_patch(const model::Pod &pod, std::string_view node);

/// The request that makes this the condition of the group's status, which kube-scheduler v1.37.2 sends: the differences
/// from the status that the group came with.
env::ApiRequest group_request(const model::PodGroup &group, const model::GroupCondition &condition,
                              std::int64_t now_ns);

/// Whether the answer to such a patch says that the pod is not there any more, or that another one has its name.
bool is_gone(const env::ApiAnswer &answer);

/// The request that carries such a patch.
env::ApiRequest status_request(const model::Pod &pod, std::string patch);

}  // namespace berth::report
