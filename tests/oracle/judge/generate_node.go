// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// node draws a Node.
func (g *generator) node() tree {
	name := fmt.Sprintf("%s%d", pick(g, "n", "node-", "worker."), g.serial)
	labels := tree{}
	if g.chance(0.8) {
		labels["kubernetes.io/hostname"] = name
	}
	for _, key := range labelKeys {
		if g.chance(0.55) {
			labels[key] = g.labelValue(key)
		}
	}
	if g.chance(0.2) {
		labels["topology.kubernetes.io/region"] = pick(g, "r1", "r2")
	}
	if g.chance(0.1) {
		labels["failure-domain.beta.kubernetes.io/zone"] = pick(g, "z1", "z9")
	}
	if g.chance(0.05) {
		labels["failure-domain.beta.kubernetes.io/region"] = "r2"
	}
	spec, status := tree{}, tree{"allocatable": g.allocatable()}
	if g.chance(g.taints * 0.3) {
		spec["unschedulable"] = true
	}
	if list := g.nodeTaints(); len(list) > 0 {
		spec["taints"] = list
	}
	if g.chance(0.3) {
		status["capacity"] = status["allocatable"]
		if g.chance(0.2) {
			delete(status, "allocatable")
		}
	}
	if list := g.nodeImages(); len(list) > 0 {
		status["images"] = list
	}
	metadata := tree{"name": name}
	if len(labels) > 0 {
		metadata["labels"] = labels
	}
	if g.chance(0.5) {
		metadata["uid"] = g.uid()
		metadata["creationTimestamp"] = "2026-01-01T00:00:00Z"
	}
	node := tree{"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}
	for _, s := range g.subjects {
		if s.node != nil {
			s.node(node)
		}
	}
	return node
}

// allocatable draws what a node has to give, now and then oddly written or missing.
func (g *generator) allocatable() tree {
	a := tree{
		"cpu":    pick[any](g, "1", "2", "4", "8", "3900m", "1.5", "2e0", 3, 0.5, "1500.5m", "7.999"),
		"memory": pick[any](g, "1Gi", "2Gi", "1.5Gi", "4096Mi", "2e9", "3G", "8388608Ki", 1500000000, "1073741824000m"),
		"pods":   pick[any](g, "110", "110", "110", 10, "5", "3", "1e1", "2"),
	}
	if g.chance(g.roomy) {
		a["cpu"] = pick[any](g, "16", "32", 64, "15.89", "31500m")
		a["memory"] = pick[any](g, "32Gi", "64G", "65536Mi", "128849018880", "30.5Gi")
		a["pods"] = pick[any](g, "110", "250", 110)
	}
	if g.chance(0.9) {
		a["ephemeral-storage"] = pick(g, "10Gi", "1e10", "500Mi", "20G", "100Gi", "200Gi")
	}
	if g.chance(0.5) {
		a["example.com/gpu"] = pick[any](g, "1", "2", 4, "8", "0")
	}
	if g.chance(0.2) {
		a["vendor.io/fpga"] = pick[any](g, "1", "3", "1k")
	}
	if g.chance(0.2) || g.theme == aboutBudgets {
		a["hugepages-2Mi"] = pick(g, "64Mi", "4Mi", "8Mi", "0")
	}
	if g.chance(0.1) {
		a["hugepages-1Gi"] = pick(g, "1Gi", "2Gi")
	}
	for _, name := range []string{"cpu", "memory", "pods"} {
		if g.chance(0.02) {
			delete(a, name)
		} else if g.chance(0.02) {
			a[name] = "0"
		}
	}
	return a
}

func (g *generator) nodeTaints() []any {
	var list []any
	seen := map[string]bool{}
	for g.chance(g.taints) && len(list) < 4 {
		key := pick(g, "dedicated", "gpu", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable")
		effect := pick(g, "NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute")
		if g.theme == aboutScores {
			effect = "PreferNoSchedule"
		}
		if seen[key+effect] {
			continue
		}
		seen[key+effect] = true
		t := tree{"key": key, "effect": effect}
		if value := pick(g, "", "a", "b"); value != "" || g.chance(0.3) {
			t["value"] = value
		}
		if effect == "NoExecute" && g.chance(0.3) {
			t["timeAdded"] = "2026-01-01T00:00:00Z"
		}
		list = append(list, t)
	}
	return list
}

// images that pods and nodes share, in the many ways in which one image is named.
var imageNames = []string{
	"nginx", "nginx:latest", "nginx:1.25", "docker.io/library/nginx:1.25", "redis",
	"registry.example.com:5000/app", "registry.example.com:5000/app:v1", "registry.example.com:5000/app:latest",
	"quay.io/team/tool@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	"ghcr.io/big/model:7b", "ghcr.io/big/model:70b",
}

func (g *generator) nodeImages() []any {
	var list []any
	for g.chance(0.3+0.65*g.images) && len(list) < 12 {
		names := []any{pick(g, imageNames...)}
		for g.chance(0.3) {
			names = append(names, pick(g, imageNames...))
		}
		size := pick[any](g, 1000, 24117248, 24117249, 50_000_000, 187_654_321, 600_000_000, 1_048_576_000, 2_345_678_901, 5_000_000_000, 30_000_000_001)
		list = append(list, tree{"names": names, "sizeBytes": size})
	}
	return list
}
