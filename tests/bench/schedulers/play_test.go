// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestWhatIsThereBeforeALateScheduler(t *testing.T) {
	w, err := readSteps(t, `
  - {opcode: createNodes, countParam: $few}
  - {opcode: createNodes, count: 5}
  - {opcode: createPods, count: 1, collectMetrics: true}`)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{}
	if err := fill(t.Context(), w, p, 3); err != nil {
		t.Fatal(err)
	}
	expected := `namespace bound
namespace waiting
node  0
node  1
pod bound pod- on 0
pod bound pod- on 1
pod bound pod- on 0
pod waiting pod-`
	if seen := strings.Join(p.log, "\n"); seen != expected {
		t.Errorf("expected\n%s\nnot\n%s", expected, seen)
	}
	w.operations = w.operations[2:]
	if err := fill(t.Context(), w, &played{}, 3); err == nil || !strings.Contains(err.Error(), "no nodes") {
		t.Error(err)
	}
}

// played is a world that writes down what it is asked for.
type played struct {
	log   []string
	nodes []string
}

func (p *played) note(words ...string) error {
	p.log = append(p.log, strings.Join(words, " "))
	return nil
}
func (p *played) addNodes(_ context.Context, nodes []*corev1.Node) error {
	for _, node := range nodes {
		line := []string{"node", node.Labels["zone"], node.Status.Capacity.Cpu().String()}
		if node.Status.Allocatable != nil {
			line = append(line, node.Status.Allocatable.Cpu().String())
		}
		_ = p.note(line...)
		p.nodes = append(p.nodes, node.Name)
	}
	return nil
}
func (p *played) addNamespace(_ context.Context, n *corev1.Namespace) error {
	return p.note("namespace", n.Name)
}
func (p *played) addCSINodes(_ context.Context, nodes []*storagev1.CSINode) error {
	for _, node := range nodes {
		for _, driver := range node.Spec.Drivers {
			_ = p.note("CSINode", strconv.Itoa(slices.Index(p.nodes, node.Name)), driver.Name, fmt.Sprint(*driver.Allocatable.Count),
				node.Annotations[corev1.MigratedPluginsAnnotationKey])
		}
	}
	return nil
}
func (p *played) addObjects(_ context.Context, namespace string, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		_ = p.note("object", namespace, object.GetKind(), object.GetName())
	}
	return nil
}
func (p *played) addSlices(_ context.Context, slices []*resourcev1.ResourceSlice) error {
	for _, slice := range slices {
		_ = p.note("slice", slice.Spec.Driver, slice.Name, fmt.Sprint(len(slice.Spec.Devices)))
	}
	return nil
}
func (p *played) allocateClaims(_ context.Context, namespace string) error {
	return p.note("allocate", namespace)
}
func (p *played) createSteadily(_ context.Context, name string, length time.Duration, pods []*corev1.Pod) error {
	return p.note("steadily", name, length.String(), strings.Repeat("*", len(pods)))
}
func (p *played) addPods(_ context.Context, pods []*corev1.Pod, volumes []boundVolume) error {
	for _, v := range volumes {
		_ = p.note("volume", v.volume.Name, v.volume.Spec.CSI.VolumeHandle, string(v.volume.Status.Phase), "of", v.volume.Spec.ClaimRef.Namespace,
			v.volume.Spec.ClaimRef.Name, string(v.claim.Status.Phase), "to", v.claim.Spec.VolumeName)
	}
	for _, pod := range pods {
		line := []string{"pod", pod.Namespace, pod.GenerateName}
		for _, v := range pod.Spec.Volumes {
			line = append(line, "with", v.PersistentVolumeClaim.ClaimName)
		}
		if pod.Spec.NodeName != "" {
			line = append(line, "on", strconv.Itoa(slices.Index(p.nodes, pod.Spec.NodeName)))
		}
		_ = p.note(line...)
	}
	return nil
}
func (p *played) await(_ context.Context, name string, reached stage, count int) error {
	return p.note(string(reached), name, strings.Repeat("*", count))
}
func (p *played) startMeasuring(_ context.Context, names []string) error {
	return p.note("start", names[0])
}
func (p *played) stopMeasuring(context.Context) error { return p.note("stop") }
func (p *played) churn(ctx context.Context, op churn) error {
	return p.note("churn", op.Namespace, op.Mode)
}
func (p *played) deletePods(_ context.Context, op deletePods) error {
	return p.note("delete", op.Namespace)
}
func (p *played) pause(_ context.Context, length time.Duration) error { return p.note(length.String()) }

func write(t *testing.T, path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readSteps reads a workload of these operations.
func readSteps(t *testing.T, operations string) (workload, error) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "templates", "node-default.yaml"),
		"metadata: {generateName: n-}\nstatus: {capacity: {cpu: \"{{ .Index }}\"}}\n")
	write(t, filepath.Join(dir, "templates", "pod-default.yaml"), "metadata: {generateName: pod-}\n")
	write(t, filepath.Join(dir, "a", "other.yaml"), "metadata: {generateName: other-}\n")
	write(t, filepath.Join(dir, "a", "any.yaml"), "{apiVersion: v1, kind: Service, metadata: {name: any-{{ .Index }}-{{ .Count }}}}\n")
	write(t, filepath.Join(dir, "a", "pv.yaml"), "spec: {csi: {driver: d}}\n")
	write(t, filepath.Join(dir, "a", "pvc.yaml"), "{}\n")
	write(t, filepath.Join(dir, "a", fileName), "- name: C\n  workloadTemplate:\n"+operations+
		"\n  workloads:\n  - {name: V, params: {few: 2, long: 3s}}\n- name: Unread\n  unknown: 1\n")
	return readWorkload(dir, "C/V", nil)
}

func TestOperationsMeanWhatUpstreamMeans(t *testing.T) {
	w, err := readSteps(t, `
  - {opcode: createNodes, countParam: $few, labelNodePrepareStrategy: {labelKey: zone, labelValues: [east]}}
  - opcode: createNodes
    count: 1
    nodeAllocatableStrategy: {nodeAllocatable: {cpu: "7"}, csiNodeAllocatable: {d2: {count: 3}, d1: {count: 4}}, migratedPlugins: [a, b]}
  - {opcode: createNamespaces, prefix: s, count: 1}
  - {opcode: createPodSets, count: 2, namespacePrefix: s, createPodsOp: {opcode: createPods, count: 1, podTemplatePath: other.yaml}}
  - {opcode: createPods, countParam: $few, skipWaitToCompletion: true, namespace: mine}
  - {opcode: sleep, durationParam: $long}
  - {opcode: barrier, stageRequirement: Attempted}
  - {opcode: barrier}
  - {opcode: createAny, templatePath: any.yaml, namespace: more}
  - {opcode: createAny, templatePath: any.yaml, countParam: $few}
  - {opcode: createPods, count: 1, namespace: more, persistentVolumeTemplatePath: pv.yaml, persistentVolumeClaimTemplatePath: pvc.yaml}
  - {opcode: deletePods, namespace: mine}
  - {opcode: createPods, count: 1, collectMetrics: true}`)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{}
	if err := play(t.Context(), w, p); err != nil {
		t.Fatal(err)
	}
	expected := `node east 0
node east 1
node  0 7
CSINode 2 d1 4 a,b
CSINode 2 d2 3 a,b
namespace s-0
pod s-0 other-
Scheduled s-0 *
namespace s-1
pod s-1 other-
Scheduled s-1 *
namespace mine
pod mine pod-
pod mine pod-
3s
Attempted mine **
Scheduled mine **
namespace more
object more Service any-0-1
object  Service any-0-2
object  Service any-1-2
volume more-vol-0 more-vol-0 Bound of more pvc-0 Bound to more-vol-0
pod more pod- with pvc-0
Scheduled more *
delete mine
namespace namespace-12
start namespace-12
pod namespace-12 pod-
Scheduled namespace-12 *
stop`
	if seen := strings.Join(p.log, "\n"); seen != expected {
		t.Errorf("expected\n%s\nnot\n%s", expected, seen)
	}
}

func TestWhatIsNotUnderstoodIsRefusedByName(t *testing.T) {
	measured := "  - {opcode: createPods, count: 1, collectMetrics: true}\n"
	for operations, expected := range map[string]string{
		"  - {opcode: teleport}":                                                                        "workloadTemplate[0]: teleport: this opcode",
		"  - {opcode: createNodes, count: 1, shape: round}":                                             `unknown field "shape"`,
		"  - {opcode: createNodes, countParam: $none}":                                                  "no number $none",
		measured + "  - {opcode: barrier, stageRequirement: Running}":                                   "stageRequirement: Running",
		"  - {opcode: createAny, count: 1}":                                                             "createAny: templatePath is missing",
		"  - {opcode: createPods, count: 1, persistentVolumeTemplatePath: pv.yaml}":                     "persistentVolumeClaimTemplatePath need each other",
		"  - {opcode: createNodes, count: 1, nodeAllocatableStrategy: {}, uniqueNodeLabelStrategy: {}}": "excludes",
		measured + measured:                                             "2 operations collect metrics",
		"  - {opcode: createPods, count: 1}":                            "0 operations collect metrics",
		measured + "  featureGates: {DynamicResourceAllocation: false}": "featureGates.DynamicResourceAllocation: false",
		measured + "  featureGates: {GenericWorkload: true}":            "featureGates.GenericWorkload: true",
		measured + "  schedulerConfigPath: other.yaml":                  `unknown field "schedulerConfigPath"`,
	} {
		if _, err := readSteps(t, operations); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s\nexpected: %s\nseen: %v", operations, expected, err)
		}
	}
}

func TestAWorkloadThatIsNotThereIsToldFromThoseThatAre(t *testing.T) {
	upstream := found(t).upstream
	for name, expected := range map[string]string{
		"SchedulingBasic":                 "expected CASE/WORKLOAD",
		"Nothing/5Nodes":                  "SchedulingBasic",
		"SchedulingBasic/7Nodes":          "5000Nodes_10000Pods",
		"misc/Nothing/5Nodes":             "SchedulingBasic",
		"affinity/SchedulingBasic/5Nodes": "SchedulingBasic",
	} {
		if _, err := readWorkload(upstream, name, nil); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: expected %q, not %v", name, expected, err)
		}
	}
	for _, name := range []string{"misc/SchedulingBasic/5Nodes", "Unschedulable/5Nodes/1Init/10Pods"} {
		if _, err := readWorkload(upstream, name, nil); err != nil {
			t.Error(err)
		}
	}
}
