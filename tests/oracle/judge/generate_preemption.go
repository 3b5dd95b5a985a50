// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/policy"
	"k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func init() {
	validators["PodDisruptionBudget"] = func(internal runtime.Object) field.ErrorList {
		return validation.ValidatePodDisruptionBudget(internal.(*policy.PodDisruptionBudget), validation.PodDisruptionBudgetValidationOptions{})
	}
	subjects = append(subjects, preemptionSubject)
}

// preemptionSubject makes pods that differ in priority and age, victims on their way out, nominations and budgets.
func preemptionSubject(g *generator) subject {
	if !installed(names.DefaultPreemption) {
		return subject{}
	}
	rivalry, budgets, nominated := g.Float64(), g.Float64(), 0.1
	if g.often(aboutBudgets, 0.4) {
		// A crowded cluster with little else in the way: here preemption helps.
		rivalry, nominated = 0.9, 0.25
		g.taints, g.affinity, g.ports, g.roomy, g.sizes = g.taints*0.2, g.affinity*0.2, g.ports*0.3, 0.1, 0.5+g.sizes/2
		g.placedCount = min(g.nodeCount*4, g.nodeCount+60)
	}
	if g.theme == aboutBudgets {
		budgets = 0.9
	}
	return subject{
		objects: func() (items []tree) {
			for g.chance(budgets) && len(items) < 6 {
				items = append(items, g.valid(g.budget))
			}
			return items
		},
		pod: func(pod tree, placed bool) {
			metadata, spec, status := pod["metadata"].(tree), pod["spec"].(tree), pod["status"].(tree)
			if g.chance(rivalry) {
				if spec["priority"] = pick(g, 50, 100, 100, 2000); placed {
					spec["priority"] = pick(g, 0, 0, 5, 10, -3)
				}
			}
			if g.chance(budgets) {
				metadata["labels"] = tree{"app": pick(g, "web", "db"), "tier": pick(g, "5", "6")}
			}
			if placed {
				if g.chance(0.9) {
					status["startTime"] = fmt.Sprintf("2026-01-01T00:%02d:%02dZ", g.IntN(3), g.IntN(60))
				}
				if g.chance(nominated / 2) {
					terminate(metadata)
				}
				if metadata["deletionTimestamp"] != nil && g.chance(0.7) {
					status["conditions"] = []any{tree{"type": "DisruptionTarget", "status": pick(g, "True", "True", "True", "False"),
						"reason": pick(g, "PreemptionByScheduler", "PreemptionByScheduler", "EvictionByEvictionAPI")}}
				}
				return
			}
			if g.chance(0.08) {
				spec["preemptionPolicy"] = pick(g, "Never", "Never", "PreemptLowerPriority")
			}
			// Upstream forgets what a pod that is being deleted asks for, but not that it was nominated.
			if metadata["deletionTimestamp"] == nil && g.chance(nominated*rivalry) && len(g.nodeNames) > 0 {
				status["nominatedNodeName"] = pick(g, g.nodeNames...)
				if g.chance(0.1) {
					status["nominatedNodeName"] = "gone"
				}
			}
		},
		args: func(add func(plugin string, args tree)) {
			if !g.chance(0.2) {
				return
			}
			args := tree{}
			if g.chance(0.8) {
				args["minCandidateNodesPercentage"] = pick(g, 0, 5, 10, 50, 100)
			}
			if g.chance(0.8) {
				args["minCandidateNodesAbsolute"] = pick(g, 0, 1, 2, 7, 100)
			}
			add(names.DefaultPreemption, args)
		},
	}
}

// budget draws a PodDisruptionBudget as its controller left it.
func (g *generator) budget() tree {
	selector := tree{"matchLabels": tree{"app": pick(g, "web", "db")}}
	switch g.IntN(6) {
	case 0:
		selector = tree{"matchExpressions": []any{tree{"key": "app", "operator": pick(g, "In", "NotIn"), "values": []any{pick(g, "web", "db", "none")}}}}
	case 1:
		selector = tree{"matchExpressions": []any{tree{"key": pick(g, "app", "tier", "none"), "operator": pick(g, "Exists", "DoesNotExist")}}}
	case 2:
		selector = tree{"matchLabels": tree{"app": "web", "tier": pick(g, "5", "6")}}
	}
	spec := tree{pick(g, "minAvailable", "maxUnavailable"): pick[any](g, 1, "50%"), "selector": selector}
	switch g.IntN(20) {
	case 0:
		spec["selector"] = tree{}
	case 1:
		delete(spec, "selector")
	}
	status := tree{"disruptionsAllowed": pick(g, 0, 0, 1, 2), "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}
	if g.chance(0.15) {
		status["disruptedPods"] = tree{fmt.Sprintf("%s-%d", pick(g, "web", "job", "db"), g.IntN(80)): "2026-01-01T00:00:00Z"}
	}
	return tree{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
		"metadata": tree{"name": fmt.Sprintf("budget-%d", g.serial), "namespace": pick(g, "default", "team-a", "team-b")},
		"spec":     spec, "status": status,
	}
}
