// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// parallelism is upstream's default number of workers: with it a chunk of nodes is chosen, and by
// that much the visit may run past the node that completed the set.
const parallelism = 16

// compareVisit judges which nodes were evaluated, where the visit began, and moves the start
// index on. It returns the nodes that the record evaluated, as far as they may be judged further,
// and whether the attempt ended here (a filter failed with an error).
func (j *judge) compareVisit(a *attempt) (sets.Set[string], bool) {
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
		return evaluated, true
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
	again = j.checkExtent(a, evaluated)
	return evaluated, false
}

// rotate puts the candidates into the order in which a visit from nextStart meets them.
func (j *judge) rotate(a *attempt) {
	again, err := j.world.filter(a.pod)
	if err == nil {
		*a = *again
	}
}

// checkExtent judges which of the candidates were evaluated: every one until enough feasible
// nodes were found, after that only rejected ones, and of those no more than upstream's workers
// could have in hand. It tells how many nodes upstream counts twice: the nominated one, which an
// extender has rejected, when the visit finds it feasible again.
func (j *judge) checkExtent(a *attempt, evaluated sets.Set[string]) (twice int) {
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
		// Upstream visits a narrowed set in the order of a Go map: only the count can be judged.
		j.coverage.add("", "visit", "narrowed and cut short")
		j.startKnown = j.startKnown && !a.promisedStatus.IsRejected()
		return 0
	}
	for i, info := range a.candidates {
		name := info.Node().Name
		promised := a.promised != nil && name == a.promised.Node().Name
		if promised && a.promisedStatus.IsRejected() && i < limit && a.statuses[i] == nil {
			twice = 1
			j.coverage.add("", "visit", "the nominated node twice")
		}
		switch has := evaluated.Has(name); {
		case i < limit && !has:
			j.differ(name, "", "nodes", "not evaluated", fmt.Sprintf("evaluated: place %d of a visit that needs %d feasible nodes", i, a.toFind))
		case promised:
		case i >= limit && has && a.statuses[i] == nil:
			j.differ(name, "", "nodes", "evaluated and feasible", fmt.Sprintf("the %d feasible nodes to find were found before", a.toFind))
			evaluated.Delete(name)
		case i >= limit+parallelism*chunk(len(a.candidates)) && has:
			j.differ(name, "", "nodes", "evaluated", fmt.Sprintf("the visit was over at place %d", completed))
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
	return twice
}

// chunk is upstream's chunkSizeFor: how many nodes a worker takes at once.
func chunk(n int) int {
	return max(1, min(int(math.Sqrt(float64(n))), n/parallelism+1))
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
