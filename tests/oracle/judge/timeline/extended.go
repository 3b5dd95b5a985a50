// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"reflect"
	"slices"
	"unsafe"

	"k8s.io/dynamic-resource-allocation/cel"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

// DeviceScores lets a plugin count devices as what a node offers of an extended resource in the way that Berth does
// (docs/differences.md): not at all if it does not see the nodes in PreScore, and for NodeResourcesBalancedAllocation by the selectors
// of the class, too, for which upstream forgets the cache that it takes for granted.
func DeviceScores(plugin any, inPreScore bool) {
	var scorer reflect.Value
	switch plugin := plugin.(type) {
	case *noderesources.Fit:
		scorer = reflect.Indirect(field(plugin, "resourceAllocationScorer"))
	case *noderesources.BalancedAllocation:
		scorer = reflect.Indirect(field(plugin, "resourceAllocationScorer"))
		set(scorer.FieldByName("DRACaches").FieldByName("celCache"), cel.NewCache(10, cel.Features{EnableConsumableCapacity: true}))
	default:
		return
	}
	if !inPreScore {
		set(scorer.FieldByName("enableDRAExtendedResource"), false)
	}
}

func set(field reflect.Value, to any) {
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(to))
}

// deviceScores does so in a profile, which counts the calls of its plugins.
func deviceScores(fw framework.Framework) {
	points := fw.ListPlugins()
	plugins := field(fw, "scorePlugins")
	for i := range plugins.Len() {
		plugin := plugins.Index(i).Interface().(fwk.ScorePlugin)
		if counted := reflect.Indirect(reflect.ValueOf(plugin)).FieldByName("ScorePlugin"); counted.IsValid() {
			plugin = counted.Interface().(fwk.ScorePlugin)
		}
		DeviceScores(plugin, InPreScore(points, plugin.Name()))
	}
}

// InPreScore tells whether a plugin is asked in PreScore; `points` are the expanded lists.
func InPreScore(points *config.Plugins, name string) bool {
	return slices.ContainsFunc(points.PreScore.Enabled, func(p config.Plugin) bool { return p.Name == name })
}
