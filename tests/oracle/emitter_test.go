// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
)

// emit writes the log that a right scheduler would write for a case: the real plugins decide, one
// node after the other, and the first of the best nodes is taken.
func emit(c *testCase) []logLine {
	w, err := newWorld(c.cluster, c.conf, nil)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", c.name, err))
	}
	defer w.close()
	var lines []logLine
	seq := int64(0)
	add := func(line logLine) {
		seq++
		line.Seq = seq
		if line.Decision != nil {
			line.Decision.Seq = seq
		}
		lines = append(lines, line)
	}
	var order []*v1.Pod
	for _, node := range w.nodes {
		add(logLine{Event: &event{Type: "Added", Kind: "Node", Name: node.Name}})
	}
	for _, pod := range w.pods {
		add(logLine{Event: &event{Type: "Added", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}})
		if w.queued[podKey(pod)] != nil {
			order = append(order, pod)
		}
	}
	less := w.profiles[w.config.Profiles[0].SchedulerName].fw.QueueSortFunc()
	sort.SliceStable(order, func(i, k int) bool {
		return less(w.queued[podKey(order[i])], w.queued[podKey(order[k])])
	})
	for _, pod := range order {
		d := emitOne(w, pod)
		if d.Node != "" {
			add(logLine{Event: &event{Type: "Assumed", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}})
		}
		add(logLine{Decision: d})
		if d.Node != "" {
			add(logLine{Event: &event{Type: "Bound", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}})
			if err := w.assume(pod, d.Node); err != nil {
				panic(err)
			}
		}
	}
	return lines
}

func emitOne(w *world, pod *v1.Pod) *decision {
	d := &decision{
		Pod:     objectRef{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)},
		Profile: pod.Spec.SchedulerName, Attempt: 1, Cycle: 1,
	}
	fail := func(result, reason, phase, message string, plugins []string) *decision {
		d.Result, d.Reason, d.Phase, d.Message, d.RejectedBy = result, reason, phase, message, plugins
		return d
	}
	if status := w.preEnqueue(pod); status != nil {
		return fail("Gated", v1.PodReasonSchedulingGated, "PreEnqueue", status.Message(), []string{status.Plugin()})
	}
	a, err := w.filter(pod)
	if err != nil {
		panic(err)
	}
	d.PreFilter = a.preFilter
	if a.noNodes {
		return fail("Unschedulable", v1.PodReasonUnschedulable, "", scheduler.ErrNoNodesAvailable.Error(), nil)
	}
	if a.preStatus != nil {
		message := a.reject(nil).Error()
		return fail("Unschedulable", v1.PodReasonUnschedulable, "PreFilter", message, a.rejectedBy())
	}
	d.StartIndex = w.nextStart
	if texts := a.errorTexts(); len(texts) > 0 {
		return fail("Error", v1.PodReasonSchedulerError, "Filter", sets.List(texts)[0], nil)
	}
	var feasible []fwk.NodeInfo
	evaluated := sets.New[string]()
	for i, info := range a.candidates {
		if len(feasible) == a.toFind {
			break
		}
		evaluated.Insert(info.Node().Name)
		outcome := nodeOutcome{Name: info.Node().Name}
		if status := a.statuses[i]; status != nil {
			outcome.Verdict = &verdict{Plugin: status.Plugin(), Status: codeName(status.Code()), Reasons: status.Reasons()}
		} else {
			feasible = append(feasible, info)
		}
		d.Nodes = append(d.Nodes, outcome)
	}
	d.EvaluatedNodes, d.FeasibleNodes = len(evaluated), len(feasible)
	w.nextStart = (w.nextStart + len(evaluated)) % len(a.allNodes)
	switch len(feasible) {
	case 0:
		message := a.reject(evaluated).Error()
		return fail("Unschedulable", v1.PodReasonUnschedulable, "Filter", message, a.rejectedBy())
	case 1:
		d.Result, d.Node = "Scheduled", feasible[0].Node().Name
		return d
	}
	s, err := a.score(feasible)
	if err != nil {
		panic(err)
	}
	if s.err != nil {
		return fail("Error", v1.PodReasonSchedulerError, s.phase, s.err.Error(), nil)
	}
	for i := range d.Nodes {
		if d.Nodes[i].Verdict == nil {
			total := s.totals[d.Nodes[i].Name]
			d.Nodes[i].Scores, d.Nodes[i].Total = s.scores[d.Nodes[i].Name], &total
		}
	}
	d.Result, d.Node = "Scheduled", s.best()[0]
	return d
}

// logText writes a log as berth does.
func logText(lines []logLine) []byte {
	var text bytes.Buffer
	for _, line := range lines {
		var value any = line.Decision
		if line.Event != nil {
			value = map[string]any{"seq": line.Seq, "event": line.Event}
		}
		if err := json.NewEncoder(&text).Encode(value); err != nil {
			panic(err)
		}
	}
	return text.Bytes()
}
