// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// visit is what of an attempt's nodes were looked at.
type visit struct {
	evaluated sets.Set[string] // as far as they may be judged further
	count     int              // how many upstream looks at when it stops at the node that completes the set, as Berth does
	failed    bool             // a filter failed with an error, which ended the attempt
}

// compareVisit judges which nodes were evaluated, where the visit began, and moves the start index on.
func (j *judge) compareVisit(a *attempt) visit {
	d, w := j.current, j.world
	evaluated := sets.New[string]()
	for _, node := range d.Nodes {
		evaluated.Insert(node.Name)
	}
	n := len(a.allNodes)
	if len(a.candidates) > 0 && d.StartIndex != w.nextStart%n && d.StartIndex != w.nextStart%len(a.candidates) {
		if j.startKnown {
			j.differ("", "", "startIndex", fmt.Sprint(d.StartIndex), fmt.Sprint(w.nextStart%n))
		}
		w.nextStart = d.StartIndex
		j.rotate(a)
	}
	j.startKnown = true
	again := 0
	defer func() {
		if !a.kept { // A pod that gets the node it was promised begins no visit.
			w.nextStart = (w.nextStart + len(evaluated) + again) % n
		}
	}()

	if errors := a.errorTexts(j.reached(a, evaluated)); len(errors) > 0 {
		// Upstream reports whichever of the failing nodes it met first.
		theirs := sets.List(errors)[0]
		if errors.Has(d.Message) {
			theirs = d.Message
		}
		j.nominate(a, cleared)
		j.compareFailure("Error", v1.PodReasonSchedulerError, "Filter", theirs, nil)
		j.countFilterError(a, theirs)
		j.startKnown = false
		return visit{evaluated, 0, true}
	}

	known := sets.New[string]()
	for _, info := range a.candidates {
		known.Insert(info.Node().Name)
	}
	if a.promised != nil {
		known.Insert(a.promised.Node().Name) // It is looked at before all others, and need not be one of them.
	}
	for _, name := range sets.List(evaluated.Difference(known)) {
		j.differ(name, "", "nodes", "evaluated", "no candidate")
		evaluated.Delete(name)
	}
	var count int
	again, count = j.checkExtent(a, evaluated)
	return visit{evaluated, count, false}
}

// rotate puts the candidates into the order in which a visit from nextStart meets them.
func (j *judge) rotate(a *attempt) {
	again, err := j.world.filter(a.pod)
	if err == nil {
		*a = *again
	}
}

// checkExtent judges which of the candidates were evaluated: every one until enough feasible nodes were found, and none after
// that. Upstream's workers have a few more in hand by then, and count the rejected ones of those; Berth promises to stop
// (docs/differences.md). It tells how many nodes upstream counts twice: the nominated one, which an extender has rejected, when
// the visit finds it feasible again; and how many are looked at.
func (j *judge) checkExtent(a *attempt, evaluated sets.Set[string]) (twice, count int) {
	found, completed := 0, -1
	for i := range a.candidates {
		if a.statuses[i] == nil {
			if found++; found == a.toFind {
				completed = i
				break
			}
		}
	}
	limit := len(a.candidates)
	if completed >= 0 {
		limit = completed + 1
	}
	if a.narrowed && completed >= 0 && limit < len(a.candidates) {
		return 0, j.checkNarrowed(a, evaluated)
	}
	wanted := sets.New[string]()
	if a.promised != nil {
		wanted.Insert(a.promised.Node().Name)
	}
	for i, info := range a.candidates {
		name := info.Node().Name
		promised := a.promised != nil && name == a.promised.Node().Name
		if promised && a.promisedStatus.IsRejected() && i < limit && a.statuses[i] == nil {
			twice = 1
			j.coverage.add("", "visit", "the nominated node twice")
		}
		if i < limit {
			wanted.Insert(name)
		}
		switch has := evaluated.Has(name); {
		case i < limit && !has:
			j.differ(name, "", "nodes", "not evaluated", fmt.Sprintf("evaluated: place %d of a visit that needs %d feasible nodes", i, a.toFind))
		case promised:
		case i >= limit && has:
			j.differ(name, "", "nodes", "evaluated", fmt.Sprintf("the visit was over at place %d, with %d feasible nodes", completed, a.toFind))
			evaluated.Delete(name)
		}
	}
	if a.kept {
		j.coverage.add("", "visit", "the nominated node")
	} else if completed >= 0 && limit < len(a.candidates) {
		j.coverage.add("", "visit", "cut short")
	} else {
		j.coverage.add("", "visit", "all candidates")
	}
	if j.world.nextStart != 0 {
		j.coverage.add("", "visit", "rotated")
	}
	return twice, wanted.Len()
}

// checkNarrowed judges a visit, cut short, of nodes that a PreFilter plugin named. Upstream has them in the order of a Go map, so
// that any of them may come first; but when the visit ends, as many are feasible as are needed, and the record counts them.
func (j *judge) checkNarrowed(a *attempt, evaluated sets.Set[string]) int {
	j.coverage.add("", "visit", "narrowed and cut short")
	j.startKnown = j.startKnown && !a.promisedStatus.IsRejected()
	same(j, "", "", "nodes feasible of a narrowed visit", len(a.feasible(evaluated)), a.toFind)
	return evaluated.Len()
}

// countFilterError adds the error that ended the attempt to the coverage, without the framework's words in front of it.
func (j *judge) countFilterError(a *attempt, text string) {
	for _, status := range a.statuses {
		if status.Code() == fwk.Error && status.AsError().Error() == text {
			plugin := status.Plugin()
			j.coverage.add(plugin, "Filter Error", strings.TrimPrefix(text, fmt.Sprintf("running %q filter plugin: ", plugin)))
			return
		}
	}
}

// reached tells which nodes the visit came to: those behind enough feasible ones upstream may have looked at, or not.
// What the record counts as feasible will not do, because extenders have rejected some of those since.
func (j *judge) reached(a *attempt, evaluated sets.Set[string]) func(node string) bool {
	enough := j.current.Phase != "Filter" && len(a.feasible(evaluated)) >= a.toFind
	return func(node string) bool { return !enough || evaluated.Has(node) }
}

// errorTexts collects what upstream would say for each reached node whose filters failed with an error.
func (a *attempt) errorTexts(reached func(node string) bool) sets.Set[string] {
	texts := sets.New[string]()
	for i, status := range a.statuses {
		if status.Code() == fwk.Error && reached(a.candidates[i].Node().Name) {
			texts.Insert(status.AsError().Error())
		}
	}
	return texts
}
