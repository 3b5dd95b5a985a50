// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
)

// pod draws a Pod, placed on a node or pending.
func (g *generator) pod(placed bool) tree {
	metadata := tree{"name": fmt.Sprintf("%s-%d", pick(g, "web", "job", "db"), g.serial)}
	if g.chance(0.9) {
		metadata["namespace"] = pick(g, "default", "team-a", "team-b")
	}
	if g.chance(0.85) {
		metadata["uid"] = g.uid()
		metadata["creationTimestamp"] = fmt.Sprintf("2026-01-01T00:%02d:%02dZ", g.IntN(60), g.IntN(60))
	}
	if g.chance(0.3) {
		metadata["labels"] = tree{"app": pick(g, "web", "db")}
	}
	spec, status := tree{}, tree{}
	g.podContainers(spec)
	if g.chance(0.5) {
		spec["priority"] = pick(g, 0, 0, 1, 10, 10, 1000, -5, 2000000000)
	}
	if name := pick(g, g.schedulers...); name != "default-scheduler" || g.chance(0.5) {
		spec["schedulerName"] = name
	}
	if !placed && g.chance(0.02) {
		spec["schedulerName"] = "somebody-else"
	}
	g.podConstraints(spec)
	if placed {
		g.place(metadata, spec, status)
	} else {
		g.leavePending(metadata, spec, status)
	}
	return tree{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
}

// place gives a pod its node and what a kubelet reports of it.
func (g *generator) place(metadata, spec, status tree) {
	spec["nodeName"] = "gone"
	if len(g.nodeNames) > 0 && g.chance(0.98) {
		spec["nodeName"] = pick(g, g.nodeNames...)
	}
	status["phase"] = pick(g, "Running", "Running", "Running", "Running", "Pending")
	if g.chance(0.12) {
		status["phase"] = pick(g, "Succeeded", "Failed")
	}
	if g.chance(0.1) {
		terminate(metadata)
	}
	if g.chance(g.oddities) {
		g.resize(spec, status)
	}
}

// leavePending adds what only a pod without a node has.
func (g *generator) leavePending(metadata, spec, status tree) {
	status["phase"] = "Pending"
	switch {
	case g.chance(0.01):
		status["phase"] = pick(g, "Succeeded", "Failed")
	case g.chance(0.01):
		terminate(metadata)
	case g.chance(0.1):
		delete(status, "phase")
	}
	if g.chance(g.oddities * 0.1) {
		g.resize(spec, status)
	}
	if g.chance(g.gates) {
		gates := []any{tree{"name": "example.com/quota"}}
		if g.chance(0.4) {
			gates = append(gates, tree{"name": "review"})
		}
		spec["schedulingGates"] = gates
	}
}

func terminate(metadata tree) {
	metadata["deletionTimestamp"] = "2026-01-01T02:00:00Z"
	metadata["deletionGracePeriodSeconds"] = 30
}

// podContainers draws containers, init containers and sidecars with their requests and ports.
func (g *generator) podContainers(spec tree) {
	used := map[string]bool{}
	podLevel := g.chance(g.oddities * 0.3)
	var containers, inits []any
	for i := range 1 + g.IntN(2)*g.IntN(3) {
		containers = append(containers, g.container("c"+strconv.Itoa(i), used, podLevel))
	}
	for i := range g.IntN(2) * g.IntN(4) {
		c := g.container("i"+strconv.Itoa(i), used, podLevel)
		if g.chance(0.45) {
			c["restartPolicy"] = "Always"
		}
		inits = append(inits, c)
	}
	spec["containers"] = containers
	if len(inits) > 0 {
		spec["initContainers"] = inits
	}
	if podLevel {
		requests := tree{}
		if g.chance(0.8) {
			requests["cpu"] = pick[any](g, "1", "2500m", 3, "800m")
		}
		if g.chance(0.7) {
			requests["memory"] = pick[any](g, "1Gi", "700Mi", "2e9")
		}
		spec["resources"] = tree{"requests": requests}
		if g.chance(0.3) {
			spec["resources"] = tree{pick(g, "limits", "requests"): requests, "limits": requests}
		}
	}
	if g.chance(g.oddities * 0.1) {
		spec["hostNetwork"] = true
	}
	if g.chance(g.oddities * 0.3) {
		overhead := tree{"cpu": pick(g, "10m", "250m", "0.5m"), "memory": pick(g, "16Mi", "1e8")}
		if g.chance(0.2) {
			overhead["ephemeral-storage"] = "100Mi"
		}
		spec["overhead"] = overhead
	}
	if g.chance(g.oddities * 0.2) {
		spec["volumes"] = []any{tree{"name": "model", "image": tree{"reference": pick(g, imageNames...), "pullPolicy": "IfNotPresent"}}}
	}
}

func (g *generator) container(name string, used map[string]bool, modest bool) tree {
	c := tree{"name": name, "image": pick(g, imageNames...)}
	if g.chance(0.2) {
		c["image"] = pick(g, "unknown", "busybox:1.36", "registry.example.com:5000/other")
	}
	if resources := g.resources(modest); len(resources) > 0 {
		c["resources"] = resources
	}
	var ports []any
	for g.chance(g.ports) && len(ports) < 3 {
		if p := g.port(used); p != nil {
			ports = append(ports, p)
		}
	}
	if len(ports) > 0 {
		c["ports"] = ports
	}
	return c
}

func (g *generator) port(used map[string]bool) tree {
	number := pick(g, 80, 8080, 443)
	p := tree{"containerPort": number}
	if g.chance(0.2) {
		return p
	}
	p["hostPort"] = number
	if g.chance(0.7) {
		p["protocol"] = pick(g, "TCP", "TCP", "UDP", "SCTP")
	}
	if g.chance(0.6) {
		p["hostIP"] = pick(g, "", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::", "::1")
	}
	key := fmt.Sprint(number, p["protocol"], p["hostIP"])
	if used[key] {
		return nil
	}
	used[key] = true
	return p
}

// resources draws requests. Extended resources and huge pages carry their limits, as the API
// server demands; other limits are left out.
func (g *generator) resources(modest bool) tree {
	requests, limits := tree{}, tree{}
	big := g.chance(g.sizes*0.3) && !modest
	if g.chance(0.75) {
		requests["cpu"] = pick[any](g, "100m", "250m", "0.5m", "0", "1e-1", "0.25", "300m", 0.1, "1n", "33.3m")
		if big {
			requests["cpu"] = pick[any](g, "1", "1.5", 2, "3900m", "5", "12")
		}
	}
	if g.chance(0.75) {
		requests["memory"] = pick[any](g, "64Mi", "128M", "0.1Gi", "1e8", "0", "200Mi", 50000000, "100.5Mi", "123456789")
		if big {
			requests["memory"] = pick[any](g, "1Gi", "1.5Gi", "1e9", "3G", "16Gi")
		}
	}
	if g.chance(0.15) && !modest {
		requests["ephemeral-storage"] = pick(g, "1Gi", "100Mi", "1e9", "9Gi", "0")
	}
	extended := func(name string, value any) { requests[name], limits[name] = value, value }
	if g.chance(0.08) && !modest {
		extended("example.com/gpu", pick[any](g, "1", 1, "2", "4", "0"))
	}
	if g.chance(0.03) && !modest {
		extended("vendor.io/fpga", pick[any](g, "1", "2"))
	}
	if g.chance(0.03) && len(requests) > 0 && !modest {
		extended(pick(g, "hugepages-2Mi", "hugepages-2Mi", "hugepages-1Gi"), pick(g, "2Mi", "8Mi", "1Gi"))
	}
	for _, name := range []string{"cpu", "memory"} {
		// A limit without a request is a request of the same amount.
		if amount, ok := requests[name]; ok && g.chance(g.oddities*0.3) {
			limits[name] = amount
			delete(requests, name)
		}
	}
	r := tree{}
	if len(requests) > 0 {
		r["requests"] = requests
	}
	if len(limits) > 0 {
		r["limits"] = limits
	}
	return r
}

// resize reports resources in the status, as a kubelet does around an in-place resize.
func (g *generator) resize(spec, status tree) {
	report := func(field, statusField string) {
		containers, _ := spec[field].([]any)
		var list []any
		for _, c := range containers {
			if g.chance(0.2) {
				continue
			}
			s := tree{
				"name": c.(tree)["name"], "image": c.(tree)["image"], "imageID": "", "ready": true, "restartCount": 0,
			}
			if g.chance(0.7) {
				s["resources"] = tree{"requests": g.actual()}
			}
			if g.chance(0.5) {
				s["allocatedResources"] = g.actual()
			}
			list = append(list, s)
		}
		if len(list) > 0 {
			status[statusField] = list
		}
	}
	report("containers", "containerStatuses")
	report("initContainers", "initContainerStatuses")
	if spec["resources"] != nil && g.chance(0.6) {
		status["resources"] = tree{"requests": g.actual()}
		if g.chance(0.5) {
			status["allocatedResources"] = g.actual()
		}
	}
	if g.chance(0.4) {
		status["conditions"] = []any{tree{
			"type": "PodResizePending", "status": "True", "reason": pick(g, "Infeasible", "Deferred"),
			"lastProbeTime": nil, "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}
	}
}

func (g *generator) actual() tree {
	a := tree{"cpu": pick[any](g, "50m", "200m", "1", "0.5m")}
	if g.chance(0.7) {
		a["memory"] = pick(g, "32Mi", "256Mi", "1e9")
	}
	return a
}

// podConstraints draws tolerations, node selector and node affinity.
func (g *generator) podConstraints(spec tree) {
	var tolerations []any
	for g.chance(0.1+g.taints) && len(tolerations) < 4 {
		tolerations = append(tolerations, g.toleration())
	}
	if len(tolerations) > 0 {
		spec["tolerations"] = tolerations
	}
	if g.chance(g.affinity * 0.3) {
		selector := tree{}
		for g.chance(0.7) && len(selector) < 2 {
			key := pick(g, labelKeys...)
			selector[key] = g.labelValue(key)
		}
		spec["nodeSelector"] = selector
	}
	affinity := tree{}
	if g.chance(g.affinity * 0.5) {
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = tree{"nodeSelectorTerms": g.terms(true)}
	}
	if g.chance(g.affinity) {
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = g.preferences()
	}
	if len(affinity) > 0 {
		spec["affinity"] = tree{"nodeAffinity": affinity}
	}
}

func (g *generator) toleration() tree {
	t := tree{}
	if operator := pick(g, "", "Equal", "Exists", "Exists"); operator != "" {
		t["operator"] = operator
	}
	if t["operator"] != "Exists" || g.chance(0.85) {
		t["key"] = pick(g, "dedicated", "gpu", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable")
	}
	if t["operator"] != "Exists" {
		t["value"] = pick(g, "a", "b", "")
	}
	if effect := pick(g, "", "NoSchedule", "PreferNoSchedule", "NoExecute"); effect != "" {
		t["effect"] = effect
		if effect == "NoExecute" && g.chance(0.5) {
			t["tolerationSeconds"] = 300
		}
	}
	return t
}

func (g *generator) terms(fields bool) []any {
	list := []any{g.term(fields)}
	for g.chance(0.4) && len(list) < 4 {
		list = append(list, g.term(fields))
	}
	return list
}

func (g *generator) preferences() []any {
	list := []any{}
	for g.chance(0.75) && len(list) < 4 {
		list = append(list, tree{"weight": pick(g, 1, 2, 10, 33, 100), "preference": g.term(false)})
	}
	return list
}

// term draws a node selector term; one in twenty is empty and matches nothing.
func (g *generator) term(fields bool) tree {
	t := tree{}
	if g.chance(0.05) {
		return t
	}
	var expressions, names []any
	for g.chance(0.9-0.4*float64(len(expressions))) && len(expressions) < 3 {
		expressions = append(expressions, g.expression())
	}
	if fields && len(g.nodeNames) > 0 {
		for g.chance(0.3) && len(names) < 2 {
			name := pick(g, g.nodeNames...)
			if g.chance(0.1) {
				name = "ghost"
			}
			names = append(names, tree{"key": "metadata.name", "operator": pick(g, "In", "In", "In", "NotIn"), "values": []any{name}})
		}
	}
	if len(expressions) > 0 {
		t["matchExpressions"] = expressions
	}
	if len(names) > 0 {
		t["matchFields"] = names
	}
	return t
}

func (g *generator) expression() tree {
	key := pick(g, labelKeys...)
	operator := pick(g, "In", "In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	e := tree{"key": key, "operator": operator}
	switch operator {
	case "In", "NotIn":
		values := []any{g.labelValue(key)}
		for g.chance(0.5) {
			values = append(values, g.labelValue(key))
		}
		e["values"] = values
	case "Gt", "Lt":
		e["key"] = pick(g, "gen", "gen", "tier", "disk")
		e["values"] = []any{pick(g, "1", "2", "5", "007", "9223372036854775806")}
		if g.chance(g.oddities * 0.15) {
			// Each of these makes the whole term invalid: a value must be a label value and an integer.
			e["values"] = []any{pick(g, "many", "1.5", "99999999999999999999", "-1", "+3", "")}
		}
	}
	return e
}
