// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"berth/tests/oracle/judge/timeline"
)

func init() {
	// The last one, so that the pods of a group are alike whatever the others make of them.
	subjects = append(subjects, workloadSubject)
	changes["PodGroup"] = (*teller).podGroupChanges
}

// podGroup is a PodGroup that pods of a timeline belong to, whether it is there or not.
type podGroup struct {
	namespace, name, scheduler string
	gang                       bool
	priority                   any
	preemption                 any // what its pods say of it
}

// workloadSubject puts pods into groups.
func workloadSubject(g *generator) subject {
	if g.theme != aboutGroups {
		return subject{}
	}
	members, odd := 0.5+g.Float64()/2, 0.04*g.Float64()
	for i := range 1 + g.IntN(4) {
		g.groups = append(g.groups, podGroup{
			namespace: pick(g, "default", "team-a"), name: fmt.Sprintf("group-%d", i), gang: g.chance(0.8),
			priority: pick[any](g, nil, nil, 0, 5, 100, 1000), preemption: pick[any](g, nil, nil, nil, "Never"),
		})
	}
	return subject{
		objects: func() (items []tree) {
			for i := range g.groups {
				g.groups[i].scheduler = pick(g, g.schedulers...)
				items = append(items, g.valid(func() tree { return g.podGroup(g.groups[i]) }))
			}
			return items
		},
		pod: func(pod tree, _ bool) {
			if !g.chance(members) {
				return
			}
			group := pick(g, g.groups...)
			metadata, spec := pod["metadata"].(tree), pod["spec"].(tree)
			metadata["namespace"] = group.namespace
			spec["schedulingGroup"] = tree{"podGroupName": group.name}
			for field, value := range map[string]any{"priority": group.priority, "preemptionPolicy": group.preemption, "schedulerName": group.scheduler} {
				if spec[field] = value; value == nil {
					delete(spec, field)
				}
			}
			if group.gang {
				delete(spec, "schedulingGates") // Which of two closed gates is asked first is left open.
			}
			// Pods that cannot be scheduled with the others.
			if g.chance(odd) {
				spec["priority"] = 7
			}
			if g.chance(odd) {
				spec["schedulerName"] = pick(g, g.schedulers...)
			}
			if g.chance(odd) {
				spec["preemptionPolicy"] = pick(g, "Never", "PreemptLowerPriority")
			}
		},
	}
}

// podGroup draws the object.
func (g *generator) podGroup(of podGroup) tree {
	policy := tree{"basic": tree{}}
	if of.gang {
		policy = tree{"gang": tree{"minCount": 1 + g.IntN(6)}}
	}
	spec := tree{"schedulingPolicy": policy}
	if of.priority != nil {
		spec["priority"] = of.priority
	}
	group := object("PodGroup", "scheduling.k8s.io/v1beta1", of.namespace, of.name, tree{"spec": spec})
	metadata := group["metadata"].(tree)
	metadata["uid"], metadata["generation"] = g.uid(), 1
	if g.chance(0.3) {
		metadata["finalizers"] = []any{"scheduling.k8s.io/podgroup-protection"}
	}
	return group
}

// podGroupChanges changes a PodGroup, or takes it away.
func (t *teller) podGroupChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	switch t.IntN(8) {
	case 0, 1:
		return removed("PodGroup", o)
	case 2:
		return []timeline.Step{step("delete", "PodGroup", objectKey(o), nil)} // With a finalizer it stays.
	case 3:
		return merge("PodGroup", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	default:
		text, err := encode(o, false)
		if err != nil {
			return nil
		}
		policy := asTree(text)["spec"].(tree)["schedulingPolicy"].(tree)
		if policy["gang"] == nil {
			return nil
		}
		return merge("PodGroup", o, tree{"metadata": tree{"generation": o.GetGeneration() + 1},
			"spec": tree{"schedulingPolicy": tree{"gang": tree{"minCount": 1 + t.IntN(6)}}}})
	}
}

// missingGroup makes a PodGroup that is not there; nothing if all are.
func (t *teller) missingGroup(world timeline.View) []timeline.Step {
	there := map[string]bool{}
	for _, o := range world.List("PodGroup") {
		there[objectKey(o)] = true
	}
	missing := slices.DeleteFunc(slices.Clone(t.groups), func(g podGroup) bool { return there[g.namespace+"/"+g.name] })
	if len(missing) == 0 {
		return nil
	}
	of := pick(t.generator, missing...)
	// One of the case may be still to come; it is passed over then.
	return t.create(t.valid(func() tree { return t.podGroup(of) }))
}

// withoutPreemption takes out what Berth does not do for groups yet: preemption, also that of claims.
func withoutPreemption(plugins []profilePlugin) []profilePlugin {
	return slices.DeleteFunc(plugins, func(p profilePlugin) bool {
		return p.Name == names.DefaultPreemption || p.Name == names.DynamicResources
	})
}

// kindsThatChangeWithGroups is kindsThatChange where pods have groups.
var kindsThatChangeWithGroups = []string{"Node", "Node", "Node", "Pod", "Pod", "Pod", "Pod", "PodGroup", "PodGroup", "Namespace"}
