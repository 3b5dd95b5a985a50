// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
)

// TestNothingEscapes spoils right logs in ways that the judge once let pass.
func TestNothingEscapes(t *testing.T) {
	for _, escape := range []struct {
		name  string
		theme string
		field string // of the difference that is to be found
		spoil func(lines []logLine) ([]logLine, bool)
	}{
		{"a binding that fails for no reason", aboutBindings, "message", failBinding},
		{"a binding that fails with other words", aboutBindings, "message", onBindingFailure(func(d *decision) { d.Message += " yet" })},
		{"a binding that fails too early", aboutClaims, "message", failWaiting},
		{"a pod that is bound although PreBind has failed", aboutBindings, "binding", bindFailed},
		{"a pod that is neither bound nor heard of again", aboutBindings, "binding", leftOut("Bound")},
		{"another volume", aboutBindings, "write of PersistentVolume", otherVolume},
		{"a volume for another claim", aboutBindings, "write of PersistentVolume", onWrite("PersistentVolume", func(o map[string]any) bool {
			ref, _ := at(o, "spec", "claimRef")
			ref["uid"] = "another"
			return true
		})},
		{"a volume that is not said to be chosen by a controller", aboutBindings, "write of PersistentVolume", onWrite("PersistentVolume", func(o map[string]any) bool {
			_, parent := at(o, "metadata", "annotations")
			had := parent["annotations"] != nil
			delete(parent, "annotations")
			return had
		})},
		{"a volume made on another node", aboutBindings, "write of PersistentVolumeClaim", onWrite("PersistentVolumeClaim", func(o map[string]any) bool {
			annotations, _ := at(o, "metadata", "annotations")
			if annotations["volume.kubernetes.io/selected-node"] == nil || annotations["pv.kubernetes.io/bind-completed"] != nil {
				return false
			}
			annotations["volume.kubernetes.io/selected-node"] = "elsewhere"
			return true
		})},
		{"a write that is missing", aboutBindings, "binding", leftOut("Modified PersistentVolume")},
		{"a claim reserved for another pod", aboutClaims, "write of ResourceClaim", onWrite("ResourceClaim", func(o map[string]any) bool {
			_, status := at(o, "status", "reservedFor")
			users, reserved := status["reservedFor"].([]any)
			if !reserved {
				return false
			}
			users[len(users)-1].(map[string]any)["name"] = "another"
			return true
		})},
		{"a claim reserved for one more pod", aboutClaims, "write", reservedAgain},
		{"another device", aboutClaims, "write of ResourceClaim", onWrite("ResourceClaim", func(o map[string]any) bool {
			_, devices := at(o, "status", "allocation", "devices", "results")
			results, _ := devices["results"].([]any)
			if len(results) == 0 || o["metadata"].(map[string]any)["generateName"] == nil {
				return false
			}
			results[0].(map[string]any)["device"] = "another"
			return true
		})},
		{"a claim for extended resources that requests more", aboutClaims, "write of ResourceClaim", onEvent("Added ResourceClaim", func(o map[string]any) bool {
			_, devices := at(o, "spec", "devices", "requests")
			devices["requests"].([]any)[0].(map[string]any)["exactly"].(map[string]any)["count"] = 5
			return true
		})},
		{"a claim for extended resources that nobody makes", aboutClaims, "write", madeAgain},
		{"a claim for extended resources that is not made", aboutClaims, "write of ResourceClaim", leftOut("Added ResourceClaim")},
		{"a pod that is told of another request", aboutClaims, "extendedResourceClaimStatus", onEvent("Modified Pod", func(o map[string]any) bool {
			_, status := at(o, "status", "extendedResourceClaimStatus")
			told, ok := status["extendedResourceClaimStatus"].(map[string]any)
			if !ok {
				return false
			}
			told["requestMappings"].([]any)[0].(map[string]any)["requestName"] = "another"
			return true
		})},
		{"a pod held by a preemption that is over", aboutBudgets, "result", heldAgain},
		{"a pod that is tried while its victims are there", aboutBudgets, "result", triedAtOnce},
		{"a gate in the words of another", "", "message", onGate(func(d *decision) { d.Message = "Scheduling is blocked due to non-empty scheduling gates" })},
		{"a gate without its plugin", "", "rejectedBy", onGate(func(d *decision) { d.RejectedBy = nil })},
		{"a gate without its phase", "", "phase", onGate(func(d *decision) { d.Phase = "" })},
		{"a gate with a reason", "", "reason", onGate(func(d *decision) { d.Reason = v1.PodReasonSchedulingGated })},
	} {
		t.Run(escape.name, func(t *testing.T) { found(t, escape.theme, escape.field, escape.spoil) })
	}
}

// found spoils the logs of three cases; a difference of that field has to be found in each.
func found(t *testing.T, theme, field string, spoil func(lines []logLine) ([]logLine, bool)) {
	t.Helper()
	onlyTheme = theme
	defer func() { onlyTheme = "" }()
	applied := 0
	for i := 0; i < testCases && applied < 3; i++ {
		c := caseOf(t, i)
		lines, ok := spoil(through(t, emit(c)))
		if !ok {
			continue
		}
		applied++
		for i := range lines {
			lines[i].Seq = int64(i + 1)
			if d := lines[i].Decision; d != nil {
				d.Seq = lines[i].Seq
			}
		}
		if found := judgeCase(t, c, lines, coverage{}); !slices.ContainsFunc(found, func(d difference) bool { return strings.HasPrefix(d.Field, field) }) {
			t.Errorf("%s: no difference of %q among %v", c.name, field, found)
		}
	}
	if applied == 0 {
		t.Error("no case has anything to spoil")
	}
}

// at is the member of an object below these keys, and the object that holds it.
func at(object map[string]any, keys ...string) (member, parent map[string]any) {
	member = object
	for _, key := range keys {
		parent = member
		member, _ = parent[key].(map[string]any)
	}
	return member, parent
}

func isEvent(line logLine, what string) bool {
	return line.Event != nil && (line.Event.Type == what || line.Event.Type+" "+line.Event.Kind == what)
}

// isBindingFailure tells whether a binding has failed here, whose pod has got a node before.
func isBindingFailure(line logLine) bool {
	return line.Decision != nil && line.Decision.Phase == "PreBind"
}

func failBinding(lines []logLine) ([]logLine, bool) {
	i := slices.IndexFunc(lines, func(l logLine) bool { return isEvent(l, "Bound") })
	if i < 0 {
		return lines, false
	}
	pod := objectRef{Namespace: lines[i].Event.Namespace, Name: lines[i].Event.Name}
	lines[i].Event.Type = "BindFailed"
	failure := logLine{Decision: &decision{Pod: pod, Attempt: 1, Time: "2026-01-01T00:00:00Z", Result: "Error", Phase: "PreBind",
		Reason: v1.PodReasonSchedulerError, Message: `running PreBind plugin "VolumeBinding": binding volumes: something`}}
	for _, line := range lines {
		if d := line.Decision; d != nil && d.Pod.key() == pod.key() {
			failure.Decision.Profile, failure.Decision.Pod.UID = d.Profile, d.Pod.UID
		}
	}
	return slices.Insert(lines, i+1, failure), true
}

func onBindingFailure(change func(d *decision)) func(lines []logLine) ([]logLine, bool) {
	return func(lines []logLine) ([]logLine, bool) {
		i := slices.IndexFunc(lines, isBindingFailure)
		if i >= 0 {
			change(lines[i].Decision)
		}
		return lines, i >= 0
	}
}

// failWaiting lets a plugin give up before its time.
func failWaiting(lines []logLine) ([]logLine, bool) {
	for _, line := range lines {
		if isBindingFailure(line) && line.Decision.Time != "2026-01-01T00:00:00Z" {
			line.Decision.Time = "2026-01-01T00:00:00.5Z"
			return lines, true
		}
	}
	return lines, false
}

func bindFailed(lines []logLine) ([]logLine, bool) {
	i := slices.IndexFunc(lines, isBindingFailure)
	if i < 0 {
		return lines, false
	}
	lines[i-1].Event.Type = "Bound"
	return slices.Delete(lines, i, i+1), true
}

func leftOut(what string) func(lines []logLine) ([]logLine, bool) {
	return func(lines []logLine) ([]logLine, bool) {
		i := slices.IndexFunc(lines, func(l logLine) bool { return isEvent(l, what) })
		if i < 0 {
			return lines, false
		}
		return slices.Delete(lines, i, i+1), true
	}
}

// reservedAgain lets a claim be reserved once more, for a pod that nobody has given a node.
func reservedAgain(lines []logLine) ([]logLine, bool) {
	i := slices.IndexFunc(lines, func(l logLine) bool { return isEvent(l, "Modified ResourceClaim") })
	if i < 0 {
		return lines, false
	}
	again := *lines[i].Event
	var o map[string]any
	if json.Unmarshal(again.Object, &o) != nil {
		return lines, false
	}
	_, status := at(o, "status", "reservedFor")
	users, _ := status["reservedFor"].([]any)
	status["reservedFor"] = append(users, map[string]any{"resource": "pods", "name": "another", "uid": "another"})
	again.Object, _ = json.Marshal(o)
	return slices.Insert(lines, i+1, logLine{Event: &again}), true
}

// madeAgain makes a claim for extended resources twice.
func madeAgain(lines []logLine) ([]logLine, bool) {
	i := slices.IndexFunc(lines, func(l logLine) bool { return isEvent(l, "Added ResourceClaim") })
	if i < 0 {
		return lines, false
	}
	again := *lines[i].Event
	return slices.Insert(lines, i+1, logLine{Event: &again}), true
}

// onWrite changes what a plugin has written to an object of that kind.
func onWrite(kind string, change func(o map[string]any) bool) func(lines []logLine) ([]logLine, bool) {
	return onEvent("Modified "+kind, change)
}

// onEvent changes the object of the first such event that it can change.
func onEvent(event string, change func(o map[string]any) bool) func(lines []logLine) ([]logLine, bool) {
	return func(lines []logLine) ([]logLine, bool) {
		for _, line := range lines {
			if !isEvent(line, event) || strings.HasPrefix(line.Event.Name, "made-for-") {
				continue
			}
			var o map[string]any
			if json.Unmarshal(line.Event.Object, &o) == nil && change(o) {
				line.Event.Object, _ = json.Marshal(o)
				return lines, true
			}
		}
		return lines, false
	}
}

// otherVolume writes to a volume of another name what was written to the chosen one.
func otherVolume(lines []logLine) ([]logLine, bool) {
	for _, line := range lines {
		if isEvent(line, "Modified PersistentVolume") && strings.HasPrefix(line.Event.Name, "free-") {
			text := []byte(`"name":"` + line.Event.Name + `"`)
			line.Event.Object = bytes.Replace(line.Event.Object, text, []byte(`"name":"another"`), 1)
			line.Event.Name = "another"
			return lines, true
		}
	}
	return lines, false
}

// heldAgain holds a pod back once more, long after its victims have gone.
func heldAgain(lines []logLine) ([]logLine, bool) {
	for i, line := range lines {
		if d := line.Decision; d != nil && d.NominatedNode != "" && i+1 < len(lines) && isEvent(lines[i+1], "Modified Pod") {
			return append(lines, held(d)), true
		}
	}
	return lines, false
}

func held(d *decision) logLine {
	return logLine{Decision: &decision{Pod: d.Pod, Profile: d.Profile, Time: d.Time, Result: "Gated", Phase: "PreEnqueue",
		Message: "waiting for the preemption for this pod to be finished", RejectedBy: []string{"DefaultPreemption"}}}
}

// triedAtOnce tries a pod again between its decision and the eviction of its victims.
func triedAtOnce(lines []logLine) ([]logLine, bool) {
	for i, line := range lines {
		if d := line.Decision; d != nil && d.NominatedNode != "" && i+1 < len(lines) && isEvent(lines[i+1], "Modified Pod") {
			again := *d
			again.Attempt++
			return slices.Insert(lines, i+1, logLine{Decision: &again}), true
		}
	}
	return lines, false
}

func onGate(change func(d *decision)) func(lines []logLine) ([]logLine, bool) {
	return func(lines []logLine) ([]logLine, bool) {
		for _, line := range lines {
			if line.Decision != nil && line.Decision.Result == "Gated" {
				change(line.Decision)
				return lines, true
			}
		}
		return lines, false
	}
}

// TestAPodIsHeldWhileItsVictimsGo makes sure that a right log may say so.
func TestAPodIsHeldWhileItsVictimsGo(t *testing.T) {
	onlyTheme = aboutBudgets
	defer func() { onlyTheme = "" }()
	applied := 0
	for i := 0; i < testCases && applied < 3; i++ {
		c := caseOf(t, i)
		lines := through(t, emit(c))
		at := slices.IndexFunc(lines, func(l logLine) bool { return l.Decision != nil && l.Decision.NominatedNode != "" })
		if at < 0 || at+1 == len(lines) || !isEvent(lines[at+1], "Modified Pod") {
			continue
		}
		applied++
		lines = slices.Insert(lines, at+1, held(lines[at].Decision))
		for i := range lines {
			lines[i].Seq = int64(i)
		}
		for _, d := range judgeCase(t, c, lines, coverage{}) {
			t.Error(d)
		}
	}
	if applied == 0 {
		t.Error("nobody is preempted")
	}
}

// TestAVisitThatGoesOnIsFound has right logs with visits that end early, and looks at one node too many in one of them.
func TestAVisitThatGoesOnIsFound(t *testing.T) {
	onlyTheme = aboutFewPlugins
	defer func() { onlyTheme = "" }()
	applied := 0
	for i := 0; i < testCases && applied < 3; i++ {
		if goesOn(t, caseOf(t, i), "cut short") {
			applied++
		}
	}
	if applied == 0 {
		t.Error("no visit ends early")
	}
	narrow := &testCase{name: "narrowed", conf: []byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {disabled: [{name: "*"}]}, queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]},
    preFilter: {enabled: [{name: NodeAffinity}]}, filter: {enabled: [{name: NodeAffinity}]}}
`), cluster: []byte(`items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- {apiVersion: v1, kind: Node, metadata: {name: b}}
- {apiVersion: v1, kind: Node, metadata: {name: c}}
- {apiVersion: v1, kind: Node, metadata: {name: d}}
- apiVersion: v1
  kind: Pod
  metadata: {name: p, namespace: default, uid: p}
  spec:
    containers: [{name: c, image: i}]
    affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchFields: [{key: metadata.name, operator: In, values: [a]}]}, {matchFields: [{key: metadata.name, operator: In, values: [b]}]},
      {matchFields: [{key: metadata.name, operator: In, values: [d]}]}]}}}
`)}
	if !goesOn(t, narrow, "narrowed and cut short") {
		t.Error("the visit of the named nodes does not end early")
	}
}

// goesOn judges a case, right and with a visit that goes on, if there is one that ends early in that way.
func goesOn(t *testing.T, c *testCase, kind string) bool {
	t.Helper()
	cov := coverage{}
	for _, d := range judgeCase(t, c, through(t, emit(c)), cov) {
		t.Error(d)
	}
	if cov[reach{"", "visit", kind}] == 0 {
		return false
	}
	goOn, wentOn = true, false
	lines := through(t, emit(c))
	goOn = false
	if wentOn && len(judgeCase(t, c, lines, coverage{})) == 0 {
		t.Errorf("%s: not found", c.name)
	}
	return wentOn
}

func TestARunThatDiffersIsFound(t *testing.T) {
	if _, o := playUntil(t, "shortcut"); len(o.differences) == 0 || o.differences[0].Field != "run without tables and checks" {
		t.Errorf("%v %v", o.trouble, o.differences)
	}
	one := []logLine{{Decision: &decision{Pod: objectRef{Name: "a"}, Node: "n"}}}
	for _, other := range [][]logLine{{}, {one[0], one[0]}, {{Decision: &decision{Pod: objectRef{Name: "a"}, Node: "m"}}}} {
		if len(compareRuns("", one, other)) != 1 || len(compareRuns("", one, one)) != 0 {
			t.Errorf("%v is taken for %v", other, one)
		}
	}
}
