// SPDX-License-Identifier: Apache-2.0

package main

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

// podConstraints draws tolerations, node selector and node affinity.
func (g *generator) podConstraints(spec tree) {
	var tolerations []any
	for g.chance(0.1+g.taints) && len(tolerations) < 4 {
		tolerations = append(tolerations, g.toleration())
	}
	if len(tolerations) > 0 {
		spec["tolerations"] = tolerations
	}
	if g.chance(g.affinity * 0.3) {
		selector := tree{}
		for g.chance(0.7) && len(selector) < 2 {
			key := pick(g, labelKeys...)
			selector[key] = g.labelValue(key)
		}
		spec["nodeSelector"] = selector
	}
	affinity := tree{}
	if g.chance(g.affinity * 0.5) {
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = tree{"nodeSelectorTerms": g.terms(true)}
	}
	if g.chance(g.affinity) {
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = g.preferences()
	}
	if len(affinity) > 0 {
		spec["affinity"] = tree{"nodeAffinity": affinity}
	}
}

func (g *generator) toleration() tree {
	t := tree{}
	if operator := pick(g, "", "Equal", "Exists", "Exists"); operator != "" {
		t["operator"] = operator
	}
	if t["operator"] != "Exists" || g.chance(0.85) {
		t["key"] = pick(g, "dedicated", "gpu", "spot", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable")
	}
	if t["operator"] != "Exists" {
		t["value"] = pick(g, "a", "b", "")
	}
	if effect := pick(g, "", "NoSchedule", "PreferNoSchedule", "NoExecute"); effect != "" {
		t["effect"] = effect
		if effect == "NoExecute" && g.chance(0.5) {
			t["tolerationSeconds"] = 300
		}
	}
	return t
}

func (g *generator) terms(fields bool) []any {
	list := []any{g.term(fields)}
	for g.chance(0.4) && len(list) < 4 {
		list = append(list, g.term(fields))
	}
	return list
}

func (g *generator) preferences() []any {
	list := []any{}
	for g.chance(0.75) && len(list) < 4 {
		list = append(list, tree{"weight": pick(g, 1, 2, 10, 33, 100), "preference": g.term(false)})
	}
	return list
}

// term draws a node selector term; one in twenty is empty and matches nothing.
func (g *generator) term(fields bool) tree {
	t := tree{}
	if g.chance(0.05) {
		return t
	}
	var expressions, names []any
	for g.chance(0.9-0.4*float64(len(expressions))) && len(expressions) < 3 {
		expressions = append(expressions, g.expression())
	}
	if fields && len(g.nodeNames) > 0 {
		for g.chance(0.4) && len(names) < 2 {
			name := pick(g, g.nodeNames...)
			if g.chance(0.1) {
				name = "ghost"
			}
			names = append(names, tree{"key": "metadata.name", "operator": pick(g, "In", "In", "In", "NotIn"), "values": []any{name}})
		}
	}
	if len(expressions) > 0 {
		t["matchExpressions"] = expressions
	}
	if len(names) > 0 {
		t["matchFields"] = names
	}
	return t
}

func (g *generator) expression() tree {
	key := pick(g, labelKeys...)
	operator := pick(g, "In", "In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	e := tree{"key": key, "operator": operator}
	switch operator {
	case "In", "NotIn":
		values := []any{g.labelValue(key)}
		for g.chance(0.5) {
			values = append(values, g.labelValue(key))
		}
		e["values"] = values
	case "Gt", "Lt":
		e["key"] = pick(g, "gen", "gen", "tier", "disk")
		e["values"] = []any{pick(g, "1", "2", "5", "007", "9223372036854775806")}
		if g.chance(g.oddities * 0.15) {
			// Each of these makes the whole term invalid: a value must be a label value and an integer.
			e["values"] = []any{pick(g, "many", "1.5", "99999999999999999999", "-1", "+3", "")}
		}
	}
	return e
}
