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
	// Locked too, but upstream's own runs turn it off, as they emulate an older version.
	ignored = "SchedulerQueueingHints"
)

func (g gates) check() error {
	for _, gate := range slices.Sorted(maps.Keys(g)) {
		understood := gate == ignored || slices.Contains(ofTheScheduler, gate) || slices.Contains(ofBoth, gate) ||
			g[gate] && slices.Contains(lockedOn, gate)
		if !understood {
			return fmt.Errorf("featureGates.%s: %t is not understood here", gate, g[gate])
		}
	}
	return nil
}

func (g gates) ofKubeScheduler() []string { return g.flag(slices.Concat(ofTheScheduler, ofBoth)) }
func (g gates) ofAPIServer() []string     { return g.flag(ofBoth) }

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
// change how a scheduler calls the API server, or what it knows of devices, of which the workloads have none.
func (g gates) ofBerth() string {
	if on, given := g[string(features.NodeDeclaredFeatures)]; given && !on {
		return "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeDeclaredFeatures}]}}}]\n"
	}
	return ""
}
