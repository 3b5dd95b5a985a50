// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

func TestOperationsOfDevices(t *testing.T) {
	measured := "  - {opcode: createPods, count: 1, collectMetrics: true}\n"
	for operations, expected := range map[string]string{
		measured + "  - {opcode: createResourceDriver, driverName: d, nodes: '[', maxClaimsPerNode: 1}":              "a pattern of nodes",
		measured + "  - {opcode: createResourceDriver, driverName: d, nodes: n-*, maxClaimsPerNodeParam: $none}":     "no number $none",
		measured + "  - {opcode: createResourceDriver, nodes: n-*, maxClaimsPerNode: 1}":                             "expected driverName and nodes",
		"  - {opcode: createPods, count: 1, steadyState: true, collectMetrics: true}":                                "steadyState",
		"  - {opcode: createPods, count: 1, steadyStateParam: $few, collectMetrics: true}":                           "no $few that is true or false",
		"  - {opcode: startCollectingMetrics, namespaces: [default]}\n  - {opcode: stopCollectingMetrics}":           "no pods are created",
		measured + "  featureGates: {DRAConsumableCapacity: false}":                                                  "featureGates.DRAConsumableCapacity: false",
		measured + "  featureGates: {DRADeviceTaints: true}\n  schedulerConfigPath: other.yaml":                      `unknown field "schedulerConfigPath"`,
		measured + "  - {opcode: createResourceDriver, driverName: d, nodes: n-*, maxClaimsPerNode: 1, other: 1}":    `unknown field "other"`,
		measured + "  - {opcode: allocResourceClaims, namespace: init, count: 1}":                                    `unknown field "count"`,
		measured + "  - {opcode: createResourceClaims, namespace: init, count: 1, templatePath: any.yaml}":           "createResourceClaims: this opcode",
		measured + "  - {opcode: createPods, count: 0, steadyState: true, duration: 1s, skipWaitToCompletion: true}": "steadyState",
	} {
		if _, err := readSteps(t, operations); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s\nexpected: %s\nseen: %v", operations, expected, err)
		}
	}
	w, err := readSteps(t, `
  - {opcode: createNodes, count: 1, nodeTemplatePath: other.yaml}
  - {opcode: createNodes, countParam: $few}
  - {opcode: createResourceDriver, driverName: d, nodes: n-*, maxClaimsPerNodeParam: $few}
  - {opcode: allocResourceClaims, namespace: init}
  - {opcode: createPods, countParam: $few, namespace: test, steadyState: true, durationParam: $long, collectMetrics: true}`)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{}
	if err := play(t.Context(), w, p); err != nil {
		t.Fatal(err)
	}
	for i, node := range p.nodes {
		for j := range p.log {
			p.log[j] = strings.ReplaceAll(p.log[j], node, fmt.Sprint("node-", i))
		}
	}
	expected := "slice d node-1 2\nslice d node-2 2\nallocate init\nnamespace test\nstart test\nsteadily test 3s **\nstop"
	if seen := strings.Join(p.log, "\n"); !strings.HasSuffix(seen, "\n"+expected) || strings.Contains(seen, "slice d node-0") {
		t.Errorf("expected\n%s\nnot\n%s", expected, seen)
	}
}

func claimFor(name string, count int64) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n"}, Spec: resourcev1.ResourceClaimSpec{
		Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "c", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count}}}}}}
}

func TestUpstreamsAllocatorFillsTheCluster(t *testing.T) {
	in := inventory{classes: deviceClasses{"c": {ObjectMeta: metav1.ObjectMeta{Name: "c"}}}}
	for _, name := range []string{"a", "b", "c"} {
		in.nodes = append(in.nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	in.slices = makeSlices(createDriver{DriverName: "d", Nodes: "*", MaxClaimsPerNode: 4}, in.nodes)
	var claims []*resourcev1.ResourceClaim
	for i := range 6 {
		claims = append(claims, claimFor(fmt.Sprint("claim-", i), 2))
	}
	allocated, err := in.allocate(t.Context(), claims)
	if err != nil || len(allocated) != len(claims) {
		t.Fatal(len(allocated), err)
	}
	used := map[string]bool{}
	for _, claim := range claims {
		for _, one := range claim.Status.Allocation.Devices.Results {
			used[one.Pool+"/"+one.Device] = true
		}
	}
	if len(used) != 12 {
		t.Error(used)
	}
	// The cluster is full, and what is allocated stays so.
	if again, err := in.allocate(t.Context(), claims); err != nil || len(again) > 0 {
		t.Error(again, err)
	}
	if _, err := in.allocate(t.Context(), append(claims, claimFor("more", 1))); err == nil || !strings.Contains(err.Error(), "claim n/more: none of 3 nodes") {
		t.Error(err)
	}
}

// Claims are written before the pods that may use them, with what was allocated.
func TestASimulatedClaimIsWrittenWithItsDevices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster.json")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := &simulated{file: file, devices: inventory{classes: deviceClasses{"c": {ObjectMeta: metav1.ObjectMeta{Name: "c"}}}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	steps := []error{
		s.addNodes(t.Context(), []*corev1.Node{node}),
		s.addSlices(t.Context(), makeSlices(createDriver{DriverName: "d", Nodes: "*", MaxClaimsPerNode: 1}, []*corev1.Node{node}))}
	s.held = append(s.held, claimFor("claim", 1))
	steps = append(steps, s.allocateClaims(t.Context(), "n"), s.addPods(t.Context(), []*corev1.Pod{{}}, nil))
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], `"kind":"ResourceClaim"`) || !strings.Contains(lines[2], `"device":"instance-0"`) ||
		!strings.Contains(lines[3], `"kind":"Pod"`) {
		t.Error(string(text))
	}
}

func TestAWatchShowsAPodWithItsClaims(t *testing.T) {
	name, template := "made", "template"
	waiting := func(pod *corev1.Pod) {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "own", ResourceClaimName: &name}, {Name: "new", ResourceClaimTemplateName: &template}}
	}
	complete := func(pod *corev1.Pod) {
		waiting(pod)
		pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "new", ResourceClaimName: &template}}
	}
	stream := append(frameOf(t, watch.Added, podNamed("a", waiting), "Pod"), frameOf(t, watch.Modified, podNamed("a", complete), "Pod")...)
	var shown []*corev1.Pod
	p := &podWatch{shown: map[types.UID]bool{}, show: func(pod *corev1.Pod) { shown = append(shown, pod) }}
	if err := p.read(strings.NewReader(string(stream))); err != nil || len(shown) != 1 {
		t.Fatal(shown, err)
	}
	if names, _ := claimsOf(shown[0]); strings.Join(names, " ") != "made template" {
		t.Error(names)
	}
}

func TestParametersMayBeReplaced(t *testing.T) {
	var given params
	if err := given.read("nodes=5000,long=10s,steady=true"); err != nil {
		t.Fatal(err)
	}
	all, err := params{"nodes": 1.0, "pods": 2.0, "long": "1s", "steady": false}.with(given)
	if err != nil || all.flag() != "long=10s,nodes=5000,pods=2,steady=true" || all["nodes"] != 5000.0 {
		t.Error(all, err)
	}
	if _, err := (params{"pods": 2.0}).with(params{"nodes": 1.0}); err == nil || !strings.Contains(err.Error(), "no nodes; it has pods") {
		t.Error(err)
	}
	if err := given.read("nodes"); err == nil {
		t.Error("a name without a value")
	}
}

func TestTheCeilingGivesDevicesInTurn(t *testing.T) {
	c := newCeilingClaims()
	for _, node := range []string{"a", "b"} {
		slice := makeSlice(createDriver{DriverName: "d", MaxClaimsPerNode: 2}, node)
		if err := c.takeSlice(watch.Added, encoded(resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"), slice)); err != nil {
			t.Fatal(err)
		}
	}
	pod := podNamed("p", func(pod *corev1.Pod) {
		one, two := "one", "two"
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "x", ResourceClaimName: &one}, {Name: "y", ResourceClaimName: &two}}
	})
	var found []*heldClaim
	c.find(pod, func(all []*heldClaim) { found = all })
	for _, claim := range []*resourcev1.ResourceClaim{claimFor("one", 1), claimFor("two", 2)} {
		if found != nil {
			t.Fatal("the pod has come before its claims")
		}
		if err := c.takeClaim(watch.Added, encoded(resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"), claim)); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for _, held := range found {
		first, node := held.reserve(c, bound{pod, "z"})
		seen = append(seen, fmt.Sprint(first, node))
		for _, one := range held.claim.Status.Allocation.Devices.Results {
			seen = append(seen, one.Request+one.Pool+one.Device)
		}
	}
	if text := strings.Join(seen, " "); text != "truea rainstance-0 trueb rbinstance-0 rainstance-1" {
		t.Error(text)
	}
	// Another pod shares the claim, and must be where its device is.
	if first, node := found[0].reserve(c, bound{pod, "z"}); first || node != "a" || len(found[0].claim.Status.ReservedFor) != 2 {
		t.Error(first, node, found[0].claim.Status.ReservedFor)
	}
}

func TestTheCeilingHasNoPartInExtendedResources(t *testing.T) {
	w := workload{gates: gates{"DRAExtendedResource": true}, operations: []operation{createDriver{}}}
	err := benchLive(t.Context(), options{schedulers: "berth,ceiling"}, w, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "the ceiling client makes no claims") {
		t.Error(err)
	}
	w.operations = nil
	if w.makesClaims() {
		t.Error("there are no devices")
	}
}
