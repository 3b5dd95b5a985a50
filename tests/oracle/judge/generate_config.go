// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"berth/tests/oracle/judge/release"

	"sigs.k8s.io/yaml"

	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// defaultsFile says which plugins Berth has by default, in which order and with which weights.
var defaultsFile = "../../../configs/defaults/" + release.Minor + "/v1.yaml"

// profilePlugin is one line of the profile that Berth enables by default.
type profilePlugin struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"` // 0 leaves the weight out
}

// defaultProfile is that profile.
var defaultProfile = sync.OnceValue(func() []profilePlugin {
	var defaults struct {
		MultiPoint struct {
			Enabled []profilePlugin `json:"enabled"`
		} `json:"multiPoint"`
	}
	text, err := os.ReadFile(defaultsFile)
	if err == nil {
		err = yaml.Unmarshal(text, &defaults)
	}
	if err == nil && len(defaults.MultiPoint.Enabled) == 0 {
		err = errors.New("multiPoint.enabled is empty")
	}
	if err != nil {
		panic(fmt.Sprintf("the default profile cannot be read from %s: %v", defaultsFile, err))
	}
	return defaults.MultiPoint.Enabled
})

// installed tells whether Berth has the plugin by default.
func installed(name string) bool {
	return slices.ContainsFunc(defaultProfile(), func(p profilePlugin) bool { return p.Name == name })
}

// ofInstalled leaves out the names of plugins that Berth does not have yet.
func ofInstalled(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !installed(name) })
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
		ctx, cancel := context.WithCancel(process().ctx)
		nothing := newSurroundings(ctx, nil)
		for i := range cfg.Profiles {
			if _, err := newProfile(&cfg.Profiles[i], internalcache.NewEmptySnapshot(), nothing); err != nil {
				lastRefusal = err.Error()
				usable = false
			}
			g.schedulers = append(g.schedulers, cfg.Profiles[i].SchedulerName)
		}
		cancel()
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
	if g.chance(extenderShare) || g.theme == aboutBudgets && g.chance(extenderShare*3) {
		c["extenders"] = g.extenders()
		for _, p := range profiles {
			tryAllNodes(p.(tree))
		}
	}
	return c
}

// extenderShare is how many configurations have extenders.
var extenderShare = 0.15

func (g *generator) percentage() int { return pick(g, 0, 1, 30, 50, 60, 80, 100) }

// profile draws one profile over the default plugins.
func (g *generator) profile(name string) tree {
	plugins := slices.Clone(defaultProfile())
	sets := tree{}
	if g.chance(0.1) {
		g.Shuffle(len(plugins), func(i, k int) { plugins[i], plugins[k] = plugins[k], plugins[i] })
	}
	if g.chance(0.3) {
		for i := range plugins {
			if plugins[i].Weight > 0 {
				plugins[i].Weight = pick(g, 0, 1, 2, 5, 17, 100)
			}
		}
	}
	if g.chance(0.15) {
		dropped := plugins[g.IntN(len(plugins))].Name
		if dropped == names.PrioritySort || dropped == names.DefaultBinder {
			dropped = names.DefaultPreemption // A profile cannot be without the other two.
		}
		plugins = slices.DeleteFunc(plugins, func(p profilePlugin) bool { return p.Name == dropped })
	}
	plugins = g.leaveOut(plugins)
	var enabled []any
	for _, p := range plugins {
		enabled = append(enabled, entry(p.Name, p.Weight))
	}
	sets["multiPoint"] = tree{"disabled": []any{tree{"name": "*"}}, "enabled": enabled}
	if g.theme != aboutFewPlugins && g.theme != aboutClaims && g.chance(0.3) {
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
	scorers := ofInstalled("TaintToleration", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation", "ImageLocality",
		"PodTopologySpread", "InterPodAffinity")
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
		sets["filter"] = tree{"disabled": []any{entry(pick(g, ofInstalled("NodeUnschedulable", "NodeName",
			"TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
			"NodeVolumeLimits", "VolumeZone", "VolumeRestrictions")...), 0)}}
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
	for _, s := range g.subjects {
		if s.args != nil {
			s.args(add)
		}
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

var scoredResources = []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu", "vendor.io/fpga", "hugepages-2Mi", "pods",
	"example.com/nic", implicitPrefix + "nics", implicitPrefix + "gpus"}

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
	start := g.IntN(40)
	if g.theme == aboutScores && g.chance(0.5) { // nodes with little on them get full marks
		list = append(list, tree{"utilization": 0, "score": 10})
		start = 30 + g.IntN(40)
	}
	for u := start; u <= 100 && len(list) < 5; u += 1 + g.IntN(60) {
		list = append(list, tree{"utilization": u, "score": g.IntN(11)})
	}
	return list
}
