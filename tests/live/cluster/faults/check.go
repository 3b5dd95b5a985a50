// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"sort"
)

// world is the cluster at one moment of its history.
type world struct {
	pods  map[string]*pod // by uid
	nodes map[string]*node
	used  map[string]amount // by node

	claims  map[string]*claim // by uid
	holders map[string]string // the uid of the claim that has a device
}

// replay goes through the history in the order in which it happened and returns the world at its end, and what should not
// have happened on the way.
func replay(changes []change) (*world, []string) {
	changes = slices.Clone(changes)
	sort.SliceStable(changes, func(i, j int) bool { return changes[i].version < changes[j].version })
	w := newWorld()
	var wrong []string
	for _, c := range changes {
		wrong = append(wrong, w.take(c)...)
	}
	return w, wrong
}

func newWorld() *world {
	return &world{map[string]*pod{}, map[string]*node{}, map[string]amount{}, map[string]*claim{}, map[string]string{}}
}

// holds says whether the pod takes room on a node.
func (p *pod) holds() bool { return p != nil && p.node != "" && !p.finished }

func (w *world) take(c change) (wrong []string) {
	if c.node != nil {
		w.nodes[c.node.name] = c.node
		if c.gone {
			delete(w.nodes, c.node.name)
		}
		return nil
	}
	if c.claim != nil {
		return w.takeClaim(c)
	}
	before, now := w.pods[c.pod.uid], c.pod
	if before != nil && before.node != "" && now.node != before.node {
		wrong = append(wrong, fmt.Sprintf("pod %s (%s) moved from node %q to %q at version %d", now.name, now.uid, before.node,
			now.node, c.version))
	}
	if before.holds() {
		w.used[before.node] = w.used[before.node].minus(before.asks)
	}
	if c.gone {
		delete(w.pods, now.uid)
		return wrong
	}
	w.pods[now.uid] = now
	if !now.holds() {
		return wrong
	}
	w.used[now.node] = w.used[now.node].plus(now.asks)
	// Only a pod that comes can be blamed on whoever put it there.
	node := w.nodes[now.node]
	if !before.holds() && node != nil && !w.used[now.node].within(node.has) {
		wrong = append(wrong, fmt.Sprintf("node %s is over its allocatable with pod %s at version %d: %v of %v", now.node, now.name,
			c.version, w.used[now.node], node.has))
	}
	return wrong
}

// forgotten are the pods that wait though there is room for them.
func (w *world) forgotten(scheduler string) (names []string) {
	for _, p := range w.pods {
		if p.node != "" || p.leaving || p.finished || p.scheduler != scheduler {
			continue
		}
		for _, n := range w.nodes {
			if n.open && w.used[n.name].plus(p.asks).within(n.has) {
				names = append(names, fmt.Sprintf("pod %s (%v) waits though node %s has room: %v of %v", p.name, p.asks, n.name,
					w.used[n.name], n.has))
				break
			}
		}
	}
	sort.Strings(names)
	return names
}

// twice are pods that were bound more than once, and those that are not where their Binding put them.
func (w *world) twice(bounds []bound) (wrong []string) {
	first := map[string]string{}
	for _, b := range bounds {
		if node, known := first[b.uid]; known {
			wrong = append(wrong, fmt.Sprintf("pod %s was bound twice, to node %s and to node %s", b.uid, node, b.node))
			continue
		}
		first[b.uid] = b.node
		if p := w.pods[b.uid]; p != nil && p.node != b.node {
			wrong = append(wrong, fmt.Sprintf("pod %s (%s) was bound to node %s and is on node %q", p.name, b.uid, b.node, p.node))
		}
	}
	return wrong
}

// room is how many pods that ask for so much fit in beside those that are there.
func (w *world) room(asks amount) (count int) {
	for _, n := range w.nodes {
		for used := w.used[n.name].plus(asks); n.open && used.within(n.has); used = used.plus(asks) {
			count++
		}
	}
	return count
}

// check is the whole judgement of a run that has come to rest.
func check(changes []change, bounds []bound, scheduler string) []string {
	w, wrong := replay(changes)
	wrong = append(wrong, w.twice(bounds)...)
	return slices.Concat(wrong, w.forgotten(scheduler), w.stuck(), w.unclaimed())
}
