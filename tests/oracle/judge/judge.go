// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"berth/tests/oracle/judge/timeline"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

// difference is one disagreement between the log and the real scheduler.
type difference struct {
	Case   string
	Seq    int64
	Pod    string
	Node   string
	Plugin string
	Field  string
	Ours   string
	Theirs string
}

func (d difference) String() string {
	var b strings.Builder
	if d.Case != "" {
		fmt.Fprintf(&b, "%s: ", d.Case)
	}
	fmt.Fprintf(&b, "seq %d pod %s", d.Seq, d.Pod)
	if d.Node != "" {
		fmt.Fprintf(&b, " node %s", d.Node)
	}
	if d.Plugin != "" {
		fmt.Fprintf(&b, " plugin %s", d.Plugin)
	}
	fmt.Fprintf(&b, ": %s: ours %s, theirs %s", d.Field, d.Ours, d.Theirs)
	return b.String()
}

// signature is what stays the same while a failing case shrinks.
func (d difference) signature() string { return d.Plugin + "|" + d.Field }

// judge compares one decision log with the real scheduler.
type judge struct {
	name        string
	world       *world
	coverage    coverage
	differences []difference
	decisions   int
	startKnown  bool
	attempted   map[string]int
	evictions   map[types.UID]*eviction // by the pod that room is made for
	lastMessage map[string]string
	bindings    map[string]*binding  // of pods on their way to a node, by namespace/name
	unwanted    map[string]*decision // claims that failed bindings have made, by namespace/name
	begun       int64                // the first decision; events before it tell of the file

	current *decision
	now     time.Time // of the last decision
}

// judgeLog replays a log over its cluster and configuration. An error is trouble with the input
// itself; disagreements are in the judge.
func judgeLog(name string, clusterText, configText []byte, lines []logLine, c coverage) (*judge, error) {
	later, uids := map[string]bool{}, map[string]types.UID{}
	for _, line := range lines {
		if d := line.Decision; d != nil {
			uids[d.Pod.key()] = types.UID(d.Pod.UID)
		}
		if e := line.Event; e != nil && e.Type == "Added" {
			if e.Kind == "Node" {
				later["Node "+e.Name] = true
			} else {
				later[e.Kind+" "+e.Namespace+"/"+e.Name] = true
			}
		}
	}
	w, err := newWorld(clusterText, configText, later, uids)
	if err != nil {
		return nil, err
	}
	defer w.close()
	j := &judge{name: name, world: w, coverage: c, startKnown: true, attempted: map[string]int{},
		evictions: map[types.UID]*eviction{}, lastMessage: map[string]string{}, bindings: map[string]*binding{}, unwanted: map[string]*decision{}, begun: math.MaxInt64}
	last := int64(-1)
	var after []logLine // the decision: what its PostFilter plugins wrote before it was complete
	for _, line := range lines {
		if line.Seq <= last && last >= 0 {
			j.current = &decision{Seq: line.Seq}
			j.differ("", "", "seq", fmt.Sprint(line.Seq), fmt.Sprintf("more than %d", last))
		}
		last = line.Seq
		if line.Event != nil {
			if w.givesUpDevices(line.Event) && j.unwanted[keyOf(line.Event.Namespace, line.Event.Name)] == nil {
				after = append(after, line)
				continue
			}
			if err := j.apply(line.Seq, line.Event); err != nil {
				return nil, err
			}
			continue
		}
		d := line.Decision
		j.begun = min(j.begun, line.Seq)
		if said, tried := j.lastMessage[d.Pod.key()]; !tried || said != d.Message {
			j.decisions++ // A pod that is refused again in the same words counts once.
		}
		j.lastMessage[d.Pod.key()] = d.Message
		if err := j.decide(d); err != nil {
			return nil, err
		}
		for _, line := range after {
			if err := j.apply(line.Seq, line.Event); err != nil {
				return nil, err
			}
		}
		after = nil
	}
	j.checkComplete()
	j.checkEvictions()
	j.checkBindings()
	return j, nil
}

// apply brings an event into force, and follows evictions and bindings.
func (j *judge) apply(seq int64, e *event) error {
	key := e.Namespace + "/" + e.Name
	before := j.world.podByKey[key]
	switch {
	case e.Kind == "Pod" && e.Type == "Bound":
		j.bound(key)
	case e.Kind == "Pod" && e.Type == "Deleted":
		delete(j.bindings, key)
	}
	if e.Kind == "Pod" {
		j.leaves(e, key)
	}
	if err := j.written(seq, e); err != nil {
		return err
	}
	if err := j.world.apply(e); err != nil {
		return err
	}
	if e.Kind == "Pod" && e.Type == "Modified" && before != nil && !isVictim(before) && isVictim(j.world.podByKey[key]) {
		j.evicted(key)
	}
	return nil
}

func (j *judge) differ(node, plugin, field, ours, theirs string) {
	j.differences = append(j.differences, difference{
		Case: j.name, Seq: j.current.Seq, Pod: j.current.Pod.key(), Node: node, Plugin: plugin,
		Field: field, Ours: ours, Theirs: theirs,
	})
}

// same reports a difference unless both values are equal.
func same[T comparable](j *judge, node, plugin, field string, ours, theirs T) bool {
	if ours == theirs {
		return true
	}
	j.differ(node, plugin, field, quote(ours), quote(theirs))
	return false
}

func quote(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []string:
		return fmt.Sprintf("%q", v)
	default:
		return fmt.Sprint(v)
	}
}

func sameList(j *judge, node, plugin, field string, ours, theirs []string) bool {
	if slices.Equal(ours, theirs) {
		return true
	}
	j.differ(node, plugin, field, quote(ours), quote(theirs))
	return false
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	sort.Strings(list)
	return list
}

// decide judges one decision and brings it into force.
func (j *judge) decide(d *decision) (err error) {
	j.current = d
	if j.now, err = time.Parse(time.RFC3339Nano, d.Time); err != nil {
		return err
	}
	w := j.world
	pod := w.podByKey[d.Pod.key()]
	switch {
	case pod == nil:
		j.differ("", "", "pod", "a decision", "no such pod")
		return nil
	case w.queued[podKey(pod)] == nil:
		j.differ("", "", "pod", "a decision", "a pod that is placed, finished, terminating or of another scheduler")
		return nil
	}
	if d.Pod.UID != "" && !strings.HasPrefix(string(pod.UID), ownUID) {
		same(j, "", "", "pod.uid", d.Pod.UID, string(pod.UID))
	}
	same(j, "", "", "profile", d.Profile, pod.Spec.SchedulerName)
	if d.Phase == "PreBind" && d.Result == "Error" {
		j.bindingFailed(d, podKey(pod)) // The attempt was judged when the pod got its node.
		return nil
	}
	if d.Result == "Gated" {
		j.attempted[podKey(pod)] += 0 // It had its turn, and no attempt was made.
	} else {
		j.attempted[podKey(pod)]++
	}
	if d.Attempt != 0 && d.Result != "Gated" {
		same(j, "", "", "attempt", d.Attempt, j.attempted[podKey(pod)])
	}
	if status := w.preEnqueue(pod); status != nil {
		j.gated(status)
		return nil
	}
	// The judge's own plugin evicts nobody, so it is not to be asked: a pod is held until its last victim is on its way out.
	if preempting := j.evictions[pod.UID]; preempting != nil && preempting.there.Len() > 0 {
		j.gated(fwk.NewStatus(fwk.Unschedulable, "waiting for the preemption for this pod to be finished").WithPlugin(names.DefaultPreemption))
		return nil
	}
	j.checkOrder(pod)
	a, err := w.filter(pod)
	if err != nil {
		return err
	}
	if err := j.compareAttempt(a); err != nil {
		return err
	}
	if d.Node != "" && (d.Result == "Scheduled" || d.Result == "Waiting") {
		if err := w.assume(a, d.Node); err != nil {
			j.differ("", "", "node", quote(d.Node), err.Error())
			return nil
		}
		j.bindings[podKey(pod)], err = w.bind(a, d, j.now)
	}
	return err
}

// gated judges a pod that a PreEnqueue plugin holds back.
func (j *judge) gated(status *fwk.Status) {
	d := j.current
	j.coverage.add(status.Plugin(), "PreEnqueue "+codeName(status.Code()), status.Message())
	same(j, "", status.Plugin(), "result", d.Result, "Gated")
	same(j, "", status.Plugin(), "node", d.Node, "")
	same(j, "", status.Plugin(), "phase", d.Phase, "PreEnqueue")
	same(j, "", status.Plugin(), "reason", d.Reason, "") // The condition of a gated pod is the API server's.
	same(j, "", status.Plugin(), "message", d.Message, status.Message())
	sameList(j, "", status.Plugin(), "rejectedBy", d.RejectedBy, []string{status.Plugin()})
}

// checkOrder asks the real QueueSort plugin whether a pod that has not been tried yet should have
// come first. All of them entered the queue at one moment, so only what the plugin reads of the
// pod itself counts.
func (j *judge) checkOrder(pod *v1.Pod) {
	w := j.world
	less := w.profiles[pod.Spec.SchedulerName].fw.QueueSortFunc()
	popped := w.queued[podKey(pod)]
	for _, key := range sets.List(sets.KeySet(w.queued)) {
		other := w.queued[key]
		if _, tried := j.attempted[key]; tried || other == popped || !less(other, popped) {
			continue
		}
		if w.preEnqueue(other.Pod) == nil {
			j.differ("", "", "order", "popped "+podKey(pod), key+" comes first")
			return
		}
	}
	j.coverage.add(w.profiles[pod.Spec.SchedulerName].points.QueueSort.Enabled[0].Name, "QueueSort", "popped in order")
}

// compareAttempt judges everything of one attempt that reached the cycle.
func (j *judge) compareAttempt(a *attempt) error {
	d := j.current
	if a.noNodes {
		j.coverage.add("", "cycle", scheduler.ErrNoNodesAvailable.Error())
		j.nominate(a, cleared)
		j.compareFailure("Unschedulable", v1.PodReasonUnschedulable, "", scheduler.ErrNoNodesAvailable.Error(), nil)
		j.compareCounts(0, 0)
		return nil
	}
	j.comparePreFilters(a)
	if a.preStatus != nil {
		if !a.preStatus.IsRejected() {
			j.nominate(a, cleared)
			j.compareFailure("Error", v1.PodReasonSchedulerError, "PreFilter", a.preStatus.AsError().Error(), nil)
			return nil
		}
		fitError := a.reject(nil)
		j.comparePostFilter(a, fitError)
		j.compareFailure("Unschedulable", v1.PodReasonUnschedulable, "PreFilter", fitError.Error(), a.rejectedBy())
		j.compareCounts(0, 0)
		if len(d.Nodes) > 0 {
			j.differ(d.Nodes[0].Name, "", "nodes", "evaluated", "PreFilter ended the attempt")
		}
		return nil
	}
	seen := j.compareVisit(a)
	if seen.failed {
		return nil
	}
	evaluated := seen.evaluated
	feasible := a.feasible(evaluated)
	if !a.kept && len(j.world.extenders) > 0 {
		rejected, err := j.world.passExtenders(a.pod, feasible)
		if err != nil {
			j.coverage.add(framework.ExtenderName, "Filter", "Error")
			j.nominate(a, cleared)
			j.compareFailure("Error", v1.PodReasonSchedulerError, "Filter", err.Error(), nil)
			return nil
		}
		for i, info := range a.candidates {
			if status := rejected[info.Node().Name]; status != nil && a.statuses[i] == nil && evaluated.Has(info.Node().Name) {
				a.statuses[i] = status
			}
		}
		feasible = a.feasible(evaluated)
	}
	j.compareVerdicts(a, evaluated)
	j.compareCounts(seen.count, len(feasible))
	if len(feasible) == 0 {
		fitError := a.reject(evaluated)
		j.comparePostFilter(a, fitError)
		j.compareFailure("Unschedulable", v1.PodReasonUnschedulable, "Filter", fitError.Error(), a.rejectedBy())
		return nil
	}
	return j.compareChoice(a, feasible)
}

// comparePreFilters judges what each PreFilter plugin said. A plugin that let every node pass may
// be left out of the record.
func (j *judge) comparePreFilters(a *attempt) {
	ours := map[string]pluginStatus{}
	for _, said := range j.current.PreFilter {
		ours[said.Plugin] = said
	}
	for _, theirs := range a.preFilter {
		j.coverage.add(theirs.Plugin, "PreFilter "+theirs.Status, reasonsClass(theirs.Reasons, len(theirs.Nodes) > 0))
		said, ok := ours[theirs.Plugin]
		delete(ours, theirs.Plugin)
		if !ok {
			said = pluginStatus{Plugin: theirs.Plugin, Status: "Success"}
		}
		same(j, "", theirs.Plugin, "preFilter.status", said.Status, theirs.Status)
		sameList(j, "", theirs.Plugin, "preFilter.reasons", said.Reasons, theirs.Reasons)
		sameList(j, "", theirs.Plugin, "preFilter.nodes", sorted(said.Nodes), theirs.Nodes)
	}
	for _, name := range sets.List(sets.KeySet(ours)) {
		j.differ("", name, "preFilter.status", quote(ours[name].Status), "did not run")
	}
}

// compareFailure judges the record of an attempt that ended without a node.
func (j *judge) compareFailure(result, reason, phase, message string, rejectedBy []string) {
	d := j.current
	same(j, "", "", "result", d.Result, result)
	same(j, "", "", "node", d.Node, "")
	same(j, "", "", "reason", d.Reason, reason)
	same(j, "", "", "message", timeline.InOrder(d.Message), timeline.InOrder(message))
	sameList(j, "", "", "rejectedBy", sorted(d.RejectedBy), sorted(rejectedBy))
	if phase != "" {
		same(j, "", "", "phase", d.Phase, phase)
	}
	if phase != "" {
		j.coverage.add("", "cycle "+result, phase)
	}
}

func (j *judge) compareCounts(evaluated, feasible int) {
	same(j, "", "", "evaluatedNodes", j.current.EvaluatedNodes, evaluated)
	same(j, "", "", "feasibleNodes", j.current.FeasibleNodes, feasible)
}

// compareVerdicts judges the rejection of each evaluated node.
func (j *judge) compareVerdicts(a *attempt, evaluated sets.Set[string]) {
	ours := map[string]nodeOutcome{}
	for _, node := range j.current.Nodes {
		if _, twice := ours[node.Name]; twice {
			j.differ(node.Name, "", "nodes", "listed twice", "listed once")
		}
		ours[node.Name] = node
	}
	for i, info := range a.candidates {
		name := info.Node().Name
		if !evaluated.Has(name) {
			continue
		}
		said, theirs := ours[name].Verdict, a.statuses[i]
		switch {
		case theirs == nil && said != nil:
			j.differ(name, said.Plugin, "verdict", fmt.Sprintf("%s %q", said.Status, said.Reasons), "Success")
		case theirs != nil && said == nil:
			j.differ(name, theirs.Plugin(), "verdict", "Success", fmt.Sprintf("%s %q", codeName(theirs.Code()), theirs.Reasons()))
		case theirs != nil:
			if same(j, name, theirs.Plugin(), "verdict.plugin", said.Plugin, theirs.Plugin()) {
				same(j, name, theirs.Plugin(), "verdict.status", said.Status, codeName(theirs.Code()))
				sameList(j, name, theirs.Plugin(), "verdict.reasons", anyOrder(theirs.Plugin(), said.Reasons),
					anyOrder(theirs.Plugin(), theirs.Reasons()))
			}
		}
		if theirs == nil {
			continue
		}
		for _, reason := range theirs.Reasons() {
			j.coverage.add(theirs.Plugin(), "Filter "+codeName(theirs.Code()), reason)
		}
	}
}

// anyOrder sorts the reasons about scalar resources, which upstream gives in the order of a Go map.
// They come last.
func anyOrder(plugin string, reasons []string) []string {
	if plugin != noderesources.Name {
		return reasons
	}
	for i, reason := range reasons {
		name, about := strings.CutPrefix(reason, "Insufficient ")
		if about && !slices.Contains([]string{"cpu", "memory", "ephemeral-storage"}, name) {
			return append(slices.Clone(reasons[:i]), sorted(reasons[i:])...)
		}
	}
	return reasons
}

// compareChoice judges scores, totals and the node chosen.
func (j *judge) compareChoice(a *attempt, feasible []fwk.NodeInfo) error {
	d := j.current
	if len(feasible) == 1 {
		name := feasible[0].Node().Name
		j.coverage.add("", "cycle Scheduled", "one feasible node, not scored")
		same(j, "", "", "result", d.Result, "Scheduled")
		same(j, "", "", "node", d.Node, name)
		for _, node := range d.Nodes {
			if len(node.Scores) > 0 || node.Total != nil {
				j.differ(node.Name, "", "scores", "present", "not scored: it is the only feasible node")
			}
		}
		return nil
	}
	s, err := a.score(feasible, len(j.world.extenders) > 0)
	if err != nil {
		return err
	}
	if s.err == nil {
		j.world.addExtenderScores(a.pod, feasible, s)
	}
	if s.err != nil {
		j.nominate(a, cleared)
		j.compareFailure("Error", v1.PodReasonSchedulerError, s.phase, s.err.Error(), nil)
		return nil
	}
	j.coverage.add("", "cycle Scheduled", "the highest of several")
	for _, node := range d.Nodes {
		if total, ok := s.totals[node.Name]; ok {
			j.compareScores(node, s.scores[node.Name], total)
		}
	}
	same(j, "", "", "result", d.Result, "Scheduled")
	if best := s.best(); !slices.Contains(best, d.Node) {
		j.differ("", "", "node", fmt.Sprintf("%q with total %d", d.Node, s.totals[d.Node]),
			fmt.Sprintf("one of %q with total %d", best, s.totals[best[0]]))
	}
	return nil
}

// compareScores judges one node's scores.
func (j *judge) compareScores(node nodeOutcome, theirs []pluginScore, total int64) {
	ours := map[string]pluginScore{}
	for _, s := range node.Scores {
		ours[s.Plugin] = s
	}
	for _, their := range theirs {
		j.coverage.add(their.Plugin, "Score", scoreClass(their.Normalized))
		our, ok := ours[their.Plugin]
		delete(ours, their.Plugin)
		if !ok {
			j.differ(node.Name, their.Plugin, "score", "absent", fmt.Sprint(their.Raw))
			continue
		}
		same(j, node.Name, their.Plugin, "score.raw", our.Raw, their.Raw)
		same(j, node.Name, their.Plugin, "score.normalized", our.Normalized, their.Normalized)
		same(j, node.Name, their.Plugin, "score.weighted", our.Weighted, their.Weighted)
	}
	for _, name := range sets.List(sets.KeySet(ours)) {
		j.differ(node.Name, name, "score", fmt.Sprint(ours[name].Raw), "skipped or not enabled")
	}
	if node.Total == nil {
		j.differ(node.Name, "", "total", "absent", fmt.Sprint(total))
		return
	}
	same(j, node.Name, "", "total", *node.Total, total)
}

// checkComplete reports pods that should have had their turn and had none.
func (j *judge) checkComplete() {
	for _, key := range sets.List(sets.KeySet(j.world.queued)) {
		if _, tried := j.attempted[key]; !tried {
			info := j.world.queued[key]
			j.current = &decision{Pod: objectRef{Namespace: info.Pod.Namespace, Name: info.Pod.Name}}
			j.differ("", "", "pod", "no decision", "a pending pod of a known profile")
		}
	}
}
