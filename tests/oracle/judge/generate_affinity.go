// SPDX-License-Identifier: Apache-2.0

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

func init() {
	validators["Namespace"] = func(o runtime.Object) field.ErrorList {
		return validation.ValidateNamespace(o.(*core.Namespace))
	}
	subjects = append(subjects, podAffinitySubject)
}

// podLabels are what selectors over pods speak of; few, so that they meet.
var podLabels = map[string][]string{
	"app": {"web", "db", "cache"}, "tier": {"front", "back", ""}, "track": {"stable", "canary"},
}

var podLabelKeys = []string{"app", "app", "tier", "track"}

// podAffinitySubject draws labels of pods and namespaces, and affinity between pods.
func podAffinitySubject(g *generator) subject {
	share, labelled := g.Float64()*0.6, 0.3+0.6*g.Float64()
	if !g.often(aboutScores, 0.6) {
		share = 0
	}
	return subject{
		objects: func() []tree {
			var list []tree
			for _, name := range []string{"default", "team-a", "team-b", "empty"} {
				if g.chance(0.25) {
					continue
				}
				metadata := tree{"name": name}
				labels := tree{}
				if g.chance(0.6) {
					labels["team"] = pick(g, "a", "b", "")
				}
				if g.chance(0.4) {
					labels["env"] = pick(g, "prod", "test")
				}
				if len(labels) > 0 {
					metadata["labels"] = labels
				}
				list = append(list, g.valid(func() tree {
					return tree{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
				}))
			}
			return list
		},
		pod: func(pod tree, placed bool) {
			metadata, spec := pod["metadata"].(tree), pod["spec"].(tree)
			if g.chance(labelled) {
				labels := tree{}
				for range 1 + g.IntN(3) {
					key := pick(g, podLabelKeys...)
					labels[key] = pick(g, podLabels[key]...)
				}
				metadata["labels"] = labels
			}
			if !g.chance(share) {
				return
			}
			affinity, _ := spec["affinity"].(tree)
			if affinity == nil {
				affinity = tree{}
			}
			if g.chance(0.6) {
				affinity["podAffinity"] = g.podAffinity(0.5)
			}
			if g.chance(0.7) {
				affinity["podAntiAffinity"] = g.podAffinity(0.6)
			}
			spec["affinity"] = affinity
		},
		args: func(add func(plugin string, args tree)) {
			if !g.chance(0.4) {
				return
			}
			args := tree{}
			if g.chance(0.7) {
				args["hardPodAffinityWeight"] = pick(g, 0, 1, 5, 100)
			}
			if g.chance(0.5) {
				args["ignorePreferredTermsOfExistingPods"] = g.chance(0.6)
			}
			add("InterPodAffinity", args)
		},
	}
}

// podAffinity draws required and preferred terms.
func (g *generator) podAffinity(required float64) tree {
	a := tree{}
	if g.chance(required) {
		var list []any
		for len(list) == 0 || (g.chance(0.3) && len(list) < 3) {
			list = append(list, g.podAffinityTerm())
		}
		a["requiredDuringSchedulingIgnoredDuringExecution"] = list
	}
	if g.chance(0.5) {
		list := []any{}
		for g.chance(0.7) && len(list) < 3 {
			list = append(list, tree{"weight": pick(g, 1, 2, 10, 50, 100), "podAffinityTerm": g.podAffinityTerm()})
		}
		a["preferredDuringSchedulingIgnoredDuringExecution"] = list
	}
	return a
}

var topologyKeys = []string{
	"kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk", "example.com/pool", "topology.kubernetes.io/region",
}

func (g *generator) topologyKey() string {
	if g.chance(0.02) {
		return "nowhere"
	}
	if g.chance(0.5) {
		return pick(g, topologyKeys[:2]...)
	}
	return pick(g, topologyKeys...)
}

func (g *generator) podAffinityTerm() tree {
	t := tree{"topologyKey": g.topologyKey()}
	if g.chance(0.95) {
		t["labelSelector"] = g.podSelector()
	}
	if g.chance(0.25) {
		names := []any{}
		for g.chance(0.7) && len(names) < 3 {
			names = append(names, pick(g, "default", "team-a", "team-b", "absent"))
		}
		t["namespaces"] = names
	}
	if g.chance(0.3) {
		t["namespaceSelector"] = g.selectorOver([]string{"team", "env"}, map[string][]string{
			"team": {"a", "b", ""}, "env": {"prod", "test"},
		})
	}
	return t
}

// podSelector draws a label selector over pods; one in ten is empty.
func (g *generator) podSelector() tree { return g.selectorOver(podLabelKeys, podLabels) }

func (g *generator) selectorOver(keys []string, values map[string][]string) tree {
	s := tree{}
	if g.chance(0.1) {
		return s
	}
	if g.chance(0.6) {
		key := pick(g, keys...)
		s["matchLabels"] = tree{key: pick(g, values[key]...)}
	}
	var list []any
	for g.chance(0.35) && len(list) < 2 {
		key := pick(g, keys...)
		e := tree{"key": key, "operator": pick(g, "In", "NotIn", "Exists", "DoesNotExist")}
		if e["operator"] == "In" || e["operator"] == "NotIn" {
			some := []any{pick(g, values[key]...)}
			if g.chance(0.4) {
				some = append(some, pick(g, values[key]...))
			}
			e["values"] = some
		}
		list = append(list, e)
	}
	if len(list) > 0 {
		s["matchExpressions"] = list
	}
	return s
}
