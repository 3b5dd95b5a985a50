// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"context"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// How many nodes a visit looks for is upstream's own business; when it is over, too.
//
//go:linkname nodesToFind k8s.io/kubernetes/pkg/scheduler.(*Scheduler).numFeasibleNodesToFind
func nodesToFind(sched *scheduler.Scheduler, percentage *int32, nodes int32) int32

//go:linkname hasScoring k8s.io/kubernetes/pkg/scheduler.(*Scheduler).hasScoring
func hasScoring(sched *scheduler.Scheduler, fw framework.Framework) bool

//go:linkname hasExtenderFilters k8s.io/kubernetes/pkg/scheduler.(*Scheduler).hasExtenderFilters
func hasExtenderFilters(sched *scheduler.Scheduler) bool

// watched is the framework of a profile as the scheduler sees it. It is upstream's own, but for two things that upstream leaves
// to timing or keeps stale: a visit ends at once when enough nodes are found (upstream's workers look at some more meanwhile), and
// how many nodes have an image is counted anew.
type watched struct {
	framework.Framework
	of      *upstream
	longest []time.Duration // how long its plugins let PreBind take

	promised      bool // the node that the pod was promised is looked at first
	wanted, found int  // nodes of this visit
}

// RunPreFilterPlugins begins an attempt.
func (w *watched) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := w.Framework.RunPreFilterPlugins(ctx, state, pod)
	lister := w.SnapshotSharedLister().NodeInfos()
	w.countImages(lister)
	w.promised, w.found, w.wanted = false, 0, 0
	if name := pod.Status.NominatedNodeName; name != "" {
		_, err := lister.Get(name)
		w.promised = err == nil
	}
	n := 0
	if all, err := lister.List(); err == nil {
		n = len(all)
	}
	if !result.AllNodes() {
		n = 0
		for name := range result.NodeNames {
			if _, err := lister.Get(name); err == nil {
				n++
			}
		}
	}
	if w.wanted = int(nodesToFind(w.of.sched, w.PercentageOfNodesToScore(), int32(n))); !hasExtenderFilters(w.of.sched) && !hasScoring(w.of.sched, w) {
		w.wanted = 1
	}
	if !result.AllNodes() && w.wanted < n {
		w.of.open = "a visit of some nodes that is cut" // They are a Go map's.
	}
	return result, status, plugins
}

// RunPreBindPlugins says which pods are in it. It begins when all that the attempt has asked for is answered.
func (w *watched) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	w.of.waitForTurn("PreBind " + keyOf(pod))
	w.of.preBinds(pod, w.longest)
	defer w.of.preBinds(pod, nil)
	return w.Framework.RunPreBindPlugins(ctx, state, pod, node)
}

// preBind is that of one pod.
type preBind struct {
	since   time.Time
	longest []time.Duration
}

func (u *upstream) preBinds(pod *v1.Pod, longest []time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if longest != nil {
		u.binding[keyOf(pod)] = preBind{time.Now(), longest}
	} else {
		delete(u.binding, keyOf(pod))
	}
}

// lookAhead leaves open what comes of PreBinds that fail before upstream looks the first time, if upstream fails each of them then
// with the same words, and if all that Berth did before is right: Berth looks when it hears of its own request
// (docs/differences.md), so other pods may have the room a second earlier.
func (u *upstream) lookAhead(theirs, ours *Log, kinds []string) {
	early := u.failsEarly(theirs, ours)
	if len(early) == 0 || !beginsAs(ours.lines[:early[0].at], theirs, kinds) {
		return
	}
	slices.SortFunc(early, func(a, b earlyFailure) int { return a.since.Compare(b.since) })
	for _, f := range early {
		time.Sleep(time.Until(f.since.Add(time.Second)))
		u.settle()
	}
	later := &Log{lines: slices.Clone(u.lines)}
	normalize(later)
	for _, f := range early {
		if !slices.Contains(later.lines, f.line) {
			return
		}
	}
	u.open = "what fails before upstream looks"
}

// earlyFailure is a PreBind that failed before upstream looked at it.
type earlyFailure struct {
	at    int // the line's number in Berth's log
	line  string
	since time.Time // when it began
}

// failsEarly gives what Berth alone says of pods at which upstream has not looked yet: of each pod the first line, since what it
// does later comes of that. A time of at most a second is over when upstream looks.
func (u *upstream) failsEarly(theirs, ours *Log) []earlyFailure {
	u.mu.Lock()
	defer u.mu.Unlock()
	known := theirs.of("binding")
	told := map[string]bool{}
	var early []earlyFailure
	for i, line := range ours.lines {
		text, binds := strings.CutPrefix(line, "binding ")
		if !binds {
			continue
		}
		if at := slices.Index(known, text); at >= 0 {
			known = slices.Delete(known, at, at+1)
			continue
		}
		pod, _, _ := strings.Cut(text, " ")
		p, looks := u.binding[pod]
		short := slices.ContainsFunc(p.longest, func(longest time.Duration) bool { return longest <= time.Second })
		if looks && !short && !told[pod] && time.Since(p.since) < time.Second {
			told[pod] = true
			early = append(early, earlyFailure{i, line, p.since})
		}
	}
	return early
}

// beginsAs tells whether upstream has done all that Berth did first, by the kinds of lines that are compared one by one. When a pod of a PreBind gives its room back, others are woken
// before the failure is told of; so these may be missing.
func beginsAs(first []string, theirs *Log, kinds []string) bool {
	ours := &Log{lines: first}
	for _, what := range kinds {
		if lines, all := ours.of(what), theirs.of(what); len(lines) > len(all) || !slices.Equal(lines, all[:len(lines)]) {
			return false
		}
	}
	in := moves(theirs)
	for _, line := range moves(ours) {
		if !slices.Contains(in, line) && !strings.HasSuffix(line, " AssignedPodDelete") {
			return false
		}
	}
	return true
}

// preBindTimes are how long the plugins of a profile let PreBind take.
func preBindTimes(cfg *config.KubeSchedulerConfiguration, profile string) []time.Duration {
	times := []time.Duration{}
	for _, p := range cfg.Profiles {
		for _, c := range p.PluginConfig {
			if p.SchedulerName != profile {
				continue
			}
			switch args := c.Args.(type) {
			case *config.VolumeBindingArgs:
				times = append(times, time.Duration(args.BindTimeoutSeconds)*time.Second)
			case *config.DynamicResourcesArgs:
				times = append(times, args.BindingTimeout.Duration)
			}
		}
	}
	return times
}

// countImages brings up to date on how many nodes each image is: upstream's number is that of the moment at which the node that
// has it was looked at last.
func (w *watched) countImages(lister fwk.NodeInfoLister) {
	all, err := lister.List()
	if err != nil {
		return
	}
	counts := map[string]int{}
	for _, info := range all {
		for name := range info.GetImageStates() {
			counts[name]++
		}
	}
	for _, info := range all {
		for name, state := range info.GetImageStates() {
			state.NumNodes = counts[name]
		}
	}
}

// RunFilterPluginsWithNominatedPods judges one node of a visit. A node beyond those that are needed is one more that fits, as far
// as the visit is concerned, which ends there.
func (w *watched) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	promised := w.promised
	w.promised = false
	if !promised && w.found >= w.wanted {
		return nil
	}
	status := w.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	if status.IsSuccess() && !promised {
		w.found++
	}
	if a := w.of.attempt; a != nil {
		if delete(a.rejected, info.Node().Name); status.IsRejected() {
			a.rejected[info.Node().Name] = status.Plugin()
		}
	}
	return status
}
