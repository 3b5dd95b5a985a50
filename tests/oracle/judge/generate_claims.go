// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"

	"berth/tests/oracle/judge/release"
)

// ResourceClaims: allocated ones, and those that a pod must wait for. Some nodes have free devices, for them and for extended
// resources (generate_extended.go).

func init() {
	subjects = append(subjects, func(g *generator) subject {
		c := &claims{generator: g}
		if g.often(aboutClaims, 0.25) {
			c.use, c.gpus = g.Float64(), tree{}
			if g.chance(0.7) {
				c.gpus["extendedResourceName"] = "example.com/gpu"
			}
			c.several = !g.oneClass && g.chance(0.5)
			c.tainted = g.chance(0.4)
		}
		return subject{node: c.node, pod: c.pod, after: c.after}
	})
}

type claims struct {
	*generator
	use     float64
	gpus    tree   // the spec of the DeviceClass that there always is
	several bool   // there are others
	tainted bool   // there are DeviceTaintRules
	made    []tree // claims made from templates, and those that attempts have left
	taken   map[string]bool
}

// claim draws one for the pod of that name and uid, or for any.
func (c *claims) claim(namespace, name string) tree {
	class := pick(c.generator, "gpus", "gone", "missing")
	exactly := tree{"deviceClassName": class}
	if c.chance(0.3) {
		exactly["selectors"] = []any{tree{"cel": tree{"expression": `device.attributes["d.example.com"].model == "b"`}}}
	}
	if c.chance(0.2) {
		exactly["allocationMode"], exactly["count"] = "ExactCount", 2
	}
	if c.tainted && c.chance(0.4) {
		exactly["tolerations"] = []any{pick(c.generator, tree{"operator": "Exists"}, tree{"key": "broken", "operator": "Exists"},
			tree{"key": "broken", "operator": "Equal", "value": "fan", "effect": "NoSchedule"}, tree{"key": "other", "operator": "Exists"})}
	}
	claim := object("ResourceClaim", "resource.k8s.io/v1", namespace, name, tree{"spec": tree{"devices": tree{"requests": []any{tree{
		"name": "gpu", "exactly": exactly}}}}})
	if c.chance(0.2) {
		claim["spec"] = tree{"devices": tree{"requests": []any{tree{"name": "any", "firstAvailable": []any{
			tree{"name": "large", "deviceClassName": "gpus"}, tree{"name": "small", "deviceClassName": class}}}}}}
	}
	metadata := claim["metadata"].(tree)
	metadata["uid"], metadata["resourceVersion"] = c.uid(), fmt.Sprint(1000+c.IntN(9000))
	if c.chance(0.08) {
		// Its own finalizer kept it only until nobody uses it, which the simulated controller sees at once.
		metadata["deletionTimestamp"], metadata["finalizers"] = "2026-01-01T02:00:00Z", []any{"example.com/keep"}
	}
	if c.chance(0.4) {
		return claim
	}
	pool, device := c.taking()
	result := tree{"request": "gpu", "driver": "d.example.com", "pool": pool, "device": device}
	status := tree{}
	if c.chance(0.2) {
		result["bindingConditions"], result["bindingFailureConditions"] = []any{"Attached"}, []any{"Broken"}
		condition := pick(c.generator, "Attached", "Broken")
		status["devices"] = []any{tree{"driver": "d.example.com", "pool": pool, "device": device, "conditions": []any{tree{
			"type": condition, "status": pick(c.generator, "True", "False"), "reason": "r", "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z"}}}}
	}
	allocation := tree{"devices": tree{"results": []any{result}}}
	if result["bindingConditions"] != nil {
		// Upstream compares it with the wall clock: a time that has long come, or will not.
		allocation["allocationTimestamp"] = pick(c.generator, "2025-12-31T00:00:00Z", "2100-01-01T00:00:00Z")
	}
	if c.chance(0.7) {
		values := []any{"nowhere"}
		for _, name := range c.nodeNames {
			if c.chance(0.5) {
				values = append(values, name)
			}
		}
		term := tree{"matchExpressions": []any{tree{"key": "kubernetes.io/hostname", "operator": "In", "values": values}}}
		if c.chance(0.3) && len(c.nodeNames) > 0 {
			term = tree{"matchFields": []any{tree{"key": "metadata.name", "operator": "In", "values": []any{pick(c.generator, c.nodeNames...)}}}}
		}
		allocation["nodeSelector"] = tree{"nodeSelectorTerms": []any{term}}
	}
	status["allocation"] = allocation
	if c.chance(0.4) {
		status["reservedFor"] = []any{tree{"resource": "pods", "name": "other", "uid": c.uid()}}
	}
	claim["status"] = status
	return claim
}

// taking is a device that a claim has: one of a node, which no other claim has, or one that there is not.
func (c *claims) taking() (pool, device string) {
	if len(c.nodeNames) == 0 || c.chance(0.4) {
		return "p", "g0"
	}
	pool, device = pick(c.generator, append([]string{"fabric"}, c.nodeNames...)...), fmt.Sprintf("g%d", 1+c.IntN(5))
	if c.taken[pool+"/"+device] {
		return "p", "g0"
	}
	if c.taken == nil {
		c.taken = map[string]bool{}
	}
	c.taken[pool+"/"+device] = true
	return pool, device
}

func (c *claims) pod(pod tree, placed bool) {
	if placed || !c.chance(c.use) {
		return
	}
	if c.chance(0.4) {
		c.extended(pod)
		if c.chance(0.7) {
			return
		}
	}
	metadata := pod["metadata"].(tree)
	namespace, _ := metadata["namespace"].(string)
	if namespace == "" {
		namespace = "default"
	}
	var wanted, statuses []any
	for i := range 1 + c.IntN(2) {
		name := fmt.Sprintf("c%d", i)
		if c.chance(0.6) {
			wanted = append(wanted, tree{"name": name, "resourceClaimName": fmt.Sprintf("shared-%d", c.IntN(5))})
			continue
		}
		wanted = append(wanted, tree{"name": name, "resourceClaimTemplateName": "template"})
		switch own := fmt.Sprintf("%s-%s", metadata["name"], name); {
		case metadata["uid"] == nil, c.chance(0.1): // not made yet
		case c.chance(0.1):
			statuses = append(statuses, tree{"name": name}) // none was needed
		default:
			statuses = append(statuses, tree{"name": name, "resourceClaimName": own})
			if c.chance(0.1) {
				break
			}
			claim := c.claim(namespace, own)
			owner := metadata["uid"]
			if c.chance(0.3) {
				owner = "somebody"
			}
			claim["metadata"].(tree)["ownerReferences"] = []any{tree{"apiVersion": "v1", "kind": "Pod", "name": metadata["name"], "uid": owner, "controller": true}}
			c.made = append(c.made, claim)
		}
	}
	pod["spec"].(tree)["resourceClaims"] = wanted
	if statuses != nil {
		pod["status"].(tree)["resourceClaimStatuses"] = statuses
	}
}

// slices are of some nodes: each has a device or a few. Some devices can be used from several nodes.
func (c *claims) slices() []tree {
	var list []tree
	devices := func(most int) []any {
		var out []any
		for i := range 1 + c.IntN(most) {
			out = append(out, tree{"name": fmt.Sprintf("g%d", i), "attributes": tree{"model": tree{"string": pick(c.generator, "a", "b")},
				"kind": tree{"string": pick(c.generator, "gpu", "gpu", "nic")}}})
		}
		return out
	}
	if len(c.nodeNames) > 0 && c.chance(0.3) {
		spec := tree{"driver": "d.example.com", "pool": tree{"name": "fabric", "generation": 1, "resourceSliceCount": 1}, "devices": devices(5)}
		// By the name, which does not change: upstream remembers for ever whether a node was near.
		near := func() tree {
			var terms []any
			for range 2 {
				terms = append(terms, tree{"matchFields": []any{tree{"key": "metadata.name", "operator": "In", "values": []any{pick(c.generator, c.nodeNames...)}}}})
			}
			return tree{"nodeSelectorTerms": terms}
		}
		switch c.IntN(3) {
		case 0:
			spec["allNodes"] = true
		case 1:
			spec["nodeSelector"] = near()
		default:
			spec["perDeviceNodeSelection"] = true
			for _, device := range spec["devices"].([]any) {
				switch c.IntN(3) {
				case 0:
					device.(tree)["allNodes"] = true
				case 1:
					device.(tree)["nodeSelector"] = near()
				default:
					device.(tree)["nodeName"] = pick(c.generator, c.nodeNames...)
				}
			}
		}
		list = append(list, object("ResourceSlice", "resource.k8s.io/v1", "", "fabric", tree{"spec": spec}))
	}
	for _, node := range c.nodeNames {
		if c.chance(0.5) {
			continue
		}
		list = append(list, object("ResourceSlice", "resource.k8s.io/v1", "", "gpus-"+node, tree{"spec": tree{"driver": "d.example.com", "nodeName": node,
			"pool": tree{"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": devices(9)}}))
	}
	return list
}

// rules taint some of the devices, if the release knows such rules.
func (c *claims) rules() []tree {
	var list []tree
	if !c.tainted || !release.TaintRules {
		return nil
	}
	for i := range 1 + c.IntN(3) {
		selector := tree{}
		if c.chance(0.7) {
			selector["driver"] = pick(c.generator, "d.example.com", "d.example.com", "e.example.com")
		}
		if len(c.nodeNames) > 0 && c.chance(0.5) {
			selector["pool"] = pick(c.generator, c.nodeNames...)
		}
		if c.chance(0.6) {
			selector["device"] = fmt.Sprintf("g%d", c.IntN(3))
		}
		spec := tree{"deviceSelector": selector, "taint": tree{"key": "broken", "value": pick(c.generator, "fan", "bus"),
			"effect": pick(c.generator, "NoSchedule", "NoSchedule", "NoExecute", "None")}}
		if c.chance(0.1) { // which means no device
			delete(spec, "deviceSelector")
		}
		list = append(list, object("DeviceTaintRule", "resource.k8s.io/v1", "", fmt.Sprintf("rule-%d", i), tree{"spec": spec}))
	}
	return list
}

func (c *claims) after(items []tree) []tree {
	if c.use == 0 {
		return nil
	}
	pods := map[string]tree{} // their metadata
	for _, item := range items {
		if item["kind"] == "Pod" {
			metadata := item["metadata"].(tree)
			pods[metadata["name"].(string)] = metadata
		}
	}
	list := c.classes()
	for _, namespace := range []string{"default", "team-a", "team-b"} {
		for i := range 4 {
			list = append(list, c.claim(namespace, fmt.Sprintf("shared-%d", i)))
		}
	}
	list = append(append(list, c.slices()...), c.rules()...)
	for _, claim := range c.made {
		metadata := claim["metadata"].(tree)
		pod := pods[metadata["ownerReferences"].([]any)[0].(tree)["name"].(string)]
		if pod == nil {
			continue
		}
		if metadata["annotations"] != nil { // Berth looks for one of an earlier attempt in the pod's namespace (docs/differences.md).
			metadata["namespace"] = cmp.Or(pod["namespace"], any("default"))
		}
		list = append(list, claim)
	}
	return list
}
