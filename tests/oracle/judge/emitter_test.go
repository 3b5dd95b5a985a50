// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// emit writes the log that a right scheduler would write for a case: the real plugins decide, one
// node after the other, and the first of the best nodes is taken.
func emit(c *testCase) []logLine {
	w, err := newWorld(c.cluster, c.conf, nil, nil)
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
		d, a := emitOne(w, pod)
		if d.Node != "" {
			add(logLine{Event: &event{Type: "Assumed", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}})
		}
		add(logLine{Decision: d})
		for _, line := range emitEvictions(w, d, a) {
			add(line)
			if err := w.apply(line.Event); err != nil {
				panic(err)
			}
		}
		if d.Node != "" {
			for _, line := range emitBinding(w, d, a) {
				add(line)
			}
		}
	}
	return lines
}

// goOn makes an emitter that looks at one node more than it needs, where it can; wentOn tells that it has.
var goOn, wentOn bool

func emitOne(w *world, pod *v1.Pod) (d *decision, a *attempt) {
	d = &decision{
		Pod:     objectRef{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)},
		Profile: pod.Spec.SchedulerName, Attempt: 1, Cycle: 1, Time: emittedAt.Format(time.RFC3339Nano),
	}
	fail := func(result, reason, phase, message string, plugins []string) (*decision, *attempt) {
		d.Result, d.Reason, d.Phase, d.Message, d.RejectedBy = result, reason, phase, message, plugins
		if info := w.queued[podKey(pod)]; result == "Error" || a != nil && a.noNodes {
			w.nominator.AddNominatedPod(w.logger, info.PodInfo, cleared)
		}
		return d, a
	}
	if status := w.preEnqueue(pod); status != nil {
		return fail("Gated", "", "PreEnqueue", status.Message(), []string{status.Plugin()})
	}
	var err error
	a, err = w.filter(pod)
	if err != nil {
		panic(err)
	}
	d.PreFilter = a.preFilter
	if a.noNodes {
		return fail("Unschedulable", v1.PodReasonUnschedulable, "", scheduler.ErrNoNodesAvailable.Error(), nil)
	}
	if a.preStatus != nil {
		return fail("Unschedulable", v1.PodReasonUnschedulable, "PreFilter", emitPostFilter(w, d, a, a.reject(nil)), a.rejectedBy())
	}
	d.StartIndex = w.nextStart
	if texts := a.errorTexts(func(string) bool { return true }); len(texts) > 0 {
		return fail("Error", v1.PodReasonSchedulerError, "Filter", sets.List(texts)[0], nil)
	}
	var feasible []fwk.NodeInfo
	evaluated := sets.New[string]()
	for i, info := range a.candidates {
		if len(feasible) >= a.toFind {
			// A log that goes on when enough were found.
			if !goOn || !a.narrowed && a.statuses[i] == nil || len(feasible) > a.toFind {
				break
			}
			wentOn = true
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
	if a.promised != nil && a.promisedStatus.IsRejected() && !evaluated.Has(a.promised.Node().Name) {
		name, status := a.promised.Node().Name, a.promisedStatus // It was looked at before all others.
		evaluated.Insert(name)
		d.Nodes = append(d.Nodes, nodeOutcome{Name: name, Verdict: &verdict{Plugin: status.Plugin(), Status: codeName(status.Code()), Reasons: status.Reasons()}})
	}
	d.EvaluatedNodes, d.FeasibleNodes = len(evaluated), len(feasible)
	if !a.kept {
		w.nextStart = (w.nextStart + len(evaluated)) % len(a.allNodes)
	}
	switch len(feasible) {
	case 0:
		return fail("Unschedulable", v1.PodReasonUnschedulable, "Filter", emitPostFilter(w, d, a, a.reject(evaluated)), a.rejectedBy())
	case 1:
		d.Result, d.Node = "Scheduled", feasible[0].Node().Name
		return d, a
	}
	s, err := a.score(feasible, false)
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
	return d, a
}

// emitPostFilter asks the PostFilter plugins, nominates as they say and gives the message.
func emitPostFilter(w *world, d *decision, a *attempt, fitError *framework.FitError) string {
	d.NominatedNode = a.pod.Status.NominatedNodeName
	if !a.profile.fw.HasPostFilterPlugins() {
		d.NominatedNode = ""
	} else {
		result, status := a.profile.fw.RunPostFilterPlugins(w.ctx, a.state, a.pod, fitError.Diagnosis.NodeToStatus)
		fitError.Diagnosis.PostFilterMsg = status.Message()
		if result != nil && result.Mode() == fwk.ModeOverride {
			d.NominatedNode = result.NominatedNodeName
		}
	}
	info, err := framework.NewPodInfo(a.pod)
	if err != nil {
		panic(err)
	}
	w.nominator.AddNominatedPod(w.logger, info, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: d.NominatedNode})
	return fitError.Error()
}

// emitEvictions are the events of a preemption: the victims of the chosen node are marked, then they are gone.
func emitEvictions(w *world, d *decision, a *attempt) []logLine {
	if a == nil || a.profile.preemption == nil || d.Result != "Unschedulable" {
		return nil
	}
	var lines []logLine
	for _, c := range a.profile.preemption.candidates {
		if c.node != d.NominatedNode {
			continue
		}
		for _, victim := range c.victims.Pods {
			if victim.DeletionTimestamp != nil {
				continue
			}
			victim = victim.DeepCopy()
			victim.Kind, victim.APIVersion = "Pod", "v1"
			victim.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			victim.Status.Conditions = append(victim.Status.Conditions,
				v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler})
			text, err := json.Marshal(victim)
			if err != nil {
				panic(err)
			}
			lines = append(lines,
				logLine{Event: &event{Type: "Modified", Kind: "Pod", Namespace: victim.Namespace, Name: victim.Name, Object: text}},
				logLine{Event: &event{Type: "Deleted", Kind: "Pod", Namespace: victim.Namespace, Name: victim.Name}})
		}
	}
	a.profile.preemption.candidates = nil
	return lines
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

// The emitter of right logs asks no extender.
func init() { extenderShare = 0 }
