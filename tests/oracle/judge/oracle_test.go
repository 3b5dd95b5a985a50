// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"
)

const testSeed, testCases = 7, 150

func caseOf(t *testing.T, index int) *testCase {
	t.Helper()
	c, err := newCase(testSeed, index)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// through sends a log through its text, as the command reads it.
func through(t *testing.T, lines []logLine) []logLine {
	t.Helper()
	back, err := readLog(bytes.NewReader(logText(lines)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func judgeCase(t *testing.T, c *testCase, lines []logLine, cov coverage) []difference {
	t.Helper()
	j, err := judgeLog(c.name, c.cluster, c.conf, lines, cov)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return j.differences
}

func TestARightLogHasNoDifferences(t *testing.T) {
	cov, decisions := coverage{}, 0
	for i := range testCases {
		c := caseOf(t, i)
		lines := through(t, emit(c))
		for _, d := range judgeCase(t, c, lines, cov) {
			t.Error(d)
		}
		for _, line := range lines {
			if line.Decision != nil {
				decisions++
			}
		}
	}
	t.Logf("%d decisions", decisions)
	for _, want := range []reach{
		{"NodePorts", "Filter Unschedulable", "node(s) didn't have free ports for the requested pod ports"},
		{"NodeResourcesFit", "Filter Unschedulable", "Too many pods"},
		{"NodeResourcesFit", "Filter UnschedulableAndUnresolvable", "Insufficient cpu"},
		{"NodeResourcesFit", "Filter Unschedulable", "Insufficient */*"},
		{"NodeAffinity", "PreFilter UnschedulableAndUnresolvable", "pod affinity terms conflict"},
		{"NodeAffinity", "PreFilter Success", "narrowed the nodes"},
		{"NodeAffinity", "Filter UnschedulableAndUnresolvable", "node(s) didn't match scheduler-enforced node affinity"},
		{"TaintToleration", "Filter UnschedulableAndUnresolvable", "node(s) had untolerated taint(s)"},
		{"NodeUnschedulable", "Filter UnschedulableAndUnresolvable", "node(s) were unschedulable"},
		{"SchedulingGates", "PreEnqueue UnschedulableAndUnresolvable", "waiting for scheduling gates: [*]"},
		{"ImageLocality", "Score", "50–99"},
		{"", "visit", "cut short"},
		{"", "cycle", "no nodes available to schedule pods"},
	} {
		if cov[want] == 0 {
			t.Errorf("the generator never reached %q", want)
		}
	}
	if testing.Verbose() {
		cov.print(os.Stdout)
	}
}

func TestAReasonFitsItsPattern(t *testing.T) {
	for pattern, fits := range map[string]bool{"Insufficient */*": true, "Insufficient example.com/gpu": true, "*": true,
		"Insufficient *": true, "Insufficient": false, "* cpu": false, "Insufficient hugepages-*": false} {
		if matches(pattern, "Insufficient example.com/gpu") != fits {
			t.Errorf("%q: not %v", pattern, fits)
		}
	}
}

// mutations each spoil one decision, and tell whether they found something to spoil.
var mutations = map[string]func(d *decision) bool{
	"raw score":        onScores(func(s *pluginScore) { s.Raw++ }),
	"normalized score": onScores(func(s *pluginScore) { s.Normalized-- }),
	"weighted score":   onScores(func(s *pluginScore) { s.Weighted++ }),
	"score's plugin":   onScores(func(s *pluginScore) { s.Plugin = "NodeName" }),
	"score missing": onNode(func(n *nodeOutcome) bool {
		if len(n.Scores) == 0 {
			return false
		}
		n.Scores = n.Scores[1:]
		return true
	}),
	"total": onNode(func(n *nodeOutcome) bool {
		if n.Total == nil {
			return false
		}
		*n.Total++
		return true
	}),
	"total missing": onNode(func(n *nodeOutcome) bool {
		had := n.Total != nil
		n.Total = nil
		return had
	}),
	"verdict's reason":  onVerdict(func(v *verdict) { v.Reasons[0] += " " }),
	"verdict's reasons": onVerdict(func(v *verdict) { v.Reasons = append(v.Reasons, "Insufficient luck") }),
	"verdict's plugin":  onVerdict(func(v *verdict) { v.Plugin = "InterPodAffinity" }),
	"verdict's status": onVerdict(func(v *verdict) {
		v.Status = map[bool]string{true: "Unschedulable", false: "UnschedulableAndUnresolvable"}[v.Status != "Unschedulable"]
	}),
	"verdict missing": onNode(func(n *nodeOutcome) bool { had := n.Verdict != nil; n.Verdict = nil; return had }),
	"verdict too many": onNode(func(n *nodeOutcome) bool {
		had := n.Verdict == nil
		n.Verdict = &verdict{Plugin: "NodeName", Status: "Unschedulable"}
		return had
	}),
	"node missing":       onNodes(func(d *decision) { d.Nodes = d.Nodes[1:] }),
	"node twice":         onNodes(func(d *decision) { d.Nodes = append(d.Nodes, d.Nodes[0]) }),
	"node unknown":       onNodes(func(d *decision) { d.Nodes = append(d.Nodes, nodeOutcome{Name: "nobody"}) }),
	"evaluated count":    onNodes(func(d *decision) { d.EvaluatedNodes++ }),
	"feasible count":     onNodes(func(d *decision) { d.FeasibleNodes++ }),
	"start index":        onNodes(func(d *decision) { d.StartIndex += 3 * len(d.Nodes) }),
	"message":            onFailure(func(d *decision) { d.Message += "." }),
	"reason":             onFailure(func(d *decision) { d.Reason = "Because" }),
	"phase":              onFailure(func(d *decision) { d.Phase = "Permit" }),
	"result of failure":  onFailure(func(d *decision) { d.Result = "Scheduled" }),
	"rejected by":        onFailure(func(d *decision) { d.RejectedBy = append(d.RejectedBy, "DefaultBinder") }),
	"profile":            func(d *decision) bool { d.Profile += "x"; return true },
	"attempt":            func(d *decision) bool { d.Attempt++; return d.Result != "Gated" },
	"pod":                func(d *decision) bool { d.Pod.Name += "x"; return true },
	"gate":               func(d *decision) bool { had := d.Result == "Gated"; d.Result = "Unschedulable"; return had },
	"gate's message":     func(d *decision) bool { d.Message += "!"; return d.Result == "Gated" },
	"no node chosen":     func(d *decision) bool { had := d.Node != ""; d.Node = ""; return had },
	"result of success":  func(d *decision) bool { had := d.Node != ""; d.Result = "Unschedulable"; return had },
	"worse node chosen":  worseNode,
	"rejected node":      rejectedNode,
	"prefilter's status": onPreFilter(func(s *pluginStatus) bool { had := s.Status == "Skip"; s.Status = "Success"; return had }),
	"prefilter's nodes": onPreFilter(func(s *pluginStatus) bool {
		had := len(s.Nodes) > 0
		s.Nodes = append(s.Nodes, "nobody")
		return had
	}),
	"prefilter's reasons": onPreFilter(func(s *pluginStatus) bool { had := len(s.Reasons) > 0; s.Reasons = nil; return had }),
	"prefilter missing": func(d *decision) bool {
		had := len(d.PreFilter) > 0 && d.PreFilter[0].Status != "Success"
		d.PreFilter = nil
		return had
	},
}

func onNodes(change func(d *decision)) func(d *decision) bool {
	return func(d *decision) bool {
		if len(d.Nodes) < 2 {
			return false
		}
		change(d)
		return true
	}
}

func onNode(change func(n *nodeOutcome) bool) func(d *decision) bool {
	return func(d *decision) bool {
		for i := range d.Nodes {
			if change(&d.Nodes[i]) {
				return true
			}
		}
		return false
	}
}

func onScores(change func(s *pluginScore)) func(d *decision) bool {
	return onNode(func(n *nodeOutcome) bool {
		if len(n.Scores) == 0 {
			return false
		}
		change(&n.Scores[len(n.Scores)-1])
		return true
	})
}

func onVerdict(change func(v *verdict)) func(d *decision) bool {
	return onNode(func(n *nodeOutcome) bool {
		if n.Verdict == nil || len(n.Verdict.Reasons) == 0 {
			return false
		}
		change(n.Verdict)
		return true
	})
}

func onFailure(change func(d *decision)) func(d *decision) bool {
	return func(d *decision) bool {
		if d.Result != "Unschedulable" || d.Phase == "" {
			return false
		}
		change(d)
		return true
	}
}

func onPreFilter(change func(s *pluginStatus) bool) func(d *decision) bool {
	return func(d *decision) bool {
		for i := range d.PreFilter {
			if change(&d.PreFilter[i]) {
				return true
			}
		}
		return false
	}
}

func worseNode(d *decision) bool {
	for _, chosen := range d.Nodes {
		for _, other := range d.Nodes {
			if chosen.Name == d.Node && chosen.Total != nil && other.Total != nil && *other.Total < *chosen.Total {
				d.Node = other.Name
				return true
			}
		}
	}
	return false
}

func rejectedNode(d *decision) bool {
	for _, node := range d.Nodes {
		if d.Node != "" && node.Verdict != nil {
			d.Node = node.Name
			return true
		}
	}
	return false
}

func TestEveryMutationOfARightLogIsFound(t *testing.T) {
	for name, mutate := range mutations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			applied := 0
			for i := 0; i < testCases && applied < 3; i++ {
				c := caseOf(t, i)
				lines := through(t, emit(c))
				if slices.ContainsFunc(lines, func(l logLine) bool { return l.Decision != nil && mutate(l.Decision) }) {
					applied++
					if len(judgeCase(t, c, lines, nil)) == 0 {
						t.Errorf("%s: not found", c.name)
					}
				}
			}
			if applied == 0 {
				t.Error("no case has anything to mutate")
			}
		})
	}
}

// TestEverySpoiledLogIsFound spoils the log as a whole.
func TestEverySpoiledLogIsFound(t *testing.T) {
	spoil := map[string]func(lines []logLine) ([]logLine, bool){
		"a decision is missing": func(lines []logLine) ([]logLine, bool) {
			for i, line := range lines {
				if line.Decision != nil {
					return slices.Delete(lines, i, i+1), true
				}
			}
			return lines, false
		},
		"the queue is out of order": func(lines []logLine) ([]logLine, bool) {
			var failed []int // decisions without effect on the next, so that only their order is wrong
			for i, line := range lines {
				if line.Decision != nil && line.Decision.Phase == "Filter" {
					failed = append(failed, i)
				}
			}
			if len(failed) < 2 {
				return lines, false
			}
			first, last := failed[0], failed[len(failed)-1]
			lines[first].Decision, lines[last].Decision = lines[last].Decision, lines[first].Decision
			lines[first].Decision.Seq, lines[last].Decision.Seq = lines[first].Seq, lines[last].Seq
			return lines, true
		},
		"the sequence stands still": func(lines []logLine) ([]logLine, bool) {
			lines[len(lines)-1].Seq = lines[0].Seq
			if d := lines[len(lines)-1].Decision; d != nil {
				d.Seq = lines[0].Seq
			}
			return lines, len(lines) > 1
		},
	}
	for name, change := range spoil {
		t.Run(name, func(t *testing.T) {
			found, applied := 0, 0
			for i := range 30 {
				c := caseOf(t, i)
				lines, ok := change(through(t, emit(c)))
				if !ok {
					continue
				}
				applied++
				for _, d := range judgeCase(t, c, lines, nil) {
					if slices.Contains([]string{"order", "seq", "pod"}, d.Field) {
						found++
						break
					}
				}
			}
			// Pods of one priority may come in any order, so not every swap is wrong.
			if found == 0 || name != "the queue is out of order" && found < applied {
				t.Errorf("found %d of %d", found, applied)
			}
		})
	}
}

// TestTheCycleIsThatOfTheWholeScheduler compares the oracle's own short copy of the cycle (which
// node is looked at, what the failure says) with the whole scheduler's, decision by decision.
func TestTheCycleIsThatOfTheWholeScheduler(t *testing.T) {
	if err := utilfeature.DefaultMutableFeatureGate.Set("OpportunisticBatching=false"); err != nil {
		t.Fatal(err)
	}
	decisions := 0
	for i := range 60 {
		c := caseOf(t, i)
		if len(c.items) > 100 {
			continue
		}
		lines := emit(c)
		w, err := newWorld(c.cluster, c.conf, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		promised := func(line logLine) bool { return line.Decision != nil && line.Decision.NominatedNode != "" }
		if slices.ContainsFunc(lines, promised) || slices.ContainsFunc(w.pods, func(p *v1.Pod) bool { return p.Status.NominatedNodeName != "" }) {
			continue // The whole scheduler's queue, which keeps nominations, does not run here.
		}
		if slices.ContainsFunc(w.pods, func(p *v1.Pod) bool { return len(p.Spec.ResourceClaims) > 0 }) {
			continue // Its DynamicResources has words and a cache of claims of its own.
		}
		ctx := t.Context()
		whole := *w.surroundings
		whole.informers = informers.NewSharedInformerFactory(w.client, 0)
		sched, err := scheduler.New(ctx, w.client, whole.informers, nil,
			schedulerprofile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: w.client.EventsV1()})),
			scheduler.WithProfiles(w.config.Profiles...),
			scheduler.WithPercentageOfNodesToScore(w.config.PercentageOfNodesToScore))
		if err != nil {
			t.Fatal(err)
		}
		whole.start()
		for _, node := range w.nodes {
			sched.Cache.AddNode(w.logger, node)
		}
		for _, pod := range w.pods {
			if pod.Spec.NodeName != "" && !finished(pod) {
				if err := sched.Cache.AddPod(w.logger, pod); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, line := range lines {
			if line.Decision == nil || line.Decision.Result == "Gated" {
				continue
			}
			if !w.profiles[line.Decision.Profile].fw.HasScorePlugins() {
				break // Without scores one feasible node is enough, and timing decides what else was looked at.
			}
			decisions++
			if text := compareWhole(t, sched, w, line.Decision); text != "" {
				t.Errorf("%s seq %d: %s", c.name, line.Seq, text)
				break
			}
		}
		w.close()
	}
	t.Logf("%d decisions", decisions)
}

func compareWhole(t *testing.T, sched *scheduler.Scheduler, w *world, d *decision) string {
	pod := w.podByKey[d.Pod.key()]
	fw := sched.Profiles[pod.Spec.SchedulerName]
	snapshot, ok := fw.SnapshotSharedLister().(*internalcache.Snapshot)
	if !ok {
		t.Fatal("the scheduler's snapshot has another type")
	}
	if err := sched.Cache.UpdateSnapshot(w.logger, snapshot); err != nil {
		t.Fatal(err)
	}
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		t.Fatal(err)
	}
	result, err := sched.SchedulePod(t.Context(), fw, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
	if err != nil {
		if !strings.HasPrefix(d.Message, err.Error()) { // PostFilter adds to it later.
			return fmt.Sprintf("message %q, whole scheduler %q", d.Message, err)
		}
		return ""
	}
	if d.EvaluatedNodes != result.EvaluatedNodes || d.FeasibleNodes != result.FeasibleNodes {
		return fmt.Sprintf("counts %d/%d, whole scheduler %d/%d", d.EvaluatedNodes, d.FeasibleNodes, result.EvaluatedNodes, result.FeasibleNodes)
	}
	if d.Node != result.SuggestedHost && !tied(d, result.SuggestedHost) {
		return fmt.Sprintf("node %s, whole scheduler %s", d.Node, result.SuggestedHost)
	}
	placed := pod.DeepCopy()
	placed.Spec.NodeName = d.Node
	if err := sched.Cache.AssumePod(w.logger, placed); err != nil {
		t.Fatal(err)
	}
	return ""
}

// tied tells whether another node has the chosen one's total.
func tied(d *decision, other string) bool {
	totals := map[string]int64{}
	for _, node := range d.Nodes {
		if node.Total != nil {
			totals[node.Name] = *node.Total
		}
	}
	ours, ok := totals[d.Node]
	theirs, also := totals[other]
	return ok && also && ours == theirs
}

func TestBrokenLogsAreErrorsWithALine(t *testing.T) {
	for text, want := range map[string]string{
		"{":                     "line 1 of the decision log",
		"{\"seq\":1}\n":         "neither an event nor a decision",
		"\n{\"seq\":\"one\"}\n": "line 2 of the decision log",
	} {
		if _, err := readLog(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestGeneratedObjectsRepeat makes sure that a seed names its cases for good.
func TestGeneratedObjectsRepeat(t *testing.T) {
	first, second := caseOf(t, 3), caseOf(t, 3)
	if !bytes.Equal(first.cluster, second.cluster) || !bytes.Equal(first.conf, second.conf) {
		t.Error("one seed and one index gave two cases")
	}
	held, err := loadCluster(first.cluster)
	if err != nil || len(held.nodes)+len(held.pods)+len(held.others) != len(first.items) {
		t.Fatalf("read %+v of %d items: %v", held, len(first.items), err)
	}
	if slices.ContainsFunc(held.pods, func(p *v1.Pod) bool { return p.UID == "" }) {
		t.Error("a pod without a UID")
	}
}
