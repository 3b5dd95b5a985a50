// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
)

// gates are the feature gates that a workload sets. Berth has none: what they mean for it is in ofBerth.
type gates map[string]bool

// Those that are understood. Where kube-scheduler takes one alone, the API server has nothing to do with it.
var (
	ofTheScheduler = []string{"SchedulerAsyncAPICalls", "SchedulerAsyncPreemption"}
	ofBoth         = []string{string(features.DRAExtendedResource), string(features.NodeDeclaredFeatures)}
	// These are on and cannot be turned off any more.
	lockedOn = []string{"NodeInclusionPolicyInPodTopologySpread", string(features.DynamicResourceAllocation)}
	// These are on, unless a workload turns them off.
	onAnyway = []string{string(features.DRAConsumableCapacity), string(features.DRADeviceTaints), string(features.DRAPartitionableDevices),
		string(features.DRAPrioritizedList), string(features.DRAResourceClaimDeviceStatus)}
	// Locked too, but upstream's own runs turn it off, as they emulate an older version.
	ignored = "SchedulerQueueingHints"
)

func (g gates) check() error {
	for _, gate := range slices.Sorted(maps.Keys(g)) {
		understood := gate == ignored || slices.Contains(ofTheScheduler, gate) || slices.Contains(ofBoth, gate) ||
			g[gate] && (slices.Contains(lockedOn, gate) || slices.Contains(onAnyway, gate))
		if !understood {
			return fmt.Errorf("featureGates.%s: %t is not understood here", gate, g[gate])
		}
	}
	return nil
}

func (g gates) ofKubeScheduler() []string { return g.flag(slices.Concat(ofTheScheduler, ofBoth)) }

// ofAPIServer are its flags. A workload that asks for devices has them in each version of the API, as in upstream's harness.
func (g gates) ofAPIServer() []string {
	flags := g.flag(ofBoth)
	if g.devices() {
		flags = append(flags, "--runtime-config=resource.k8s.io/v1beta2=true,resource.k8s.io/v1beta1=true,resource.k8s.io/v1alpha3=true")
	}
	return flags
}

// devices says whether a workload asks for them.
func (g gates) devices() bool { return g[string(features.DynamicResourceAllocation)] }

// flag says what is set of these, and turns off what depends on one that is off, as upstream's harness does: else the
// program would not start.
func (g gates) flag(names []string) []string {
	var said []string
	for _, gate := range slices.Sorted(maps.Keys(g)) {
		if slices.Contains(names, gate) {
			said = append(said, fmt.Sprintf("%s=%t", gate, g[gate]))
		}
	}
	dependencies := utilfeature.DefaultMutableFeatureGate.Dependencies()
	for _, gate := range slices.Sorted(maps.Keys(dependencies)) {
		if g.turnsOff(gate, names, dependencies) {
			said = append(said, fmt.Sprintf("%s=false", gate))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []string{"--feature-gates=" + strings.Join(said, ",")}
}

func (g gates) turnsOff(gate featuregate.Feature, names []string, dependencies map[featuregate.Feature][]featuregate.Feature) bool {
	return slices.ContainsFunc(dependencies[gate], func(on featuregate.Feature) bool {
		set, given := g[string(on)]
		return given && !set && slices.Contains(names, string(on)) || g.turnsOff(on, names, dependencies)
	})
}

// ofBerth is the part of its configuration that does what the gates do to kube-scheduler's default profile. The others
// change how a scheduler calls the API server. DRAExtendedResource is off only where there are no device classes.
func (g gates) ofBerth() string {
	if on, given := g[string(features.NodeDeclaredFeatures)]; given && !on {
		return "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeDeclaredFeatures}]}}}]\n"
	}
	return ""
}
