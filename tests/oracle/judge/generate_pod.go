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
	pod := tree{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
	for _, s := range g.subjects {
		if s.pod != nil {
			s.pod(pod, placed)
		}
	}
	return pod
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
