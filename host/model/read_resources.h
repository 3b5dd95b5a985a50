// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The reader of a pod's requests and limits and of a node's resources. Negative amounts are faults.

#include "model/field.h"
#include "model/resources.h"

namespace berth::model {

/// An object from resource names to quantities.
ResourceList read_resource_list(const Field &map);

/// The same of an object that was read before; what is wrong in it is left out.
ResourceList resource_list(Value map);

/// Everything that a pod's specification and status say about its resources. Requests that are absent are defaulted as
/// the API server would: from the limits, and at pod level from the containers too.
PodResources read_pod_resources(const Field &pod, Accounting accounting = Accounting::PerContainer);

/// Whether a pod waits for a resize that its node cannot make.
bool resize_infeasible(Value conditions);

/// What a pod's `current_requests` was made of, read anew: exact, and with every requested resource, if only in the
/// amount of zero. Empty if the object's tree is not there.
ResourceList effective_requests(const Object &pod, Accounting accounting);

}  // namespace berth::model
