// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"reflect"
	"unsafe"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

// WithoutDeviceScores lets NodeResourcesFit or NodeResourcesBalancedAllocation not count devices as what a node offers of an
// extended resource. Berth does not (docs/differences.md).
func WithoutDeviceScores(plugin any) {
	scorer := reflect.Indirect(field(plugin, "resourceAllocationScorer"))
	counts := scorer.FieldByName("enableDRAExtendedResource")
	reflect.NewAt(counts.Type(), unsafe.Pointer(counts.UnsafeAddr())).Elem().SetBool(false)
}

// withoutDeviceScores does so in a profile, which counts the calls of its plugins.
func withoutDeviceScores(fw framework.Framework) {
	plugins := field(fw, "scorePlugins")
	for i := range plugins.Len() {
		plugin := plugins.Index(i).Interface().(fwk.ScorePlugin)
		if counted := reflect.Indirect(reflect.ValueOf(plugin)).FieldByName("ScorePlugin"); counted.IsValid() {
			plugin = counted.Interface().(fwk.ScorePlugin)
		}
		switch plugin.Name() {
		case noderesources.Name, noderesources.BalancedAllocationName:
			WithoutDeviceScores(plugin)
		}
	}
}
