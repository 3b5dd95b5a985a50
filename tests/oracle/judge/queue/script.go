// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// script is what happens to a queue, in order, and what the plugins around it say. Both
// queues play it; a step that names a pod which is not where the step needs it does nothing.
type script struct {
	Name     string    `json:"name"`
	Release  string    `json:"release,omitempty"` // the only one whose queue takes it, as in 1.36
	Settings settings  `json:"settings"`
	Plugins  []plugin  `json:"plugins"`
	Profiles []profile `json:"profiles"`
	Answers  []answer  `json:"answers"`
	Steps    []step    `json:"steps"`
}

type settings struct {
	StartNs                    int64 `json:"startNs"`
	InitialBackoffSeconds      int64 `json:"initialBackoffSeconds"`
	MaxBackoffSeconds          int64 `json:"maxBackoffSeconds"`
	LongestUnschedulableSecond int64 `json:"longestUnschedulableSeconds"`
	// SortKey: Berth's QueueSort plugin offers a key to compare, beside its comparison.
	SortKey bool `json:"sortKey"`
	// WholeBackoff: the feature gate SchedulerPopFromBackoffQ is off.
	WholeBackoff bool `json:"wholeBackoff,omitempty"`
}

type plugin struct {
	Name   string     `json:"name"`
	Gate   bool       `json:"gate"` // is a PreEnqueue plugin, too
	Events []interest `json:"events"`
}

type interest struct {
	Resource string  `json:"resource"`
	Actions  actions `json:"actions"`
	Hint     bool    `json:"hint"`
}

// actions is a set of what may become of an object. It is written by name: the bits are others in each release.
type actions fwk.ActionType

func (a actions) MarshalJSON() ([]byte, error) {
	if a == actions(fwk.All) {
		return json.Marshal([]string{fwk.All.String()})
	}
	names := []string{}
	for _, each := range named() {
		if set := actions(each); a&set == set {
			names = append(names, each.String())
			a &^= set
		}
	}
	return json.Marshal(names)
}

func (a *actions) UnmarshalJSON(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return err
	}
	*a = 0
	for _, name := range names {
		all := append(named(), fwk.All)
		at := slices.IndexFunc(all, func(each fwk.ActionType) bool { return each.String() == name })
		if at < 0 {
			return fmt.Errorf("no action is called %q", name)
		}
		*a |= actions(all[at])
	}
	return nil
}

// named gives every action that has a name, those that take in others first; all of them together are not among these.
func named() []fwk.ActionType {
	out := []fwk.ActionType{fwk.Update}
	for bit := fwk.Add; bit < fwk.All; bit <<= 1 {
		out = append(out, bit)
	}
	return out
}

type profile struct {
	Name    string   `json:"name"`
	Plugins []string `json:"plugins"`
}

// answer is what a plugin's hint says about a pod: Skip, Queue, Error, or Odd: Queue if the name
// of the event's object (the new one, else the old one) ends in an odd digit. Queue where there
// is no answer.
type answer struct {
	Plugin string `json:"plugin"`
	Pod    string `json:"pod"`
	Says   string `json:"says"`
}

// step is one thing that happens:
//
//	add, update, delete   the watch says so of Pod, which has no node
//	pop                   the next pod is in flight
//	requeue, done         the attempt of the pod of UID is over: rejected by Unschedulable and Pending
//	                      (nobody: it broke), or it needs no further attempt
//	node, assigned        a node, or a pod with a node, is new (no Old), changed, or gone (no New)
//	event                 something else of kind Resource happened
//	activate              a plugin wants Pods (keys) tried at once
//	gate                  Plugin now holds the pod Key back with Code; no Plugin: nobody does
//	answer                Answer replaces what was said before
//	sleep                 Ns pass
type step struct {
	Do            string   `json:"do"`
	Pod           *v1.Pod  `json:"pod,omitempty"`
	OldPod        *v1.Pod  `json:"oldPod,omitempty"`
	OldNode       *v1.Node `json:"oldNode,omitempty"`
	Node          *v1.Node `json:"node,omitempty"`
	UID           string   `json:"uid,omitempty"`
	Key           string   `json:"key,omitempty"`
	Keys          []string `json:"keys,omitempty"`
	Unschedulable []string `json:"unschedulable,omitempty"`
	Pending       []string `json:"pending,omitempty"`
	Resource      string   `json:"resource,omitempty"`
	Actions       actions  `json:"actions,omitempty"`
	Plugin        string   `json:"plugin,omitempty"`
	Code          int      `json:"code,omitempty"`
	Answer        *answer  `json:"answer,omitempty"`
	Ns            int64    `json:"ns,omitempty"`
}

func (s *script) line() ([]byte, error) {
	text, err := json.Marshal(s)
	return append(text, '\n'), err
}

// text is the script as it is stored: a line for each step.
func (s *script) text() ([]byte, error) {
	head := *s
	head.Steps = nil
	text, err := json.MarshalIndent(head, "", " ")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(text, []byte("null\n}")))
	out.WriteString("[")
	for i, each := range s.Steps {
		line, err := json.Marshal(each)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n  %s", line)
	}
	out.WriteString("\n ]\n}\n")
	return out.Bytes(), nil
}

// storedScripts reads the scripts of a folder, by name.
func storedScripts(dir string) ([]*script, error) {
	if dir == "" {
		return nil, nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var scripts []*script
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		s := &script{}
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s.Name = strings.TrimSuffix(filepath.Base(file), ".json")
		if s.Release == "" || s.Release == release.Minor {
			scripts = append(scripts, s)
		}
	}
	return scripts, nil
}

func keyOf(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
