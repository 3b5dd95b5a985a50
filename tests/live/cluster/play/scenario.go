// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// scenario is a file of kind Scenario, as docs/simulate.md describes it. berth simulate reports what is wrong with one.
type scenario struct {
	file              string
	Metadata          struct{ Name string }
	KubernetesVersion string
	FeatureGates      map[string]bool
	Configuration     map[string]any
	Objects           []object
	Timeline          []step
	Expect            []expectation
}

// flags have berth decide as the scenario says.
func (s *scenario) flags() (out []string) {
	if s.KubernetesVersion != "" {
		out = append(out, "--kubernetes-version", s.KubernetesVersion)
	}
	for gate, on := range s.FeatureGates {
		out = append(out, "--feature-gates", fmt.Sprintf("%s=%t", gate, on))
	}
	return out
}

type object map[string]any

func (o object) kind() string {
	kind, _ := o["kind"].(string)
	return kind
}
func (o object) namespace() string {
	metadata, _ := o["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	return namespace
}

type named struct{ Kind, Namespace, Name string }

type step struct {
	At     string
	Apply  []object
	Delete []named
	Patch  []struct {
		Kind, Namespace, Name string
		Patch                 object
	}
	Drain, Finish []string
}

type expectation struct {
	At      *string
	Placed  map[string]any
	Pending map[string]*string
	Gone    []string
}

func read(file string) (*scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &scenario{file: file}
	if err := yaml.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// moment is what happens or must hold at one time: a step, or an expectation and its path in the file.
type moment struct {
	at     time.Duration
	step   *step
	expect *expectation
	path   string
	atEnd  bool
}

// moments are in the order of their times; what happens at a time comes before what is expected at that time.
func (s *scenario) moments() ([]moment, error) {
	var all []moment
	var last time.Duration
	for i := range s.Timeline {
		at, err := time.ParseDuration(s.Timeline[i].At)
		if err != nil {
			return nil, fmt.Errorf("%s: timeline[%d].at: %w", s.file, i, err)
		}
		last = max(last, at)
		all = append(all, moment{at: at, step: &s.Timeline[i]})
	}
	for i := range s.Expect {
		m := moment{expect: &s.Expect[i], path: fmt.Sprintf("expect[%d]", i), atEnd: s.Expect[i].At == nil}
		if !m.atEnd {
			var err error
			if m.at, err = time.ParseDuration(*s.Expect[i].At); err != nil {
				return nil, fmt.Errorf("%s: %s.at: %w", s.file, m.path, err)
			}
			last = max(last, m.at)
		}
		all = append(all, m)
	}
	for i := range all {
		if all[i].atEnd {
			all[i].at = last
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int {
		rank := func(m moment) int {
			switch {
			case m.atEnd:
				return 2
			case m.expect != nil:
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rank(a), rank(b)))
	})
	return all, nil
}

// podKey is "namespace/name" of a pod that may be named without its namespace.
func podKey(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "default/" + name
}

// unmet says what of the expectation does not hold, a line each, and how many of its parts there are.
func (e *expectation) unmet(path string, pods map[string]pod) (lines []string, count int) {
	say := func(part, name, expected string, found *pod) {
		is := "is not there"
		if found != nil {
			is = found.String()
		}
		lines = append(lines, fmt.Sprintf("%s.%s.%s: expected pod %s %s, but it %s", path, part, name, podKey(name), expected, is))
	}
	find := func(name string) *pod {
		count++
		if p, ok := pods[podKey(name)]; ok {
			return &p
		}
		return nil
	}
	for name, where := range e.Placed {
		var nodes []string
		switch where := where.(type) {
		case string:
			nodes = []string{where}
		case []any:
			for _, one := range where {
				nodes = append(nodes, fmt.Sprint(one))
			}
		}
		p := find(name)
		if p == nil || p.node == "" || len(nodes) > 0 && !slices.Contains(nodes, p.node) {
			say("placed", name, "to be on "+cmp.Or(strings.Join(nodes, " or "), "some node"), p)
		}
	}
	for name, message := range e.Pending {
		p := find(name)
		if p == nil || p.node != "" || message != nil && p.message != *message {
			expected := "to be pending"
			if message != nil {
				expected += fmt.Sprintf(" because %q", *message)
			}
			say("pending", name, expected, p)
		}
	}
	for _, name := range e.Gone {
		if p := find(name); p != nil {
			say("gone", name, "to be gone", p)
		}
	}
	slices.Sort(lines)
	return lines, count
}
