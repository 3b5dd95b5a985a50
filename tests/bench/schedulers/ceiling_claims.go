// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// ceilingClaims is what the ceiling client knows of devices. As with nodes, each claim gets the next device in turn, whether it
// is what the claim asks for or not.
type ceilingClaims struct {
	mutex   sync.Mutex
	rounds  [][]device // the first device of each slice, then the second of each, and so on
	given   int
	claims  map[string]*heldClaim // by namespace and name
	waiting map[string][]func()   // for a claim of which the watch has not told yet
}

// device is one of a slice; its node is empty if the slice is of several nodes.
type device struct{ node, driver, pool, name string }

// heldClaim is written about by one request at a time, each of which has all that was decided by then.
type heldClaim struct {
	mutex sync.Mutex
	claim *resourcev1.ResourceClaim
	node  string // of its first device
	turn  lane
}

func newCeilingClaims() *ceilingClaims {
	return &ceilingClaims{claims: map[string]*heldClaim{}, waiting: map[string][]func(){}}
}

func (c *ceilingClaims) takeSlice(kind watch.EventType, object []byte) error {
	slice := &resourcev1.ResourceSlice{}
	if kind != watch.Added {
		return nil
	}
	if err := decode(object, slice); err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, one := range slice.Spec.Devices {
		if i == len(c.rounds) {
			c.rounds = append(c.rounds, nil)
		}
		made := device{driver: slice.Spec.Driver, pool: slice.Spec.Pool.Name, name: one.Name}
		if slice.Spec.NodeName != nil {
			made.node = *slice.Spec.NodeName
		}
		c.rounds[i] = append(c.rounds[i], made)
	}
	return nil
}

func (c *ceilingClaims) takeClaim(kind watch.EventType, object []byte) error {
	if kind != watch.Added && kind != watch.Deleted {
		return nil
	}
	claim := &resourcev1.ResourceClaim{}
	if err := decode(object, claim); err != nil {
		return err
	}
	claim.ManagedFields = nil // as kube-scheduler's cache has it
	key := claim.Namespace + "/" + claim.Name
	c.mutex.Lock()
	if kind == watch.Deleted {
		delete(c.claims, key)
		c.mutex.Unlock()
		return nil
	}
	if c.claims[key] == nil {
		c.claims[key] = &heldClaim{claim: claim, node: chosenNode(claim), turn: lane{most: 1}}
	}
	waiting := c.waiting[key]
	delete(c.waiting, key)
	c.mutex.Unlock()
	for _, begin := range waiting {
		begin()
	}
	return nil
}

// chosenNode is where a claim's devices are, if it has some of one node.
func chosenNode(claim *resourcev1.ResourceClaim) string {
	if allocation := claim.Status.Allocation; allocation != nil && allocation.NodeSelector != nil {
		for _, term := range allocation.NodeSelector.NodeSelectorTerms {
			for _, field := range term.MatchFields {
				return field.Values[0]
			}
		}
	}
	return ""
}

// next device in turn. Called with the lock held.
func (c *ceilingClaims) next() (found device, any bool) {
	all := 0
	for _, round := range c.rounds {
		all += len(round)
	}
	if all == 0 {
		return device{}, false
	}
	at := c.given % all
	c.given++
	for _, round := range c.rounds {
		if at < len(round) {
			return round[at], true
		}
		at -= len(round)
	}
	return device{}, false
}

// results are the devices for a claim, as many as it asks for, and where the first is.
func (c *ceilingClaims) results(claim *resourcev1.ResourceClaim) (all []resourcev1.DeviceRequestAllocationResult, node string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, request := range claim.Spec.Devices.Requests {
		name, count := request.Name, int64(1)
		if last := len(request.FirstAvailable) - 1; last >= 0 {
			name += "/" + request.FirstAvailable[last].Name
		} else if request.Exactly != nil {
			count = max(request.Exactly.Count, 1)
		}
		for range count {
			device, any := c.next()
			if !any {
				return all, node
			}
			if len(all) == 0 {
				node = device.node
			}
			all = append(all, resourcev1.DeviceRequestAllocationResult{Request: name, Driver: device.driver, Pool: device.pool, Device: device.name})
		}
	}
	return all, node
}

// find calls then with the pod's claims, when the watch has told of all.
func (c *ceilingClaims) find(pod *corev1.Pod, then func([]*heldClaim)) {
	names, _ := claimsOf(pod)
	var found []*heldClaim
	c.mutex.Lock()
	for _, name := range names {
		key := pod.Namespace + "/" + name
		if c.claims[key] == nil {
			c.waiting[key] = append(c.waiting[key], func() { c.find(pod, then) })
			c.mutex.Unlock()
			return
		}
		found = append(found, c.claims[key])
	}
	c.mutex.Unlock()
	then(found)
}

// placeWithClaims decides about a pod's claims and writes what a scheduler writes: the finalizer, then devices and reservation. Then
// the pod is bound where its devices are.
func (c *ceiling) placeWithClaims(b bound, then func(bound)) {
	c.devices.find(b.pod, func(claims []*heldClaim) {
		var writes []func(done func())
		for _, held := range claims {
			first, node := held.reserve(c.devices, b)
			if node != "" {
				b.node = node
			}
			writes = append(writes, func(done func()) { c.writeClaim(held, first, done) })
		}
		c.inTurn(writes, func() { then(b) })
	})
}

// inTurn does one after the other.
func (c *ceiling) inTurn(writes []func(done func()), then func()) {
	if len(writes) == 0 {
		then()
		return
	}
	writes[0](func() { c.inTurn(writes[1:], then) })
}

// reserve gives the claim devices, if it has none, and the pod its use.
func (h *heldClaim) reserve(devices *ceilingClaims, b bound) (first bool, node string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	first = h.claim.Status.Allocation == nil
	if first {
		results, node := devices.results(h.claim)
		if node == "" {
			node = b.node
		}
		h.node = node
		h.claim.Finalizers = append(h.claim.Finalizers, resourcev1.Finalizer)
		h.claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: results},
			NodeSelector: onlyNode(node), AllocationTimestamp: &metav1.Time{Time: time.Now()}}
	}
	h.claim.Status.ReservedFor = append(h.claim.Status.ReservedFor,
		resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: b.pod.Name, UID: b.pod.UID})
	return first, h.node
}

func onlyNode(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
		{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}}}
}

// writeClaim is one update, or two if the claim has got its devices just now. They name no version, as no other client writes this.
func (c *ceiling) writeClaim(held *heldClaim, first bool, done func()) {
	held.turn.put(func(over func()) {
		status := func() {
			c.putOr(&c.toBind, held.update("/status"), func() { over(); done() }, over)
		}
		if first {
			c.putOr(&c.toBind, held.update(""), status, over)
		} else {
			status()
		}
	})
}

func (h *heldClaim) update(subresource string) request {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.claim.ResourceVersion = ""
	path := fmt.Sprintf("/apis/resource.k8s.io/v1/namespaces/%s/resourceclaims/%s%s", h.claim.Namespace, h.claim.Name, subresource)
	return request{http.MethodPut, path, runtime.ContentTypeProtobuf, encoded(resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"), h.claim)}
}
