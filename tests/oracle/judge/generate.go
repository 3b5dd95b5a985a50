// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"sigs.k8s.io/yaml"
)

// tree is an object as it is written in a file. The generator works on text-level trees and not
// on API types, because a typed quantity forgets how it was written.
type tree = map[string]any

// testCase is one cluster and one configuration.
type testCase struct {
	name    string
	items   []tree // objects of any kind, in the order of the file
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

// subject is one field of scheduling that the generator knows: what it adds to a case. A new one is made for each case
// and draws its knobs then; each of its functions may be nil. Its file says so in an init function, so that a field is
// one file.
type subject struct {
	// objects are drawn before the nodes and pods, which may name them.
	objects func() []tree
	// node and pod add to a drawn object, which is drawn anew if the API server would not admit what comes of it.
	node func(node tree)
	pod  func(pod tree, placed bool)
	// after are objects that name nodes and pods, given as they stand in the file.
	after func(items []tree) []tree
	// args may configure plugins of a profile.
	args func(add func(plugin string, args tree))
}

// subjects makes the subjects of a case.
var subjects []func(g *generator) subject

// generator makes one case. The knobs are drawn per case, so that some clusters are roomy and
// some are tight, some full of taints and some without.
type generator struct {
	*rand.Rand
	theme                                string
	nodeCount, pendingCount, placedCount int
	taints, affinity, ports, gates       float64
	sizes, roomy, images, oddities       float64
	schedulers                           []string
	oneClass                             bool // of devices: what becomes of a resource of two when one changes is a known difference
	nodeNames                            []string
	groups                               []podGroup
	serial                               int
	subjects                             []subject
}

// newCase makes case number `index` of a seed: the same pair gives the same case.
func newCase(seed uint64, index int) (*testCase, error) {
	g := newGenerator(seed, index)
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
		if g.theme == aboutVolumes { // so that pods meet
			g.nodeCount = 1 + g.IntN(6)
			g.placedCount = g.IntN(5*g.nodeCount + 1)
		}
	}
	g.begin()
	c := &testCase{name: fmt.Sprintf("seed-%d-case-%d", seed, index), asYAML: g.chance(0.5)}
	c.config = g.validConfig()
	g.populate(c)
	if g.chance(0.3) {
		g.Shuffle(len(c.items), func(i, k int) { c.items[i], c.items[k] = c.items[k], c.items[i] })
	}
	return c, c.render()
}

// newGenerator makes one with the knobs of case number `index` of a seed.
func newGenerator(seed uint64, index int) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(index))), theme: themeOf(index)}
	g.taints, g.affinity, g.ports = g.Float64()*0.6, g.Float64()*0.7, g.Float64()*0.5
	g.gates, g.sizes, g.roomy, g.images = g.Float64()*0.15, g.Float64(), g.Float64()*1.3, g.Float64()
	g.oddities = g.Float64() * 0.5
	g.quieten()
	return g
}

// begin lets each subject draw its knobs.
func (g *generator) begin() {
	for _, begin := range subjects {
		g.subjects = append(g.subjects, begin(g))
	}
}

// populate draws the objects of a case.
func (g *generator) populate(c *testCase) {
	for _, s := range g.subjects {
		if s.objects != nil {
			c.items = append(c.items, s.objects()...)
		}
	}
	for range g.nodeCount {
		node := g.valid(g.node)
		g.nodeNames = append(g.nodeNames, node["metadata"].(tree)["name"].(string))
		c.items = append(c.items, node)
	}
	for range g.placedCount {
		c.items = append(c.items, g.valid(func() tree { return g.pod(true) }))
	}
	for range g.pendingCount {
		c.items = append(c.items, g.valid(func() tree { return g.pod(false) }))
	}
	for _, s := range g.subjects {
		if s.after != nil {
			c.items = append(c.items, s.after(c.items)...)
		}
	}
	portsOnce(c.items)
}

// portsOnce takes the ports from placed pods whose node has them in use already: whose they are when one of the users goes
// is a known difference (docs/differences.md).
func portsOnce(items []tree) {
	used := map[string]bool{}
	for _, item := range items {
		spec, _ := item["spec"].(tree)
		node, _ := spec["nodeName"].(string)
		if item["kind"] != "Pod" || node == "" {
			continue
		}
		var containers []any
		for _, key := range []string{"initContainers", "containers"} {
			list, _ := spec[key].([]any)
			containers = append(containers, list...)
		}
		for _, one := range containers {
			container, _ := one.(tree)
			ports, _ := container["ports"].([]any)
			var taken []string
			for _, port := range ports {
				if number := port.(tree)["hostPort"]; number != nil {
					taken = append(taken, fmt.Sprint(node, " ", number))
				}
			}
			if slices.ContainsFunc(taken, func(port string) bool { return used[port] }) {
				delete(container, "ports")
				continue
			}
			for _, port := range taken {
				used[port] = true
			}
		}
	}
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
