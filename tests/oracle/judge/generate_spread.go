// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

func init() { subjects = append(subjects, spreadSubject) }

// spreadSubject draws topology spread constraints, and the services and controllers that the default ones look for.
func spreadSubject(g *generator) subject {
	share, owned := g.Float64()*0.7, 0.0
	if !g.often(aboutScores, 0.6) {
		share = 0
	}
	type controller struct{ kind, version, namespace, name string }
	var controllers []controller
	// Most clusters have few nodes without the labels that constraints speak of.
	bare := pick(g, 0, 0, 0.03, 0.4)
	// In some, many pods are alike, so that they have to be spread.
	alike := pick(g, 0, 0.4, 0.8)
	return subject{
		node: func(node tree) {
			metadata := node["metadata"].(tree)
			labels, _ := metadata["labels"].(tree)
			if labels == nil {
				labels = tree{}
			}
			for _, key := range topologyKeys {
				if labels[key] == nil && !g.chance(bare) {
					switch key {
					case "kubernetes.io/hostname":
						labels[key] = metadata["name"]
					case "topology.kubernetes.io/region":
						labels[key] = pick(g, "r1", "r2")
					default:
						labels[key] = g.labelValue(key)
					}
				}
			}
			if len(labels) > 0 {
				metadata["labels"] = labels
			}
		},
		objects: func() []tree {
			var list []tree
			if g.chance(0.5) {
				return list
			}
			owned = g.Float64()
			for i := range g.IntN(5) {
				spec := tree{"clusterIP": "None", "ports": []any{tree{"port": 80}}}
				if g.chance(0.9) {
					selector := tree{}
					for range g.IntN(3) {
						key := pick(g, podLabelKeys...)
						selector[key] = pick(g, podLabels[key]...)
					}
					spec["selector"] = selector
				}
				list = append(list, g.valid(func() tree {
					return tree{"apiVersion": "v1", "kind": "Service", "spec": spec,
						"metadata": tree{"name": fmt.Sprintf("s%d", i), "namespace": pick(g, "default", "team-a", "team-b")}}
				}))
			}
			for i := range g.IntN(5) {
				c := controller{pick(g, "ReplicaSet", "StatefulSet", "ReplicationController"), "apps/v1",
					pick(g, "default", "team-a", "team-b"), fmt.Sprintf("c%d", i)}
				selector := g.podSelector()
				labels := tree{"app": pick(g, podLabels["app"]...)}
				spec := tree{"replicas": 0, "selector": selector}
				if c.kind == "ReplicationController" {
					c.version, spec["selector"] = "v1", labels
				}
				spec["template"] = tree{"metadata": tree{"labels": labels},
					"spec": tree{"containers": []any{tree{"name": "c", "image": "nginx"}}}}
				if c.kind == "StatefulSet" {
					spec["serviceName"] = "s0"
				}
				controllers = append(controllers, c)
				if g.chance(0.15) {
					continue // Its pods have an owner that nobody knows.
				}
				list = append(list, g.valid(func() tree {
					return tree{"apiVersion": c.version, "kind": c.kind, "spec": spec,
						"metadata": tree{"name": c.name, "namespace": c.namespace}}
				}))
			}
			return list
		},
		pod: func(pod tree, placed bool) {
			metadata, spec := pod["metadata"].(tree), pod["spec"].(tree)
			if g.chance(alike) {
				metadata["namespace"], metadata["labels"] = "default", tree{"app": "web"}
			}
			if len(controllers) > 0 && g.chance(owned) {
				c := pick(g, controllers...)
				if c.namespace != "default" || g.chance(0.7) {
					metadata["namespace"] = c.namespace
				}
				if g.chance(0.1) {
					c.version = "apps/v1beta2"
				}
				metadata["ownerReferences"] = []any{tree{"apiVersion": c.version, "kind": c.kind, "name": c.name,
					"uid": g.uid(), "controller": g.chance(0.9)}}
			}
			if !g.chance(share) {
				return
			}
			var list []any
			for len(list) == 0 || (g.chance(0.5) && len(list) < 3) {
				c := g.spreadConstraint()
				if c["labelSelector"] != nil && g.chance(alike) {
					c["labelSelector"] = tree{"matchLabels": tree{"app": "web"}}
				}
				list = append(list, c)
			}
			spec["topologySpreadConstraints"] = list
		},
		args: func(add func(plugin string, args tree)) {
			if !g.chance(0.35) {
				return
			}
			args := tree{"defaultingType": "List"}
			var list []any
			for g.chance(0.75) && len(list) < 3 {
				c := g.spreadConstraint()
				delete(c, "labelSelector")
				delete(c, "matchLabelKeys")
				list = append(list, c)
			}
			if len(list) > 0 {
				args["defaultConstraints"] = list
			}
			if g.chance(0.1) {
				args = tree{"defaultingType": "System"}
			}
			add("PodTopologySpread", args)
		},
	}
}

func (g *generator) spreadConstraint() tree {
	c := tree{
		"maxSkew": pick(g, 1, 1, 1, 2, 3, 5), "topologyKey": g.topologyKey(),
		"whenUnsatisfiable": pick(g, "DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"),
	}
	if g.chance(0.9) {
		c["labelSelector"] = g.podSelector()
		if g.chance(0.3) {
			c["matchLabelKeys"] = []any{pick(g, podLabelKeys...)}
		}
	}
	if c["whenUnsatisfiable"] == "DoNotSchedule" && g.chance(0.25) {
		c["minDomains"] = pick(g, 1, 2, 3, 10)
	}
	if g.chance(0.3) {
		c["nodeAffinityPolicy"] = pick(g, "Honor", "Ignore")
	}
	if g.chance(0.4) {
		c["nodeTaintsPolicy"] = pick(g, "Honor", "Ignore")
	}
	return c
}
