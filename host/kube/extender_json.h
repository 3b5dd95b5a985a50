// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON bodies of requests to extenders and of their answers (k8s.io/kube-scheduler/extender/v1). Their keys are
/// Go's names of the fields; an extender may write them in any case.

#include "env/extender.h"

#include <string>
#include <string_view>

namespace berth::kube {

/// ExtenderArgs. `names_only`: the extender knows the nodes by itself.
std::string extender_args(const model::Object &pod, std::span<const env::Extender::Node> nodes, bool names_only);
/// ExtenderPreemptionArgs. `uids_only`: the extender knows the pods by itself.
std::string extender_preemption_args(const model::Object &pod, std::span<const env::Extender::Candidate> candidates,
                                     bool uids_only);
/// ExtenderBindingArgs.
std::string extender_binding_args(const model::Pod &pod, std::string_view node);

/// ExtenderFilterResult. Its own error is the error.
model::Result<env::Extender::Filtered> read_filter_result(std::string_view body, bool names_only);
/// HostPriorityList.
model::Result<std::vector<env::Extender::Score>> read_host_priorities(std::string_view body);
/// ExtenderPreemptionResult.
model::Result<env::Extender::Preempted> read_preemption_result(std::string_view body);
/// ExtenderBindingResult. Its own error is the error.
model::Result<void> read_binding_result(std::string_view body);

}  // namespace berth::kube
