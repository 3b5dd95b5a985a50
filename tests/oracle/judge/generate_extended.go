// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// Extended resources that a DeviceClass stands for, and claims that were made for them before.

const implicitPrefix = "deviceclass.resource.kubernetes.io/"

// node has some of what a class may stand for from a device plugin, or had it.
func (c *claims) node(node tree) {
	allocatable, ok := node["status"].(tree)["allocatable"].(tree)
	if ok && c.use > 0 && c.several && c.chance(0.3) {
		allocatable[pick(c.generator, "example.com/nic", implicitPrefix+"nics")] = pick(c.generator, "0", "1", "2")
	}
}

// classes are the DeviceClasses: two of them may stand for the same resource.
func (c *claims) classes() []tree {
	class := func(name string, spec tree) tree {
		class := object("DeviceClass", "resource.k8s.io/v1", "", name, tree{"spec": spec})
		if created := pick(c.generator, "", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"); created != "" {
			class["metadata"].(tree)["creationTimestamp"] = created
		}
		return class
	}
	of := func(attribute, value string) []any {
		return []any{tree{"cel": tree{"expression": fmt.Sprintf(`device.attributes["d.example.com"].%s == %q`, attribute, value)}}}
	}
	list := []tree{class("gpus", c.gpus)}
	if c.several {
		list = append(list, class("fast", tree{"extendedResourceName": "example.com/gpu", "selectors": of("model", "b")}),
			class("nics", tree{"extendedResourceName": "example.com/nic", "selectors": of("kind", "nic")}))
	}
	return list
}

// resource is one that a class may stand for. What a class of two with the same name is called implicitly upstream forgets or not,
// depending on which one it has seen first.
func (c *claims) resource() string {
	names := []string{"example.com/gpu", "example.com/gpu"}
	if c.several {
		names = append(names, "example.com/nic", implicitPrefix+"nics")
	}
	if !c.several || c.gpus["extendedResourceName"] == nil {
		names = append(names, implicitPrefix+"gpus")
	}
	return pick(c.generator, names...)
}

// extended lets containers of a pod ask for devices in the form of resources.
func (c *claims) extended(pod tree) {
	spec := pod["spec"].(tree)
	if inits, _ := spec["initContainers"].([]any); c.chance(0.5) {
		for i := range 1 + c.IntN(4) {
			init := tree{"name": fmt.Sprintf("d%d", i), "image": "nginx"}
			if c.chance(0.4) {
				init["restartPolicy"] = "Always"
			}
			inits = append(inits, init)
		}
		spec["initContainers"] = inits
	}
	var all []tree
	for _, of := range []string{"initContainers", "containers"} {
		list, _ := spec[of].([]any)
		for _, container := range list {
			all = append(all, container.(tree))
		}
	}
	// Containers meet over one resource, most of them.
	share, favourite := 0.3+0.7*c.Float64(), c.resource()
	for i, container := range all {
		if i < len(all)-1 && !c.chance(share) {
			continue
		}
		for range 1 + c.IntN(2) {
			c.ask(container, pick(c.generator, favourite, favourite, favourite, c.resource()), pick(c.generator, 1, 1, 1, 1, 1, 2, 2, 3))
		}
		if c.chance(0.2) { // more than what devices stand for
			c.ask(container, "vendor.io/fpga", 1)
		}
	}
	if c.chance(0.01) {
		c.ask(all[len(all)-1], c.resource(), 33)
	}
	if c.chance(0.08) {
		c.left(pod)
	}
}

// ask writes a request of a container. The API server takes a limit for one.
func (c *claims) ask(container tree, resource string, count int) {
	resources, _ := container["resources"].(tree)
	if resources == nil {
		resources = tree{}
	}
	for _, name := range []string{"requests", "limits"} {
		amounts, _ := resources[name].(tree)
		if amounts == nil {
			amounts = tree{}
		}
		if name == "requests" && amounts[resource] == nil && c.chance(0.3) {
			continue
		}
		amounts[resource] = count
		resources[name] = amounts
	}
	container["resources"] = resources
}

// left makes a claim for the pod that an attempt has left behind, or somebody else's that looks like it.
func (c *claims) left(pod tree) {
	metadata := pod["metadata"].(tree)
	namespace, _ := metadata["namespace"].(string)
	if namespace == "" {
		namespace = "default"
	}
	if metadata["uid"] == nil {
		return
	}
	claim := c.claim(namespace, fmt.Sprintf("%s-extended-resources-left", metadata["name"]))
	claim["spec"] = tree{"devices": tree{"requests": []any{tree{"name": "container-0-request-0", "exactly": tree{
		"deviceClassName": "gpus", "allocationMode": "ExactCount", "count": 1}}}}}
	own := claim["metadata"].(tree)
	delete(own, "deletionTimestamp")
	delete(own, "finalizers")
	if status, _ := claim["status"].(tree); status != nil {
		own["finalizers"] = []any{"resource.kubernetes.io/delete-protection"}
		status["reservedFor"] = []any{tree{"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}}
	}
	owner := metadata["uid"]
	if c.chance(0.1) {
		owner = c.uid()
	}
	own["ownerReferences"] = []any{tree{"apiVersion": "v1", "kind": "Pod", "name": metadata["name"], "uid": owner, "controller": true}}
	own["annotations"] = tree{"resource.kubernetes.io/extended-resource-claim": pick(c.generator, "true", "true", "true", "false")}
	own["generateName"] = fmt.Sprintf("%s-extended-resources-", metadata["name"])
	c.made = append(c.made, claim)
}
