// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	v1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// Berth finds devices for claims, but not for extended resources: where the real plugin would look for some for these, it
// rejects the node in its own words.
const noExtendedDevices = "node(s) would have to give devices for extended resources, and Berth does not allocate these yet"

// InBerthsWords turns what the real DynamicResources says of a node into what Berth's does.
func InBerthsWords(status *fwk.Status, classes fwk.DeviceClassResolver, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if status.IsRejected() && status.Message() == "cannot fit resource" {
		return status
	}
	for name, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if !amount.IsZero() && util.IsDRAExtendedResourceName(name) && classes.GetDeviceClass(name) != nil && node.GetAllocatable().GetScalarResources()[name] == 0 {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, noExtendedDevices)
		}
	}
	return status
}
