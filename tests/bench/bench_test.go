// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

// found are the options that bench.sh --test passes on; without it there is nothing to test with.
func found(t *testing.T) options {
	o := options{
		worldName: "live", schedulers: "ceiling,kube-scheduler,berth",
		upstream: os.Getenv("BENCH_UPSTREAM"), cluster: os.Getenv("BENCH_CLUSTER"), berth: os.Getenv("BENCH_BERTH"),
		dir: t.TempDir(),
	}
	if o.upstream == "" || o.cluster == "" || o.berth == "" {
		t.Fatal("run tests/bench/bench.sh --test, which says where everything is")
	}
	return o
}

// TestMain lets the test be the ceiling client, too: the bench starts itself once more for that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "ceiling" {
		main()
		return
	}
	os.Exit(m.Run())
}

// expect fails unless the text has just these lines, by regular expressions.
func expect(t *testing.T, text string, patterns ...string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(patterns) {
		t.Fatalf("expected %d lines:\n%s", len(patterns), text)
	}
	for i, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(lines[i]) {
			t.Errorf("line %d does not match %s:\n%s", i+1, pattern, lines[i])
		}
	}
}

func TestSchedulersThatStartLate(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	o.bound = 7
	var out bytes.Buffer
	if err := bench(t.Context(), o, "SchedulingBasic/5Nodes", &out); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(),
		`^kube-scheduler first binding after +[0-9]+ ms   CPU +[0-9.]+ s   memory +[0-9.]+ MiB$`,
		`^berth +first binding after +[0-9]+ ms   CPU +[0-9.]+ s   memory +[0-9.]+ MiB$`,
		`^SchedulingBasic/5Nodes beside 7 bound pods: first binding [0-9.]+× CPU [0-9.]+× memory [0-9.]+×$`)
}

func TestTheSmallestWorkloadIsPlayedLive(t *testing.T) {
	if testing.Short() {
		t.Skip("a control plane is not for short tests")
	}
	o := found(t)
	var out bytes.Buffer
	if err := bench(t.Context(), o, "SchedulingBasic/5Nodes", &out); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(),
		`^ceiling +10 pods +[0-9.]+ pods/s   created to bound p50 +[0-9.]+ ms p99 +[0-9.]+ ms   CPU/pod .* memory +[0-9.]+ MiB$`,
		`^kube-scheduler +10 pods .* CPU/pod .* memory +[0-9.]+ MiB   ceiling +[0-9]+%$`,
		`^berth +10 pods .* CPU/pod .* memory +[0-9.]+ MiB   ceiling +[0-9]+%$`,
		`^SchedulingBasic/5Nodes: pods/s [0-9.]+× CPU/pod [0-9.]+× memory [0-9.]+× p99 [0-9.]+× ceiling [0-9]+%$`)
	left, err := os.ReadDir(filepath.Join(o.dir, "plane"))
	for _, file := range left {
		if file.Name() != "log" && file.Name() != "lock" {
			t.Errorf("%s is left behind", file.Name())
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// largeEnough that a run differs from one without its measured pods, on a busy machine, too.
const largeEnough = "SchedulingBasic/5000Nodes_10000Pods"

func TestAWorkloadIsSimulated(t *testing.T) {
	o := found(t)
	o.worldName, o.shadow, o.csv = "simulated", true, filepath.Join(t.TempDir(), "measured.csv")
	var out bytes.Buffer
	if err := bench(t.Context(), o, largeEnough, &out); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^` + largeEnough + `: simulated: 10000 pods, pods/s [1-9].*\n.*: with a shadow: pods/s [0-9.]+× CPU/pod [0-9.]+× memory [0-9.]+×\n$`).MatchString(out.String()) {
		t.Error(out.String())
	}
	rows := rowsOf(t, o.csv)
	for i, expected := range []string{largeEnough + ",simulated,,berth,10000,", largeEnough + ",simulated,,berth with a shadow,10000,"} {
		if len(rows) != 3 || !strings.HasPrefix(strings.Join(rows[i+1][1:], ","), expected) {
			t.Fatal(rows)
		}
	}
}

// The last simulation's configuration is what -all-nodes makes of it, and berth takes it.
func TestAllNodesAreScoredOnRequest(t *testing.T) {
	o := found(t)
	o.worldName, o.allNodes = "simulated", true
	if err := bench(t.Context(), o, largeEnough, io.Discard); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(o.dir, "cluster.json")
	for config, wanted := range map[string]string{"": "500", filepath.Join(o.dir, "config.yaml"): "5000"} {
		command := []string{"simulate", "-o", "json", path}
		if config != "" {
			command = append(command, "--config", config)
		}
		out, err := exec.Command(o.berth, command...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`"feasibleNodes": ([0-9]+)`).FindSubmatch(out); found == nil || string(found[1]) != wanted {
			t.Errorf("%q: expected %s feasible nodes, found %s", config, wanted, found)
		}
	}
}

func TestPodsAreCreatedAtARate(t *testing.T) {
	begin := time.Now()
	if after := due(begin, 300, 200).Sub(begin); after != 1500*time.Millisecond {
		t.Error(after)
	}
}

func TestAPodWithoutItsEventMakesARunVoid(t *testing.T) {
	client := fake.NewClientset()
	o, err := observe(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	o.patience = 200 * time.Millisecond
	begin := time.Now()
	for _, name := range []string{"one", "two", "unbound"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name)}}
		if name != "unbound" {
			pod.Spec.NodeName = "node"
		}
		if _, err := client.CoreV1().Pods("a").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	tell := func(name string) {
		event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Reason: "Scheduled",
			InvolvedObject: corev1.ObjectReference{UID: types.UID(name)}}
		if _, err := client.CoreV1().Events("a").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.await(t.Context(), "a", scheduled, 2); err != nil {
		t.Fatal(err)
	}
	tell("one")
	err = o.awaitEvents(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "2 pods are bound, and 1 of them have a Scheduled event") {
		t.Errorf("expected the missing event to be told, not %v", err)
	}
	tell("two")
	if err := o.awaitEvents(t.Context(), false); err != nil {
		t.Error(err)
	}
	if err := o.await(t.Context(), "a", scheduled, 3); err == nil {
		t.Error("expected that the third pod is missed")
	}
	o.mark(begin, map[string]bool{"a": true})
	if m := o.times(begin); m.pods != 2 || m.length <= 0 {
		t.Errorf("expected two measured pods, not %+v", m)
	}
	o.mark(time.Now(), map[string]bool{"a": true})
	if m := o.times(begin); m.pods != 0 {
		t.Errorf("expected none that was bound later, not %+v", m)
	}
}

func TestWritesAreWhatTheServerCounts(t *testing.T) {
	w := readWrites([]byte(`# TYPE apiserver_request_total counter
apiserver_request_total{code="201",component="apiserver",group="",resource="pods",scope="resource",subresource="binding",verb="POST",version="v1"} 10
apiserver_request_total{code="409",resource="pods",subresource="binding",verb="POST"} 3
apiserver_request_total{code="201",group="events.k8s.io",resource="events",subresource="",verb="POST"} 1.4e+01
apiserver_request_total{code="200",resource="events",subresource="",verb="PATCH"} 2
apiserver_request_total{code="200",resource="pods",subresource="status",verb="PATCH"} 4
apiserver_request_total{code="200",resource="pods",subresource="",verb="DELETE"} 5
apiserver_request_total{code="200",resource="pods",subresource="",verb="GET"} 6
apiserver_other_total{code="201",resource="pods",subresource="binding",verb="POST"} 7
`))
	if w != (writes{Bindings: 10, Events: 16, Statuses: 4, Deletions: 5}) {
		t.Errorf("%+v", w)
	}
	if run := w.minus(writes{Bindings: 4, Events: 4, Statuses: 4, Deletions: 5}); run.failures() != 6 || run.more() != 6 || !run.muchMore() {
		t.Errorf("%+v", run)
	}
	if (writes{Bindings: 10, Events: 10}).muchMore() || (writes{Statuses: 1}).muchMore() {
		t.Error("nothing is repeated where there is nothing more, or nothing was bound")
	}
}

func TestTheCeilingDividesWhatItRepeats(t *testing.T) {
	for _, count := range []int{0, 3, 7, 20} {
		sum, most := 0, 0
		for number := range 7 {
			one := share(count, number, 7)
			sum, most = sum+one, max(most, one)
		}
		if sum != count || most > count/7+1 {
			t.Errorf("%d among 7: %d in all, at most %d", count, sum, most)
		}
	}
}

func TestTheCeilingDeletesOnlyWhatCanBePreempted(t *testing.T) {
	pod := func(name string, priority int32) bound {
		return bound{pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Priority: &priority}}}
	}
	c := &ceiling{prey: []bound{pod("high", 5), pod("low", 1), pod("lower", 0)}}
	for _, expected := range []string{"low", "lower"} {
		if victim, found := c.victim(pod("new", 5)); !found || victim.pod.Name != expected {
			t.Errorf("expected %s, not %v", expected, victim.pod)
		}
	}
	if victim, found := c.victim(pod("new", 5)); found {
		t.Errorf("%s cannot be preempted", victim.pod.Name)
	}
}

func TestQuantiles(t *testing.T) {
	values := make([]time.Duration, 200)
	for i := range values {
		values[i] = time.Duration(i + 1)
	}
	if p50, p99 := quantile(values, 50), quantile(values, 99); p50 != 100 || p99 != 198 {
		t.Errorf("of 1 to 200: %d, %d", p50, p99)
	}
	if only := quantile(values[:1], 99); only != 1 {
		t.Errorf("of 1: %d", only)
	}
}

func TestUsageIsThatOfTheProcess(t *testing.T) {
	before, _, err := processUsage(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		cpu, peak, err := processUsage(os.Getpid())
		if err != nil || peak < 1<<20 {
			t.Fatal(peak, err)
		}
		if cpu-before > 50*time.Millisecond {
			return
		}
	}
	t.Error("no processor time seen for a process that was busy")
}

func TestAProcessBeganWhenItWasStarted(t *testing.T) {
	before := time.Now()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	after := time.Now()
	time.Sleep(300 * time.Millisecond)
	began, err := processBegan(child.Process.Pid)
	if slack := 50 * time.Millisecond; err != nil || began.Before(before.Add(-slack)) || began.After(after.Add(slack)) {
		t.Errorf("%v (%v), expected between %v and %v", began, err, before, after)
	}
}

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
func (p *played) addObject(_ context.Context, namespace string, object *unstructured.Unstructured) error {
	return p.note("object", namespace, object.GetKind(), object.GetName())
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
	return readWorkload(dir, "C/V")
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
		if _, err := readWorkload(upstream, name); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: expected %q, not %v", name, expected, err)
		}
	}
	for _, name := range []string{"misc/SchedulingBasic/5Nodes", "Unschedulable/5Nodes/1Init/10Pods"} {
		if _, err := readWorkload(upstream, name); err != nil {
			t.Error(err)
		}
	}
}
