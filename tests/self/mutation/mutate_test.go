// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

const source = `// a < b in a comment
template <class T>
bool f(int a, int b) {
    if (a < b && b != 3) return berth::unschedulable("node(s) are full");
    total += a;
    if (host_.log_enabled(3)) host_.info(3, "the sum is known");
    return true;  // not this one
}
`

func TestEachRuleFindsItsPlace(t *testing.T) {
	var changed []string
	for _, m := range mutants(source) {
		if strings.HasPrefix(m.before, "//") || strings.HasPrefix(m.before, "template") || strings.Contains(m.before, "host_.info") {
			t.Errorf("%s: nothing to spoil there", m)
		}
		if m.apply(source) == source {
			t.Errorf("%s: changes nothing", m)
		}
		changed = append(changed, m.after)
	}
	all := strings.Join(changed, "\n")
	for _, want := range []string{"a <= b", "a < b || b", "b == 3", "b != 4", "unresolvable(", "full indeed\"", "\n;", "return false;  // not this one",
		"if (a < b)"} {
		if !strings.Contains(all, want) {
			t.Errorf("no mutant has %q:\n%s", want, all)
		}
	}
}

func TestTheChoiceIsOfManyKindsAndRepeats(t *testing.T) {
	draw := func() []mutant { return choose(mutants(source), 3, rand.New(rand.NewPCG(1, 2))) }
	first, second := draw(), draw()
	if len(first) != 3 {
		t.Fatalf("%d mutants", len(first))
	}
	for i := range first {
		if first[i] != second[i] {
			t.Errorf("%s, then %s", first[i], second[i])
		}
		for k := range i {
			if first[i].line == first[k].line {
				t.Errorf("twice line %d", first[i].line)
			}
		}
	}
}

func TestALineIsChangedTwiceOnlyWhenNoOtherIsLeft(t *testing.T) {
	all := mutants(source)
	chosen := choose(all, len(all)+1, rand.New(rand.NewPCG(1, 2)))
	if len(chosen) != len(all) {
		t.Fatalf("%d of %d mutants", len(chosen), len(all))
	}
	lines := map[int]bool{}
	for _, m := range all {
		lines[m.line] = true
	}
	for i, m := range chosen[:len(lines)] {
		if !lines[m.line] {
			t.Errorf("the %d. mutant is the second of line %d", i+1, m.line)
		}
		delete(lines, m.line)
	}
}

func TestEachPluginIsMadeOfItsHeaders(t *testing.T) {
	plugins, err := pluginsOf("../../../plugins/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]plugin{}
	for _, p := range plugins {
		made[p.name] = p
	}
	if p := made["NodePorts"]; p.header != "node_ports.h" || p.class != "NodePorts" || !p.includes["node_ports.h"] || p.includes["volume_zone.h"] {
		t.Errorf("%+v", p)
	}
	if p := made["VolumeBinding"]; !p.includes["node_selector.h"] {
		t.Errorf("%+v", p)
	}
	s := settings{all: plugins}
	if list := s.concerned("node_ports.h"); len(list) != 1 || list[0].name != "NodePorts" {
		t.Errorf("%+v", list)
	}
	headers, _ := filepath.Glob("../../../plugins/kubernetes/*.h")
	for _, path := range headers {
		if len(s.concerned(filepath.Base(path))) == 0 {
			t.Errorf("no plugin is made of %s", path)
		}
	}
}
