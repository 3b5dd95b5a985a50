// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"sigs.k8s.io/yaml"
)

// tree is an object as it is written in a file. The generator works on text-level trees and not
// on API types, because a typed quantity forgets how it was written.
type tree = map[string]any

// testCase is one cluster and one configuration.
type testCase struct {
	name    string
	items   []tree // Nodes and Pods, in the order of the file
	config  tree
	asYAML  bool
	cluster []byte // the text of items
	conf    []byte // the text of config
}

// render writes the texts of the two files.
func (c *testCase) render() error {
	items := c.items
	if items == nil {
		items = []tree{}
	}
	var err error
	if c.cluster, err = encode(tree{"apiVersion": "v1", "kind": "List", "items": items}, c.asYAML); err != nil {
		return err
	}
	c.conf, err = encode(c.config, true)
	return err
}

func encode(value any, asYAML bool) ([]byte, error) {
	if asYAML {
		return yaml.Marshal(value)
	}
	return json.MarshalIndent(value, "", " ")
}

// clusterFile is the name that fits the text.
func (c *testCase) clusterFile() string {
	if c.asYAML {
		return "cluster.yaml"
	}
	return "cluster.json"
}

// generator makes one case. The knobs are drawn per case, so that some clusters are roomy and
// some are tight, some full of taints and some without.
type generator struct {
	*rand.Rand
	nodeCount, pendingCount, placedCount int
	taints, affinity, ports, gates       float64
	sizes, roomy, images, oddities       float64
	schedulers                           []string
	nodeNames                            []string
	serial                               int
}

// newCase makes case number `index` of a seed: the same pair gives the same case.
func newCase(seed uint64, index int) (*testCase, error) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(index)))}
	g.taints, g.affinity, g.ports = g.Float64()*0.6, g.Float64()*0.7, g.Float64()*0.5
	g.gates, g.sizes, g.roomy, g.images = g.Float64()*0.15, g.Float64(), g.Float64()*1.3, g.Float64()
	g.oddities = g.Float64() * 0.5
	switch {
	case index%64 == 63:
		g.nodeCount, g.pendingCount = 0, 1+g.IntN(3)
	case g.chance(0.05):
		g.nodeCount, g.pendingCount, g.placedCount = 101+g.IntN(200), 3+g.IntN(8), g.IntN(100)
		g.taints, g.affinity = g.taints*0.4, g.affinity*0.4
	case g.chance(0.03):
		g.nodeCount, g.pendingCount, g.placedCount = 96+g.IntN(10), 3+g.IntN(6), g.IntN(60)
	default:
		g.nodeCount, g.pendingCount = 1+g.IntN(1+g.IntN(30)), 4+g.IntN(18)
		g.placedCount = g.IntN(2*g.nodeCount + 1)
	}
	c := &testCase{name: fmt.Sprintf("seed-%d-case-%d", seed, index), asYAML: g.chance(0.5)}
	c.config = g.validConfig()
	for range g.nodeCount {
		c.items = append(c.items, g.valid(g.node))
	}
	for range g.placedCount {
		c.items = append(c.items, g.valid(func() tree { return g.pod(true) }))
	}
	for range g.pendingCount {
		c.items = append(c.items, g.valid(func() tree { return g.pod(false) }))
	}
	if g.chance(0.3) {
		g.Shuffle(len(c.items), func(i, k int) { c.items[i], c.items[k] = c.items[k], c.items[i] })
	}
	return c, c.render()
}

// valid draws objects until the API server would admit one.
func (g *generator) valid(draw func() tree) tree {
	for {
		g.serial++
		if object := draw(); admissible(object) {
			return g.written(object)
		}
	}
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

// pick takes one of several values, each as likely as the other.
func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// uid is a random one in the usual form.
func (g *generator) uid() string {
	a, b := g.Uint64(), g.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(a), uint16(a>>32), a>>52, b&0xfff, b>>16)
}

// labelKeys and labelValues are few, so that selectors meet labels often.
var labelKeys = []string{"disk", "gen", "example.com/pool", "topology.kubernetes.io/zone", "tier"}

var labelValues = map[string][]string{
	"disk":                        {"ssd", "hdd", "", "nvme"},
	"gen":                         {"1", "2", "3", "10", "007", "9223372036854775807", "9223372036854775808", "abc", ""},
	"example.com/pool":            {"a", "b", "c"},
	"topology.kubernetes.io/zone": {"z1", "z2", "z3"},
	"tier":                        {"5", "6", "x.y_z-1"},
}

func (g *generator) labelValue(key string) string { return pick(g, labelValues[key]...) }

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
	g.nodeNames = append(g.nodeNames, name)
	return tree{"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}
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
	if g.chance(0.2) {
		a["hugepages-2Mi"] = pick(g, "64Mi", "4Mi", "0")
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
