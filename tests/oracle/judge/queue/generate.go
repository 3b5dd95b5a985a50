// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// generator makes one script, playing it on kube-scheduler's queue as it goes, so that it knows
// who is where and most steps have something to do.
type generator struct {
	*rand.Rand
	s     *script
	world *upstream
	made  int // objects so far, so that each has a version or a name of its own
	kinds []string
}

// newScript makes script number i of a seed, and what upstream makes of it.
func newScript(seed uint64, i int) (*script, *upstream, error) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
	g.s = &script{Name: fmt.Sprintf("seed-%d-%d", seed, i), Settings: g.settings()}
	g.plugins()
	g.profiles()
	for name := range podNames {
		for _, p := range g.s.Plugins {
			if g.chance(80) {
				g.s.Answers = append(g.s.Answers, g.answer(p.Name, podKey(name)))
			}
		}
	}
	var err error
	if g.world, err = newUpstream(g.s); err != nil {
		return nil, nil, err
	}
	for range 15 + g.IntN(70) {
		step := g.step()
		g.s.Steps = append(g.s.Steps, step)
		g.world.play(step)
	}
	return g.s, g.world, nil
}

const podNames = 8

func podKey(i int) string { return fmt.Sprintf("default/p%d", i) }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// pick draws one of the items.
func pick[T any](g *generator, items []T) T { return items[g.IntN(len(items))] }

// some draws a part of the items, in order.
func some[T any](g *generator, items []T, percent int) []T {
	return slices.DeleteFunc(slices.Clone(items), func(T) bool { return !g.chance(percent) })
}

func (g *generator) settings() settings {
	s := settings{
		StartNs:               1_767_225_600_000_000_000 + g.Int64N(int64(time.Minute)),
		InitialBackoffSeconds: 1, MaxBackoffSeconds: 10, LongestUnschedulableSecond: 300, SortKey: g.chance(50),
	}
	if g.chance(20) {
		s.InitialBackoffSeconds, s.MaxBackoffSeconds = g.Int64N(4), g.Int64N(20)
	}
	if g.chance(10) {
		s.MaxBackoffSeconds = 0
	}
	s.WholeBackoff = g.chance(25)
	if g.chance(30) {
		s.LongestUnschedulableSecond = 1 + g.Int64N(90)
	}
	return s
}

const update = fwk.Update

var interests = map[string][]fwk.ActionType{
	"Node": {
		fwk.Add, fwk.Delete, fwk.Add | fwk.UpdateNodeAllocatable, fwk.Add | fwk.UpdateNodeLabel, fwk.UpdateNodeTaint,
		fwk.Add | fwk.UpdateNodeTaint, fwk.UpdateNodeCondition | fwk.UpdateNodeAnnotation, fwk.UpdateNodeDeclaredFeature,
		fwk.UpdateNodeLabel, update, fwk.All,
	},
	"Pod": {
		fwk.Add, fwk.Delete, fwk.Add | fwk.UpdatePodLabel | fwk.Delete, fwk.UpdatePodScaleDown, fwk.Delete | fwk.UpdatePodScaleDown,
		fwk.UpdatePodToleration, fwk.UpdatePodSchedulingGatesEliminated, fwk.UpdatePodGeneratedResourceClaim, fwk.UpdatePodLabel,
		update, fwk.All,
	},
	"PersistentVolumeClaim":       {fwk.Add, fwk.Add | update, fwk.All},
	"storage.k8s.io/CSINode":      {fwk.Add, update},
	"resource.k8s.io/DeviceClass": {fwk.Add | update},
	"*":                           {fwk.Add, fwk.Delete, update, fwk.All},
}

var resources = []string{"Node", "Node", "Node", "Node", "Pod", "Pod", "Pod", "Pod", "PersistentVolumeClaim", "storage.k8s.io/CSINode",
	"resource.k8s.io/DeviceClass", "*"}

func (g *generator) plugins() {
	for i := range 2 + g.IntN(4) {
		p := plugin{Name: string(rune('A' + i)), Gate: g.chance(40)}
		for range g.IntN(4) {
			resource := pick(g, resources)
			p.Events = append(p.Events, interest{resource, actions(pick(g, interests[resource])), g.chance(75)})
		}
		g.s.Plugins = append(g.s.Plugins, p)
	}
}

func (g *generator) profiles() {
	for i := range 1 + g.IntN(3) {
		p := profile{Name: fmt.Sprintf("scheduler-%d", i)}
		for _, each := range some(g, g.s.Plugins, 80) {
			p.Plugins = append(p.Plugins, each.Name)
		}
		g.s.Profiles = append(g.s.Profiles, p)
	}
}

func (g *generator) answer(plugin, pod string) answer {
	return answer{plugin, pod, pick(g, []string{"Skip", "Skip", "Skip", "Queue", "Queue", "Odd", "Odd", "Error"})}
}

// step draws what happens next. What is drawn more often is named more often.
func (g *generator) step() step {
	if g.kinds == nil {
		// Every script has likings of its own.
		for kind, weight := range map[string]int{
			"add": 8, "update": 8, "delete": 2, "pop": 14, "requeue": 14, "done": 2, "node": 7, "assigned": 6, "event": 2,
			"activate": 2, "gate": 3, "answer": 2, "sleep": 8,
		} {
			for range weight {
				g.kinds = append(g.kinds, kind)
			}
		}
		slices.Sort(g.kinds)
		for range g.IntN(3) {
			liked := pick(g, g.kinds)
			for range 10 {
				g.kinds = append(g.kinds, liked)
			}
		}
	}
	for {
		if s, ok := g.draw(pick(g, g.kinds)); ok {
			return s
		}
	}
}

func (g *generator) draw(kind string) (step, bool) {
	w := g.world
	s := step{Do: kind}
	switch kind {
	case "add":
		s.Pod = g.newPod()
		if old := w.pods[keyOf(s.Pod)]; old != nil {
			if !release.AddsKnownPods || g.chance(90) || w.flight(string(old.UID)) != nil {
				return s, false
			}
			s.Pod.UID, s.Pod.Spec.SchedulerName = old.UID, old.Spec.SchedulerName // Shown as new though it is known.
		}
	case "update":
		known := g.someKnown()
		s.Pod = g.changedPod(known)
		// Upstream goes on after the event that moves the pod into the backoff queue, and may then have it in two queues.
		if g.s.Settings.WholeBackoff && s.Pod != nil && len(release.PodChanges(s.Pod, known)) > 1 {
			return s, false
		}
	case "delete":
		s.Pod = g.someKnown()
	case "pop":
		return s, w.ready()
	case "requeue", "done":
		if len(w.flying) == 0 {
			return s, false
		}
		info := pick(g, w.flying)
		s.UID = string(info.Pod.UID)
		if kind == "requeue" {
			g.rejection(&s, info.Pod.Spec.SchedulerName)
		}
	case "node":
		g.nodeChange(&s)
	case "assigned":
		g.assignedChange(&s)
	case "event":
		s.Resource = pick(g, []string{"PersistentVolumeClaim", "storage.k8s.io/CSINode", "resource.k8s.io/DeviceClass"})
		s.Actions = actions(pick(g, []fwk.ActionType{fwk.Add, fwk.Delete, update}))
	case "activate":
		for i := range podNames {
			if g.chance(20) {
				s.Keys = append(s.Keys, podKey(i))
			}
		}
	case "gate":
		gates := slices.DeleteFunc(slices.Clone(g.s.Plugins), func(p plugin) bool { return !p.Gate })
		s.Key = podKey(g.IntN(podNames))
		if len(gates) > 0 && g.chance(50) {
			s.Plugin = pick(g, gates).Name
			s.Code = int(pick(g, []fwk.Code{fwk.Unschedulable, fwk.UnschedulableAndUnresolvable, fwk.Pending, fwk.Error}))
		} else if len(gates) == 0 || w.gates[s.Key].plugin == "" {
			return s, false
		}
	case "answer":
		a := g.answer(pick(g, g.s.Plugins).Name, podKey(g.IntN(podNames)))
		s.Answer = &a
	case "sleep":
		s.Ns = g.sleep()
	}
	return s, kind != "update" && kind != "delete" || s.Pod != nil
}

func (g *generator) sleep() int64 {
	second := int64(time.Second)
	switch g.IntN(6) {
	case 0:
		return g.Int64N(second)
	case 1, 2:
		return g.Int64N(3 * second)
	case 3:
		// To just before, at or after a whole second: the edge of a backoff.
		now := g.world.clock.Now().UnixNano()
		return max(0, second-now%second+g.Int64N(12)*second+pick(g, []int64{-2000, -1000, 0, 1}))
	case 4:
		return g.Int64N(40 * second)
	default:
		return g.Int64N(400 * second)
	}
}

// rejection draws who refused a pod of a profile; nobody: the attempt broke.
func (g *generator) rejection(s *step, profileName string) {
	for _, p := range g.s.Profiles {
		if p.Name != profileName || g.chance(15) {
			continue
		}
		for _, name := range p.Plugins {
			if g.chance(40) {
				s.Unschedulable = append(s.Unschedulable, name)
			} else if g.chance(20) {
				s.Pending = append(s.Pending, name)
			}
		}
	}
}

func (g *generator) someKnown() *v1.Pod {
	for range 5 {
		if pod := g.world.pods[podKey(g.IntN(podNames))]; pod != nil {
			return pod
		}
	}
	return nil
}
