// SPDX-License-Identifier: Apache-2.0

// Package timeline plays what happens in a cluster into kube-scheduler's whole scheduler and into Berth's, and compares what they
// make of it.
package timeline

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Script is one timeline.
type Script struct {
	Name   string
	Phase  time.Duration // of the second in which it begins
	Checks string        // how closely Berth watches its plugins: strict or basic
	Detail string        // how much Berth records: nodes or summary
	// NewsFirst: what a request about a pod changes is told of before the request is answered, not after that.
	NewsFirst bool   `json:",omitempty"`
	Config    string // YAML
	Steps     []Step
}

// Step is one thing that happens in the cluster.
type Step struct {
	After time.Duration `json:",omitempty"` // the end of the step before
	// With: at the same time as the step before, but for a moment. The scheduler is busy until the last of those that come together.
	With bool `json:",omitempty"`
	// Early: a pod whose volumes are being bound goes on at that moment. Upstream looks once a second: its plugins hear of it a
	// nanosecond before they look, and Berth's hear all of it at once.
	Early bool   `json:",omitempty"`
	Do    string // create, merge, delete, remove, fail, wait
	Kind  string `json:",omitempty"`
	Key   string `json:",omitempty"`
	// Object is the object that is created, the merge patch, or the fault.
	Object json.RawMessage `json:",omitempty"`
	Also   []Step          `json:",omitempty"` // at the same moment
}

// start is when timelines begin: after what the objects say of themselves.
var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// happen does what a step says in the world of one scheduler. What cannot be done is passed over: a shrunk script lacks objects.
func (s *server) happen(step Step) {
	k := kindByName(step.Kind)
	switch step.Do {
	case "create":
		_ = s.create(k, step.Object)
	case "merge":
		_ = s.merge(k, step.Key, step.Object)
	case "delete":
		s.delete(k, step.Key, nil)
	case "remove":
		s.remove(k, step.Key)
	case "fail":
		var f fault
		if json.Unmarshal(step.Object, &f) == nil {
			s.faults = append(s.faults, &f)
		}
	}
	for _, also := range step.Also {
		s.happen(also)
	}
}

// Case is a configuration and how to go on with it: the next step, given the world as upstream sees it. Nothing more happens when
// it answers false.
type Case struct {
	Script *Script
	Setup
	Next func(View) (Step, bool)
}

// Setup is the configuration of a script as both are started with it.
type Setup struct {
	Text      string // with the address at which Berth finds the extenders
	Config    *config.KubeSchedulerConfiguration
	Extenders http.Handler // the same for upstream
}

// Replay plays the steps of a script.
func Replay(s *Script, setup Setup) *Case {
	at := 0
	steps := s.Steps
	copied := *s
	copied.Steps = nil
	return &Case{&copied, setup, func(View) (Step, bool) {
		if at == len(steps) {
			return Step{}, false
		}
		at++
		return steps[at-1], true
	}}
}

// View is what who makes a timeline sees of upstream's world.
type View struct{ of *upstream }

// List gives the objects of a kind, as JSON would have them.
func (v View) List(name string) []Object {
	var out []Object
	for _, o := range v.of.server.list(kindByName(name)) {
		out = append(out, o)
	}
	return out
}

// Binding gives the pods that are in PreBind, each with the moment at which that began.
func (v View) Binding() map[string]time.Time {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	since := map[string]time.Time{}
	for key, p := range v.of.binding {
		since[key] = p.since
	}
	return since
}

// AllLook tells whether upstream looks at all of them at a time.
func (v View) AllLook(at time.Time) bool {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	return v.of.allLook(at)
}

// Now is the time.
func (v View) Now() time.Time { return time.Now() }

// Object is one of the API.
type Object = object

func compact(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	_ = json.Compact(&out, text)
	return out.Bytes()
}

// offSeconds puts off what would come just before a second is full, by the clock or since the start: queues look for what is due then,
// and the microseconds that attempts and other steps take here would reach into that moment, for one of the two before the other.
func (s *Script) offSeconds(t time.Time) time.Time {
	for _, full := range []time.Time{start, start.Add(s.Phase)} {
		if left := time.Second - t.Sub(full)%time.Second; left < time.Millisecond {
			t = t.Add(2 * time.Millisecond)
		}
	}
	return t
}
