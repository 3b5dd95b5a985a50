// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/component-base/featuregate"
)

// covered are the folders of upstream's whose workloads are all understood, but for those that are refused.
var covered = []string{"misc", "affinity", "topology_spreading", "volumes", "dra", "dra/consumablecapacity", "dra/devicetaints",
	"dra/extendedresource", "dra/extendedresource/scoring", "dra/partitionabledevices", "dra/prioritizedlist"}

// refused are the cases that are not understood, and why.
var refused = map[string]string{"PublishResourceSlices": "no pods are created while metrics are collected",
	"ExtendedResourceScoring": "schedulerConfigPath"}

// small makes no more than three of anything, so that every template is read and little of it made.
func small(w workload) workload {
	few := func(n int) int { return min(n, 3) }
	for i, op := range w.operations {
		switch op := op.(type) {
		case createNodes:
			op.Count = few(op.Count)
			w.operations[i] = op
		case createNamespaces: // as they are: pods are created in them by their numbers
		case createPods:
			op.Count = few(op.Count)
			w.operations[i] = op
		case createAny:
			op.Count = few(op.Count)
			w.operations[i] = op
		case createPodSets:
			op.Count, op.pods.Count = few(op.Count), few(op.pods.Count)
			w.operations[i] = op
		}
	}
	return w
}

// anything is a world that takes everything. It makes what is churned, too.
type anything struct{ played }

func (a *anything) addPods(context.Context, []*corev1.Pod, []boundVolume) error { return nil }
func (a *anything) churn(_ context.Context, op churn) error {
	for _, path := range op.TemplatePaths {
		if err := readTemplate(path, 0, 1, &unstructured.Unstructured{}); err != nil {
			return err
		}
	}
	return nil
}

// Everything is read and made, and the README names just those cases that cannot be simulated.
func TestEveryWorkloadOfTheseFoldersIsUnderstood(t *testing.T) {
	o := found(t)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, liveOnly := map[string]int{}, map[string]bool{}
	err = eachCase(o.upstream, func(folder, _ string, one unreadCase) error {
		if !slices.Contains(covered, folder) {
			return nil
		}
		var c testCase
		if err := json.Unmarshal(one.text, &c); err != nil {
			return err
		}
		for _, v := range c.Workloads {
			folders[folder]++
			name := folder + "/" + c.Name + "/" + v.Name
			w, err := readWorkload(o.upstream, name, nil)
			if why := refused[c.Name]; why != "" {
				if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(string(readme), "`"+c.Name+"`") {
					t.Errorf("%s: expected %q, and that the README says so, not %v", name, why, err)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "cluster.json"))
			if err != nil {
				return err
			}
			if err := play(t.Context(), small(w), &anything{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			err = errors.Join(play(t.Context(), small(w), &simulated{file: file}), file.Close())
			if err != nil && !errors.Is(err, errNoTime) {
				t.Errorf("%s: %v", name, err)
			}
			liveOnly[c.Name] = liveOnly[c.Name] || err != nil
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, is := range liveOnly {
		if listed := strings.Contains(string(readme), "`"+name+"`"); listed != is {
			t.Errorf("that the README names %s as for the live world alone is %t, and that a workload of it cannot be simulated %t", name, listed, is)
		}
	}
	for _, folder := range covered {
		if folders[folder] == 0 {
			t.Errorf("no workload is in %s", folder)
		}
	}
	t.Log(folders)
}

func TestGatesGoToWhoHasThem(t *testing.T) {
	off := gates{"NodeDeclaredFeatures": false, "SchedulerQueueingHints": false, "SchedulerAsyncAPICalls": true, "DynamicResourceAllocation": true}
	server, kube := strings.Join(off.ofAPIServer(), " "), strings.Join(off.ofKubeScheduler(), " ")
	if !strings.HasPrefix(server, "--feature-gates=NodeDeclaredFeatures=false,") ||
		!strings.HasPrefix(kube, "--feature-gates=NodeDeclaredFeatures=false,SchedulerAsyncAPICalls=true,") {
		t.Errorf("%s\n%s", server, kube)
	}
	// Else neither starts: "is enabled, but depends on features that are disabled".
	for _, said := range []string{server, kube} {
		if !strings.Contains(said, ",InPlacePodLevelResourcesVerticalScaling=false") || strings.Contains(said, "QueueingHints") {
			t.Error(said)
		}
	}
	if !strings.Contains(off.ofBerth(), "NodeDeclaredFeatures") || (gates{"NodeDeclaredFeatures": true}).ofBerth() != "" {
		t.Error(off.ofBerth())
	}
	if none := (gates{"SchedulerQueueingHints": false}); none.ofAPIServer() != nil || none.ofKubeScheduler() != nil {
		t.Error(none.ofAPIServer(), none.ofKubeScheduler())
	}
}

func TestWhatDependsOnAGateThroughAnotherIsTurnedOffToo(t *testing.T) {
	dependencies := map[featuregate.Feature][]featuregate.Feature{"C": {"B"}, "B": {"A"}, "D": {"E"}}
	off := gates{"A": false, "E": true}
	for gate, expected := range map[featuregate.Feature]bool{"A": false, "B": true, "C": true, "D": false} {
		if seen := off.turnsOff(gate, []string{"A", "E"}, dependencies); seen != expected {
			t.Errorf("%s: %t", gate, seen)
		}
	}
}

func TestAPodWithAGateIsNotExpectedToBePlaced(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "cluster.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &simulated{file: file}
	gated := &corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: "g"}}}}
	if err := s.addPods(t.Context(), []*corev1.Pod{gated, {}}, nil); err != nil || s.pods != 1 || s.created != 2 {
		t.Errorf("%+v %v", s, err)
	}
}
