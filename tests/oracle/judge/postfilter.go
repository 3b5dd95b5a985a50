// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// candidate is a node on which the real DefaultPreemption could make room.
type candidate struct {
	node    string
	victims *extenderv1.Victims
}

// dryRun looks at all that the real DefaultPreemption tries: it takes the place of the plugin in its own evaluator, so that
// every node is tried, whatever the arguments say, and keeps what came of it.
type dryRun struct {
	*release.Preemption
	mu         sync.Mutex
	enough     int // how many candidates the arguments ask for
	candidates []candidate
}

// watchPreemption prepares the plugin for being judged by: it evicts nobody.
func watchPreemption(plugin *defaultpreemption.DefaultPreemption) *dryRun {
	release.Around(plugin.Executor, func(context.Context, *v1.Pod, release.Eviction) {})
	d := &dryRun{Preemption: release.NewPreemption(plugin)}
	d.Selected = func(node string, victims []*v1.Pod, violations int) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.candidates = append(d.candidates, candidate{node, &extenderv1.Victims{Pods: victims, NumPDBViolations: int64(violations)}})
	}
	plugin.Evaluator.Interface = d
	return d
}

// GetOffsetAndNumCandidates asks for all of them.
func (d *dryRun) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	_, enough := d.DefaultPreemption.GetOffsetAndNumCandidates(nodes)
	d.enough, d.candidates = int(enough), nil
	if enough == 0 {
		return 0, 0 // The arguments ask for no candidate, and there is none.
	}
	return 0, nodes
}

// compareCandidates orders candidates as upstream's choice does, the better one first.
func compareCandidates(a, b candidate) int {
	sum := func(c candidate) (sum int64) {
		for _, pod := range c.victims.Pods {
			sum += int64(corev1helpers.PodPriority(pod)) + 1<<31
		}
		return sum
	}
	highest := func(c candidate) int32 { return corev1helpers.PodPriority(c.victims.Pods[0]) }
	return cmp.Or(
		cmp.Compare(a.victims.NumPDBViolations, b.victims.NumPDBViolations),
		cmp.Compare(highest(a), highest(b)),
		cmp.Compare(sum(a), sum(b)),
		cmp.Compare(len(a.victims.Pods), len(b.victims.Pods)),
		cmp.Compare(util.GetEarliestPodStartTime(b.victims).UnixNano(), util.GetEarliestPodStartTime(a.victims).UnixNano()),
	)
}

// acceptable lists the candidates that upstream may take. It tries nodes in the order of a Go map, from a random one on,
// until it has enough of them and one that violates no budget; of those it takes the best.
func (d *dryRun) acceptable() []candidate {
	var list []candidate
	for _, c := range d.candidates {
		noBetter, keepsBudgets, best := 0, false, true
		for _, other := range d.candidates {
			if compareCandidates(other, c) < 0 {
				best = false
				continue
			}
			noBetter++
			keepsBudgets = keepsBudgets || other.victims.NumPDBViolations == 0
		}
		if best || noBetter >= d.enough && keepsBudgets {
			list = append(list, c)
		}
	}
	return list
}

// comparePostFilter asks the PostFilter plugins about a pod that fits nowhere, judges what was made of their answer, and
// returns the error with their words.
func (j *judge) comparePostFilter(a *attempt, fitError *framework.FitError) {
	fw, w := a.profile.fw, j.world
	if !fw.HasPostFilterPlugins() {
		j.nominate(a, cleared)
		return
	}
	if d := a.profile.preemption; d != nil {
		d.candidates = nil
	}
	w.forgetNarrowed()
	result, status := fw.RunPostFilterPlugins(w.ctx, a.state, a.pod, fitError.Diagnosis.NodeToStatus)
	for a.profile.preemption != nil && a.profile.preemption.Executor.IsPodRunningPreemption(a.pod.UID) {
		time.Sleep(100 * time.Microsecond) // What upstream does in the background ends soon: nobody is evicted.
	}
	fitError.Diagnosis.PostFilterMsg = status.Message()
	j.countPostFilter(status)
	var info *fwk.NominatingInfo
	if result != nil {
		info = result.NominatingInfo
	}
	if d := a.profile.preemption; d != nil && status.IsSuccess() && len(d.candidates) > 0 {
		chosen := j.chosenNode(a, info.NominatedNodeName)
		info = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: chosen.node}
		fitError.Diagnosis.PostFilterMsg = ofTheirNode.ReplaceAllString(status.Message(),
			fmt.Sprintf("on node %s, preempting %d victims", chosen.node, len(chosen.victims.Pods)))
	}
	j.nominate(a, info)
}

// ofTheirNode is what 1.37 says of the node that it has chosen.
var ofTheirNode = regexp.MustCompile(`on node \S+, preempting \d+ victims`)

// countPostFilter adds to the coverage what PostFilter plugins said; the framework makes one message of it.
func (j *judge) countPostFilter(status *fwk.Status) {
	text, point := status.Message(), "PostFilter "+codeName(status.Code())
	plugin := cmp.Or(status.Plugin(), names.DefaultPreemption)
	if devices, preemption, both := strings.Cut(text, ", preemption: "); both {
		j.coverage.add(names.DynamicResources, point, devices)
		plugin, text = names.DefaultPreemption, "preemption: "+preemption
	}
	j.coverage.add(plugin, point, text)
}

// chosenNode judges the node of the preemption in the record: one that upstream may take. Its victims are expected to be
// evicted. A wrong one is reported, and upstream's own choice taken instead.
func (j *judge) chosenNode(a *attempt, theirs string) candidate {
	d := a.profile.preemption
	acceptable := d.acceptable()
	if left, asked := j.world.narrowed(); asked {
		best := slices.MinFunc(left, compareCandidates)
		acceptable = slices.DeleteFunc(left, func(c candidate) bool { return compareCandidates(best, c) < 0 })
		j.coverage.add(names.DefaultPreemption, "preemption", "extenders chose among the candidates")
	}
	at := slices.IndexFunc(acceptable, func(c candidate) bool { return c.node == j.current.NominatedNode })
	if at < 0 {
		var nodes []string
		for _, c := range acceptable {
			nodes = append(nodes, c.node)
		}
		j.differ("", names.DefaultPreemption, "nominatedNode", quote(j.current.NominatedNode), "one of "+strings.Join(nodes, " "))
		at = slices.IndexFunc(acceptable, func(c candidate) bool { return c.node == theirs })
	}
	chosen := acceptable[at]
	expected := &eviction{decision: j.current, waiting: sets.New[string](), there: sets.New[string]()}
	for _, victim := range chosen.victims.Pods {
		if victim.DeletionTimestamp == nil {
			expected.waiting.Insert(podKey(victim))
			expected.there.Insert(podKey(victim))
		}
	}
	j.evictions[a.pod.UID] = expected
	j.countPreemption(chosen, len(acceptable))
	return chosen
}

// countPreemption adds to the coverage what kind of choice it was.
func (j *judge) countPreemption(chosen candidate, acceptable int) {
	say := func(text string) { j.coverage.add(names.DefaultPreemption, "preemption", text) }
	say("node chosen")
	if acceptable == 1 && len(j.world.profiles[j.current.Profile].preemption.candidates) > 1 {
		say("one best of several candidates")
	}
	if len(chosen.victims.Pods) > 1 {
		say("several victims")
	}
	if chosen.victims.NumPDBViolations > 0 {
		say("a disruption budget is violated")
	}
}

// cleared takes a nomination back.
var cleared = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}

// nominate brings the nomination of a failed attempt into force and judges the one in the record.
func (j *judge) nominate(a *attempt, info *fwk.NominatingInfo) {
	pi, err := framework.NewPodInfo(a.pod)
	if err != nil {
		return
	}
	j.world.nominator.AddNominatedPod(j.world.logger, pi, info)
	node := a.pod.Status.NominatedNodeName
	if info.Mode() == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	same(j, "", "", "nominatedNode", j.current.NominatedNode, node)
}

// eviction is what is still to come of a preemption.
type eviction struct {
	decision *decision
	waiting  sets.Set[string] // victims that have not been marked yet
	there    sets.Set[string] // victims that nobody has deleted yet
}

// leaves notes that a pod is on its way out, or back to its queue.
func (j *judge) leaves(e *event, key string) {
	switch e.Type {
	case "Modified":
		var after struct {
			Metadata struct{ DeletionTimestamp *string }
		}
		if json.Unmarshal(e.Object, &after) != nil || after.Metadata.DeletionTimestamp == nil {
			return
		}
	case "Deleted", "Forgotten", "BindFailed":
	default:
		return
	}
	for _, e := range j.evictions {
		e.there.Delete(key)
	}
}

// evicted notes that a pod is now marked as a victim. It must be one.
func (j *judge) evicted(key string) {
	wanted := false
	for _, e := range j.evictions {
		wanted = wanted || e.waiting.Has(key)
		e.waiting.Delete(key) // Two pods may have chosen it before it went.
	}
	if wanted {
		return
	}
	j.current = &decision{Pod: objectRef{Name: key}}
	j.differ("", names.DefaultPreemption, "victims", key+" is evicted", "nobody preempts it")
}

// checkEvictions reports victims that were never evicted.
func (j *judge) checkEvictions() {
	for _, e := range j.evictions {
		for _, key := range sets.List(e.waiting) {
			j.current = e.decision
			j.differ("", names.DefaultPreemption, "victims", "not evicted", fmt.Sprintf("%s of node %s", key, e.decision.NominatedNode))
		}
	}
}
