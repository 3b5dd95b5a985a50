// SPDX-License-Identifier: Apache-2.0
//go:build kube137

package timeline

import resource "k8s.io/api/resource/v1"

func init() {
	kinds = append(kinds, kindOf[resource.DeviceTaintRule](resource.SchemeGroupVersion, "devicetaintrules", "DeviceTaintRule", false))
}
