// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/testing/defaults"
	"sigs.k8s.io/yaml"
)

type object = map[string]any

// generator makes files that are mostly right, and wrong in one or two places otherwise.
type generator struct {
	*rand.Rand
	wrong bool // whether this file may hold wrong values
	sets  map[string][]string
}

func newGenerator(random *rand.Rand, absent []string) *generator {
	all := defaults.ExpandedPluginsV1
	sets := map[string][]string{}
	for key, set := range map[string]config.PluginSet{
		"preEnqueue": all.PreEnqueue, "queueSort": all.QueueSort, "preFilter": all.PreFilter, "filter": all.Filter,
		"postFilter": all.PostFilter, "preScore": all.PreScore, "score": all.Score, "reserve": all.Reserve,
		"preBind": all.PreBind, "bind": all.Bind, "multiPoint": defaults.PluginsV1.MultiPoint,
	} {
		for _, plugin := range set.Enabled {
			if !slices.Contains(absent, plugin.Name) {
				sets[key] = append(sets[key], plugin.Name)
			}
		}
	}
	return &generator{random, random.Intn(2) == 0, sets}
}

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

// pick is one of the right values, or one of the wrong ones.
func (g *generator) pick(right []any, wrong ...any) any {
	if g.wrong && len(wrong) > 0 && g.chance(15) {
		return wrong[g.Intn(len(wrong))]
	}
	return right[g.Intn(len(right))]
}

func (g *generator) put(into object, percent int, key string, right []any, wrong ...any) {
	if g.chance(percent) {
		into[key] = g.pick(right, wrong...)
	}
}

func (g *generator) file() []byte {
	c := object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
	g.put(c, 30, "parallelism", []any{1, 16, 64, nil}, 0, -3)
	g.put(c, 30, "percentageOfNodesToScore", []any{0, 1, 100, nil}, -1, 101)
	g.put(c, 30, "podInitialBackoffSeconds", []any{1, 5, nil}, 0, -1, 50)
	g.put(c, 30, "podMaxBackoffSeconds", []any{10, 5, 600, nil}, 0, 1)
	g.put(c, 30, "enableProfiling", []any{true, false, nil})
	g.put(c, 30, "enableContentionProfiling", []any{true, false, nil})
	g.put(c, 30, "delayCacheUntilActive", []any{true, false})
	if g.chance(40) {
		e := object{}
		g.put(e, 40, "leaderElect", []any{true, false, nil})
		g.put(e, 40, "leaseDuration", []any{"15s", "1m0s", "11s", "0s", "1h2m3.5s"}, "1s", "-5s")
		g.put(e, 40, "renewDeadline", []any{"10s", "10.5s", "0s"}, "20m", "-1ms")
		g.put(e, 40, "retryPeriod", []any{"2s", "500ms", "0s", "1500us"}, "-2s")
		g.put(e, 40, "resourceLock", []any{"leases", ""}, "endpoints")
		g.put(e, 40, "resourceName", []any{"harbour", ""})
		g.put(e, 40, "resourceNamespace", []any{"sea", ""})
		c["leaderElection"] = e
	}
	if g.chance(40) {
		e := object{}
		g.put(e, 40, "qps", []any{0, 1.5, 100})
		g.put(e, 40, "burst", []any{0, 7}, -1)
		g.put(e, 40, "contentType", []any{"", "application/json"})
		g.put(e, 40, "acceptContentTypes", []any{"", "application/json"})
		g.put(e, 40, "kubeconfig", []any{"", "/some/file"})
		c["clientConnection"] = e
	}
	if g.wrong && g.chance(5) {
		c[[]string{"Parallelism", "colour", "healthzBindAddress"}[g.Intn(3)]] = 1
	}
	if g.chance(90) {
		profiles := []any{}
		for range g.Intn(4) {
			profiles = append(profiles, g.profile(len(profiles)))
		}
		c["profiles"] = profiles
	}
	if g.chance(30) {
		extenders := []any{}
		for range g.Intn(4) {
			extenders = append(extenders, g.extender(len(extenders)))
		}
		c["extenders"] = extenders
	}
	text, err := yaml.Marshal(c)
	if err != nil {
		panic(err)
	}
	return text
}

func (g *generator) extender(index int) object {
	e := object{}
	// Upstream reports at the first call what is no address, Berth at once.
	g.put(e, 100, "urlPrefix", []any{"http://127.0.0.1:8888/", "https://extender.example/scheduler"}, 7)
	g.put(e, 60, "filterVerb", []any{"filter", ""})
	g.put(e, 30, "preemptVerb", []any{"preempt", ""})
	g.put(e, 60, "prioritizeVerb", []any{"prioritize", ""})
	if e["prioritizeVerb"] == "prioritize" || g.chance(20) {
		g.put(e, 100, "weight", []any{1, 5, 1000}, 0, -3, nil)
	}
	percent := 30
	if index > 0 {
		percent = 3 // only one can bind
	}
	g.put(e, percent, "bindVerb", []any{"bind", ""})
	g.put(e, 30, "enableHTTPS", []any{true, false})
	g.put(e, 60, "httpTimeout", []any{"1s", "0s", "1m30s", "250ms", "-2s"}, "soon", 5)
	g.put(e, 40, "nodeCacheCapable", []any{true, false})
	g.put(e, 40, "ignorable", []any{true, false})
	if g.chance(40) {
		tls := object{}
		g.put(tls, 40, "insecure", []any{true, false})
		g.put(tls, 40, "serverName", []any{"extender.example", ""})
		for _, key := range []string{"certFile", "keyFile", "caFile"} {
			g.put(tls, 30, key, []any{"/some/" + key, ""})
		}
		for _, key := range []string{"certData", "keyData", "caData"} {
			g.put(tls, 30, key, []any{"UEVN", "", "UEVNUEVN\nUEVNUA==\n"}, "no Base64", "UEVN=")
		}
		e["tlsConfig"] = tls
	}
	if g.chance(50) {
		resources := []any{}
		for i := range g.Intn(3) {
			resource := object{}
			names := []any{string(rune('a'+index)) + ".example.com/berth-" + string(rune('a'+i))}
			g.put(resource, 98, "name", names, "cpu", "a b", "x/", "example.com/a", "kubernetes.io/x", "requests.a/b", "a/b/c",
				"A_/b!", "UPPER.example/x")
			g.put(resource, 50, "ignoredByScheduler", []any{true, false})
			resources = append(resources, resource)
		}
		e["managedResources"] = resources
	}
	return e
}

func (g *generator) profile(index int) object {
	p := object{}
	g.put(p, 100, "schedulerName", []any{[]string{"one", "two", "three"}[index]}, "", "one", nil)
	g.put(p, 25, "percentageOfNodesToScore", []any{0, 50, 100, nil}, -7, 300)
	if g.chance(70) {
		sets := object{}
		for _, key := range []string{"multiPoint", "preEnqueue", "queueSort", "preFilter", "filter", "preScore", "score",
			"reserve", "preBind", "bind", "permit", "postBind"} {
			percent := 20
			if key == "queueSort" {
				percent = 3 // it must be the same in every profile
			}
			if g.chance(percent) {
				sets[key] = g.set(key)
			}
		}
		p["plugins"] = sets
	}
	if g.chance(60) {
		configs := []any{}
		for range 1 + g.Intn(3) {
			configs = append(configs, g.args(configs))
		}
		p["pluginConfig"] = configs
	}
	return p
}

func (g *generator) set(key string) object {
	out := object{}
	names := g.sets[key]
	list := func(most int) []any {
		entries := []any{}
		for range g.Intn(most + 1) {
			if len(names) == 0 {
				break
			}
			entry := object{"name": names[g.Intn(len(names))]}
			if slices.ContainsFunc(entries, func(e any) bool { return e.(object)["name"] == entry["name"] }) {
				continue
			}
			g.put(entry, 50, "weight", []any{0, 1, 7, 300, nil})
			entries = append(entries, entry)
		}
		return entries
	}
	if g.chance(70) {
		enabled := list(4)
		if g.wrong && g.chance(10) {
			enabled = append(enabled, object{"name": []string{"EBSLimits", "CinderLimits"}[g.Intn(2)]})
		}
		out["enabled"] = enabled
	}
	if g.chance(50) {
		out["disabled"] = list(3)
		if g.chance(20) && key != "multiPoint" && key != "bind" {
			out["disabled"] = []any{object{"name": "*"}}
		}
	}
	return out
}

// args is an entry of pluginConfig for one of the plugins that have arguments.
func (g *generator) args(others []any) object {
	names := []string{"NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit"}
	for _, more := range []string{"DefaultPreemption", "InterPodAffinity", "PodTopologySpread", "VolumeBinding"} {
		if slices.Contains(g.sets["multiPoint"], more) {
			names = append(names, more)
		}
	}
	name := names[g.Intn(len(names))]
	for range 5 {
		if g.wrong && g.chance(10) || !slices.ContainsFunc(others, func(o any) bool { return o.(object)["name"] == name }) {
			break
		}
		name = names[g.Intn(len(names))]
	}
	args := object{}
	g.put(args, 20, "apiVersion", []any{"kubescheduler.config.k8s.io/v1"}, "kubescheduler.config.k8s.io/v1beta9")
	if args["apiVersion"] != nil {
		args["kind"] = name + "Args"
	}
	resources := func(weights []any, wrong ...any) []any {
		out := []any{}
		for _, resource := range []string{"cpu", "memory", "nvidia.com/gpu"} {
			if g.chance(60) {
				entry := object{"name": resource}
				g.put(entry, 70, "weight", weights, wrong...)
				out = append(out, entry)
			}
		}
		return out
	}
	switch name {
	case "NodeAffinity":
		if g.chance(60) {
			requirement := object{"key": "zone", "operator": g.pick([]any{"In", "NotIn"}), "values": []any{"a"}}
			args["addedAffinity"] = object{"requiredDuringSchedulingIgnoredDuringExecution": object{
				"nodeSelectorTerms": []any{object{"matchExpressions": []any{requirement}}}}}
		}
	case "NodeResourcesBalancedAllocation":
		if g.chance(80) {
			args["resources"] = resources([]any{0, 1, nil}, 2, -1)
		}
	case "NodeResourcesFit":
		// Upstream validates these only when the plugin is made, so they are right here.
		if g.chance(80) {
			strategy := object{"type": g.pick([]any{"LeastAllocated", "MostAllocated"})}
			if g.chance(60) {
				strategy["resources"] = resources([]any{0, 1, 100, nil})
			}
			if g.chance(20) {
				strategy["type"] = "RequestedToCapacityRatio"
				strategy["requestedToCapacityRatio"] = object{"shape": []any{object{"utilization": 0, "score": 10},
					object{"utilization": 100, "score": 0}}}
			}
			args["scoringStrategy"] = strategy
		}
		g.put(args, 20, "ignoredResources", []any{[]any{"example.com/a"}, []any{}})
		g.put(args, 20, "ignoredResourceGroups", []any{[]any{"example.com"}})
	case "DefaultPreemption":
		g.put(args, 50, "minCandidateNodesPercentage", []any{0, 10, 100}, -1, 101)
		g.put(args, 50, "minCandidateNodesAbsolute", []any{1, 100}, -1, 0)
	case "InterPodAffinity":
		g.put(args, 50, "hardPodAffinityWeight", []any{0, 1, 100}, -1, 101)
		g.put(args, 50, "ignorePreferredTermsOfExistingPods", []any{true, false})
	case "PodTopologySpread":
		g.put(args, 50, "defaultingType", []any{"System", "List"}, "Other")
	case "VolumeBinding":
		g.put(args, 50, "bindTimeoutSeconds", []any{0, 600}, -1)
	}
	if g.wrong && g.chance(5) {
		args["colour"] = "red"
	}
	entry := object{"name": name}
	if g.chance(90) {
		entry["args"] = args
	}
	return entry
}
