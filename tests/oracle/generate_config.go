// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// profilePlugin is one line of the profile that Berth enables by default. What Berth learns later
// is added here, in upstream's default order.
type profilePlugin struct {
	name   string
	weight int // 0 leaves the weight out
}

var defaultProfile = []profilePlugin{
	{"SchedulingGates", 0}, {"PrioritySort", 0}, {"NodeUnschedulable", 0}, {"NodeName", 0},
	{"TaintToleration", 3}, {"NodeAffinity", 2}, {"NodePorts", 0}, {"NodeResourcesFit", 1},
	{"NodeResourcesBalancedAllocation", 1}, {"ImageLocality", 1}, {"DefaultBinder", 0},
}

// validConfig draws configurations until kube-scheduler itself would start with one.
func (g *generator) validConfig() tree {
	for {
		c := g.config()
		text, err := encode(c, true)
		if err != nil {
			continue
		}
		cfg, err := loadConfig(text)
		if err != nil {
			lastRefusal = err.Error()
			continue
		}
		usable := true
		g.schedulers = nil
		for i := range cfg.Profiles {
			if _, err := newProfile(&cfg.Profiles[i], internalcache.NewEmptySnapshot()); err != nil {
				lastRefusal = err.Error()
				usable = false
			}
			g.schedulers = append(g.schedulers, cfg.Profiles[i].SchedulerName)
		}
		if usable {
			return c
		}
	}
}

func (g *generator) config() tree {
	c := tree{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	if g.chance(0.4) {
		c["percentageOfNodesToScore"] = g.percentage()
	}
	profiles := []any{g.profile("default-scheduler")}
	if g.chance(0.25) {
		profiles = append(profiles, g.profile("batch"))
		if g.chance(0.3) {
			profiles = append(profiles, g.profile("third"))
		}
	}
	c["profiles"] = profiles
	return c
}

func (g *generator) percentage() int { return pick(g, 0, 1, 30, 50, 60, 80, 100) }

// profile draws one profile over the default plugins.
func (g *generator) profile(name string) tree {
	plugins := slices.Clone(defaultProfile)
	sets := tree{}
	if g.chance(0.1) {
		g.Shuffle(len(plugins), func(i, k int) { plugins[i], plugins[k] = plugins[k], plugins[i] })
	}
	if g.chance(0.3) {
		for i := range plugins {
			if plugins[i].weight > 0 {
				plugins[i].weight = pick(g, 0, 1, 2, 5, 17, 100)
			}
		}
	}
	if g.chance(0.15) {
		dropped := pick(g, "NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "ImageLocality",
			"NodeResourcesBalancedAllocation", "NodeResourcesFit", "SchedulingGates")
		plugins = slices.DeleteFunc(plugins, func(p profilePlugin) bool { return p.name == dropped })
	}
	var enabled []any
	for _, p := range plugins {
		enabled = append(enabled, entry(p.name, p.weight))
	}
	sets["multiPoint"] = tree{"disabled": []any{tree{"name": "*"}}, "enabled": enabled}
	if g.chance(0.3) {
		g.specificPoints(sets)
	}
	p := tree{"plugins": sets}
	if name != "default-scheduler" || g.chance(0.8) {
		p["schedulerName"] = name
	}
	if g.chance(0.15) {
		p["percentageOfNodesToScore"] = g.percentage()
	}
	if list := g.pluginConfig(); len(list) > 0 {
		p["pluginConfig"] = list
	}
	return p
}

func entry(name string, weight int) tree {
	if weight == 0 {
		return tree{"name": name}
	}
	return tree{"name": name, "weight": weight}
}

// specificPoints changes single extension points. A plugin that cannot work without its hook (it
// would end every attempt with an error) keeps the hook.
func (g *generator) specificPoints(sets tree) {
	scorers := []string{"TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality"}
	switch g.IntN(8) {
	case 0:
		sets["score"] = tree{"enabled": []any{entry(pick(g, scorers...), pick(g, 0, 1, 4, 50))}}
	case 1:
		sets["score"] = tree{"disabled": []any{entry(pick(g, scorers...), 0)}}
	case 2:
		g.Shuffle(len(scorers), func(i, k int) { scorers[i], scorers[k] = scorers[k], scorers[i] })
		var enabled []any
		for _, name := range scorers[:1+g.IntN(4)] {
			enabled = append(enabled, entry(name, g.IntN(6)))
		}
		sets["score"] = tree{"disabled": []any{entry("*", 0)}, "enabled": enabled}
	case 3:
		sets["score"] = tree{"disabled": []any{entry("*", 0)}}
	case 4:
		sets["filter"] = tree{"disabled": []any{entry(pick(g, "NodeUnschedulable", "NodeName", "TaintToleration",
			"NodeAffinity", "NodePorts", "NodeResourcesFit"), 0)}}
	case 5:
		sets["filter"] = tree{"enabled": []any{entry(pick(g, "NodeResourcesFit", "NodePorts", "TaintToleration"), 0), entry("NodeName", 0)}}
	case 6:
		sets[pick(g, "preFilter", "preScore")] = tree{"disabled": []any{entry("NodeAffinity", 0)}}
	case 7:
		sets["preEnqueue"] = tree{"disabled": []any{entry("*", 0)}}
		sets["preScore"] = tree{"disabled": []any{entry(pick(g, "NodeResourcesFit", "NodeResourcesBalancedAllocation"), 0)}}
	}
}

func (g *generator) pluginConfig() []any {
	var list []any
	add := func(name string, args tree) {
		if g.chance(0.2) {
			args["apiVersion"], args["kind"] = "kubescheduler.config.k8s.io/v1", name+"Args"
		}
		list = append(list, tree{"name": name, "args": args})
	}
	if g.chance(0.55) {
		add("NodeResourcesFit", g.fitArgs())
	}
	if g.chance(0.3) {
		add("NodeResourcesBalancedAllocation", g.balancedArgs())
	}
	if g.chance(0.15) {
		args := tree{}
		affinity := tree{}
		if g.chance(0.6) {
			affinity["requiredDuringSchedulingIgnoredDuringExecution"] = tree{"nodeSelectorTerms": g.terms(false)}
		}
		if g.chance(0.6) {
			affinity["preferredDuringSchedulingIgnoredDuringExecution"] = g.preferences()
		}
		args["addedAffinity"] = affinity
		add("NodeAffinity", args)
	}
	return list
}

func (g *generator) fitArgs() tree {
	args := tree{}
	if g.chance(0.8) {
		strategy := tree{"type": pick(g, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "RequestedToCapacityRatio")}
		if g.chance(0.7) {
			strategy["resources"] = g.resourceWeights(100)
		}
		if strategy["type"] == "RequestedToCapacityRatio" {
			strategy["requestedToCapacityRatio"] = tree{"shape": g.shape()}
		}
		args["scoringStrategy"] = strategy
	}
	if g.chance(0.25) {
		args["ignoredResources"] = []any{pick(g, "example.com/gpu", "vendor.io/fpga", "example.com/none")}
	}
	if g.chance(0.2) {
		args["ignoredResourceGroups"] = []any{pick(g, "example.com", "vendor.io")}
	}
	return args
}

var scoredResources = []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu", "vendor.io/fpga", "hugepages-2Mi", "pods"}

func (g *generator) resourceWeights(most int) []any {
	var list []any
	for _, name := range scoredResources {
		if g.chance(0.4) {
			r := tree{"name": name}
			if w := pick(g, 0, 1, 1, 3, most); w > 0 {
				r["weight"] = min(w, most)
			}
			list = append(list, r)
		}
	}
	return list
}

func (g *generator) balancedArgs() tree {
	return tree{"resources": g.resourceWeights(1)}
}

// shape draws a piecewise linear function, rising, falling or both.
func (g *generator) shape() []any {
	var list []any
	for u := g.IntN(40); u <= 100 && len(list) < 5; u += 1 + g.IntN(60) {
		list = append(list, tree{"utilization": u, "score": g.IntN(11)})
	}
	return list
}
