// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"
)

// With devices every node publishes one for each unit of its CPU, and every pod has a claim, made from a template, for as
// many as it asks for units. So a device that is kept for a pod that is gone is room that nobody gets, and one that is given
// away twice is seen in the history of the claims.

const (
	driver      = "gpu.example.com"
	resourceAPI = "/apis/resource.k8s.io/v1/"
	mostUnits   = 5 // that a pod asks for
)

// claim is a ResourceClaim and who has it.
type claim struct {
	uid, name, owner string   // the owner is a pod's uid; empty: it has none
	users            []string // uids of pods
	devices          []string // "driver/pool/device"
}

func (i item) claim() *claim {
	c := &claim{uid: i.Metadata.UID, name: i.Metadata.Namespace + "/" + i.Metadata.Name}
	for _, owner := range i.Metadata.OwnerReferences {
		c.owner = owner.UID
	}
	for _, user := range i.Status.ReservedFor {
		c.users = append(c.users, user.UID)
	}
	for _, one := range i.Status.Allocation.Devices.Results {
		c.devices = append(c.devices, one.Driver+"/"+one.Pool+"/"+one.Device)
	}
	return c
}

// takeClaim says which devices the claim got that another one has.
func (w *world) takeClaim(c change) (wrong []string) {
	now := c.claim
	had := map[string]bool{}
	if before := w.claims[now.uid]; before != nil {
		for _, device := range before.devices {
			had[device] = true
			if w.holders[device] == now.uid {
				delete(w.holders, device)
			}
		}
	}
	if c.gone {
		delete(w.claims, now.uid)
		return nil
	}
	w.claims[now.uid] = now
	for _, device := range now.devices {
		if holder := w.claims[w.holders[device]]; holder != nil && !had[device] {
			wrong = append(wrong, fmt.Sprintf("device %s was given to claim %s at version %d while claim %s has it", device, now.name,
				c.version, holder.name))
			continue
		}
		w.holders[device] = now.uid
	}
	return wrong
}

// stuck are the claims that keep devices, or themselves, for pods that are gone.
func (w *world) stuck() (names []string) {
	for _, c := range w.claims {
		if c.owner != "" && w.pods[c.owner] == nil {
			names = append(names, fmt.Sprintf("claim %s is still there for a pod that is gone", c.name))
		}
		for _, user := range c.users {
			if w.pods[user] == nil {
				names = append(names, fmt.Sprintf("claim %s is reserved for pod %s, which is gone", c.name, user))
			}
		}
	}
	sort.Strings(names)
	return names
}

// unclaimed are the pods on a node that have not, by one claim of their own, as many devices of that node as units.
func (w *world) unclaimed() (names []string) {
	if len(w.claims) == 0 {
		return nil
	}
	own := map[string][]*claim{}
	for _, c := range w.claims {
		own[c.owner] = append(own[c.owner], c)
	}
	for uid, p := range w.pods {
		if !p.holds() || p.leaving {
			continue
		}
		units := int(p.asks.cpu / unit)
		wrong := func(what string, more ...any) {
			names = append(names, fmt.Sprintf("pod %s on node %s, of %d units, ", p.name, p.node, units)+fmt.Sprintf(what, more...))
		}
		if len(own[uid]) != 1 {
			wrong("has %d claims", len(own[uid]))
			continue
		}
		c := own[uid][0]
		if len(c.devices) != units {
			wrong("has %d devices by claim %s", len(c.devices), c.name)
		}
		for _, device := range c.devices {
			if !strings.HasPrefix(device, driver+"/"+p.node+"/") {
				wrong("has device %s", device)
			}
		}
		if !slices.Contains(c.users, uid) {
			wrong("is not among the users of claim %s", c.name)
		}
	}
	sort.Strings(names)
	return names
}

func sliceObject(node string, units, generation int) object {
	devices := []object{}
	for i := range units {
		devices = append(devices, object{"name": fmt.Sprintf("gpu-%d", i)})
	}
	return object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": object{"name": node}, "spec": object{
		"driver": driver, "nodeName": node, "pool": object{"name": node, "generation": generation, "resourceSliceCount": 1}, "devices": devices}}
}

func templateName(units int) string { return fmt.Sprintf("gpus-%d", units) }

// makeDevices publishes the devices of every node.
func (b *bench) makeDevices() error {
	class := object{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": object{"name": "gpu"},
		"spec": object{"selectors": []object{{"cel": object{"expression": `device.driver == "` + driver + `"`}}}}}
	if err := b.api.do(http.MethodPost, resourceAPI+"deviceclasses", class, nil); err != nil {
		return err
	}
	for units := 1; units <= mostUnits; units++ {
		template := object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": object{"name": templateName(units)},
			"spec": object{"spec": object{"devices": object{"requests": []object{{"name": "gpus",
				"exactly": object{"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": units}}}}}}}
		if err := b.api.do(http.MethodPost, resourceAPI+"namespaces/default/resourceclaimtemplates", template, nil); err != nil {
			return err
		}
	}
	for i := range b.nodes {
		if err := b.api.do(http.MethodPost, resourceAPI+"resourceslices", sliceObject(nodeName(i), b.units, 1), nil); err != nil {
			return err
		}
	}
	return nil
}

// replaceSlice takes the devices of a node away for a moment, as a driver does that starts anew. Claims keep theirs.
func (b *bench) replaceSlice(turn int, part float64) error {
	b.did(sliceReplaced)
	name := nodeName(turn % b.nodes)
	// The API server may be away for a while.
	if err := within(time.Minute, func() error {
		return known(b.api.do(http.MethodDelete, resourceAPI+"resourceslices/"+name, nil, nil), http.StatusNotFound)
	}); err != nil {
		return err
	}
	time.Sleep(time.Duration(part * float64(5*time.Second)))
	return within(time.Minute, func() error {
		slice := sliceObject(name, b.units, turn/b.nodes+2)
		return known(b.api.do(http.MethodPost, resourceAPI+"resourceslices", slice, nil), http.StatusConflict)
	})
}
