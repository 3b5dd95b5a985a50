// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

// amount is what a pod asks for or a node has. CPU in thousandths, memory in bytes.
type amount struct{ cpu, memory, pods int64 }

func (a amount) plus(b amount) amount {
	return amount{a.cpu + b.cpu, a.memory + b.memory, a.pods + b.pods}
}
func (a amount) minus(b amount) amount {
	return amount{a.cpu - b.cpu, a.memory - b.memory, a.pods - b.pods}
}
func (a amount) within(b amount) bool {
	return a.cpu <= b.cpu && a.memory <= b.memory && a.pods <= b.pods
}
func (a amount) String() string {
	return fmt.Sprintf("cpu %dm, memory %d, pods %d", a.cpu, a.memory, a.pods)
}

// change is one object that came, changed or went. Versions of all kinds come from one counter, so that they give the order
// in which it all happened.
type change struct {
	version uint64
	gone    bool
	pod     *pod
	node    *node
	claim   *claim
}

type pod struct {
	uid, name, node, scheduler string
	leaving, finished          bool
	asks                       amount
}

type node struct {
	name string
	has  amount
	open bool // nothing keeps ordinary pods away
}

// bound is a Binding that the API server has carried out.
type bound struct{ uid, node string }

// history is what the API server did, from the start of the run on.
type history struct {
	mutex      sync.Mutex
	changes    []change
	bounds     []bound
	broken     []string // why it may lack something
	world      *world   // what has come of the changes so far
	came, left int      // pods
}

func (h *history) add(c change) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.changes = append(h.changes, c)
	if h.world == nil {
		h.world = newWorld()
	}
	if c.pod != nil && c.gone {
		h.left++
	} else if c.pod != nil && h.world.pods[c.pod.uid] == nil {
		h.came++
	}
	// What went wrong is for `check` to say, which sees the kinds in their common order.
	h.world.take(c)
}

func (h *history) addBound(uid, node string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.bounds = append(h.bounds, bound{uid, node})
}

// copy is what there is so far.
func (h *history) copy() ([]change, []bound, []string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return append([]change{}, h.changes...), append([]bound{}, h.bounds...), append([]string{}, h.broken...)
}

// now is the world as it is: the same as all changes played, and sooner had.
func (h *history) now() *world {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.world == nil {
		return newWorld()
	}
	w := h.world
	return &world{maps.Clone(w.pods), maps.Clone(w.nodes), maps.Clone(w.used), maps.Clone(w.claims), maps.Clone(w.holders)}
}

// passed is how many pods have come and gone.
func (h *history) passed() (came, left int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.came, h.left
}

// breaks says that the history may lack something from here on.
func (h *history) breaks(why string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.broken = append(h.broken, why)
}

// item has the fields of pods, nodes and claims that are looked at.
type item struct {
	Metadata struct {
		Name, Namespace, UID string
		DeletionTimestamp    *string
		OwnerReferences      []struct{ UID string }
	}
	Spec struct {
		NodeName, SchedulerName string
		Unschedulable           bool
		Taints                  []any
		Containers              []struct {
			Resources struct{ Requests map[string]resource.Quantity }
		}
	}
	Status struct {
		Phase       string
		Allocatable map[string]resource.Quantity
		ReservedFor []struct{ UID string }
		Allocation  struct {
			Devices struct {
				Results []struct{ Driver, Pool, Device string }
			}
		}
	}
}

func (i item) change(kind string, version uint64, gone bool) change {
	c := change{version: version, gone: gone}
	if kind == nodeKind {
		c.node = &node{i.Metadata.Name, quantities(i.Status.Allocatable), !i.Spec.Unschedulable && len(i.Spec.Taints) == 0}
		return c
	}
	if kind == claimKind {
		c.claim = i.claim()
		return c
	}
	c.pod = &pod{
		uid: i.Metadata.UID, name: i.Metadata.Namespace + "/" + i.Metadata.Name, node: i.Spec.NodeName,
		scheduler: i.Spec.SchedulerName, leaving: i.Metadata.DeletionTimestamp != nil,
		finished: i.Status.Phase == "Succeeded" || i.Status.Phase == "Failed", asks: amount{pods: 1},
	}
	for _, container := range i.Spec.Containers {
		c.pod.asks = c.pod.asks.plus(quantities(container.Resources.Requests))
	}
	return c
}

func quantities(of map[string]resource.Quantity) amount {
	cpu, memory, pods := of["cpu"], of["memory"], of["pods"]
	return amount{cpu.MilliValue(), memory.Value(), pods.Value()}
}
