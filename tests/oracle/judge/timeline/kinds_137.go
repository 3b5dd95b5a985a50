// SPDX-License-Identifier: Apache-2.0
//go:build kube137

package timeline

import (
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
)

func init() {
	kinds = append(kinds,
		kindOf[resource.DeviceTaintRule](resource.SchemeGroupVersion, "devicetaintrules", "DeviceTaintRule", false),
		kindOf[scheduling.PodGroup](scheduling.SchemeGroupVersion, "podgroups", "PodGroup", true))
}
