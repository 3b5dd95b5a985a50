// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
)

func TestTheSameSeedMakesTheSameScript(t *testing.T) {
	for i := range 20 {
		a, first, err := newScript(3, i)
		if err != nil {
			t.Fatal(err)
		}
		b, second, err := newScript(3, i)
		if err != nil {
			t.Fatal(err)
		}
		one, _ := a.text()
		two, _ := b.text()
		if string(one) != string(two) || !slices.Equal(first.lines, second.lines) {
			t.Fatalf("script %d is made in two ways", i)
		}
	}
}

// A stored script must do what it did when it was made.
func TestAScriptPlaysTheSameFromItsText(t *testing.T) {
	for i := range 50 {
		s, made, err := newScript(5, i)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.text()
		if err != nil {
			t.Fatal(err)
		}
		again := &script{}
		if err := json.Unmarshal(text, again); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		played, err := playUpstream(again)
		if err != nil {
			t.Fatal(err)
		}
		if d := firstDifference(made.lines, played.lines); d != nil {
			t.Fatalf("script %d: %s", i, d)
		}
	}
}

// The bits of actions are others in each release, their names are not.
func TestActionsAreWrittenByName(t *testing.T) {
	for set, want := range map[actions]string{
		actions(fwk.All):                                    `["All"]`,
		actions(fwk.Update):                                 `["Update"]`,
		actions(fwk.Add | fwk.Update):                       `["Update","Add"]`,
		actions(fwk.UpdateNodeTaint | fwk.UpdatePodLabel):   `["UpdateNodeTaint","UpdatePodLabel"]`,
		actions(fwk.Delete | fwk.UpdateNodeDeclaredFeature): `["Delete","UpdateNodeDeclaredFeature"]`,
	} {
		text, err := json.Marshal(set)
		if err != nil || string(text) != want {
			t.Errorf("%d: %s, %v", set, text, err)
		}
		var read actions
		if err := json.Unmarshal([]byte(want), &read); err != nil || read != set {
			t.Errorf("%s: %d, %v", want, read, err)
		}
	}
	var read actions
	if err := json.Unmarshal([]byte(`["Repaint"]`), &read); err == nil {
		t.Error("no action is called Repaint")
	}
}

// Whatever line of a transcript is wrong, missing or too many, it is found.
func TestEverySpoiltLineIsFound(t *testing.T) {
	_, real, err := newScript(7, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := firstDifference(real.lines, real.lines); d != nil {
		t.Fatalf("a difference from itself: %s", d)
	}
	for i := range real.lines {
		spoilt := slices.Clone(real.lines)
		spoilt[i] = strings.TrimSpace(spoilt[i]) + "x"
		missing := slices.Delete(slices.Clone(real.lines), i, i+1)
		doubled := slices.Insert(slices.Clone(real.lines), i, real.lines[i])
		for _, lines := range [][]string{spoilt, missing, doubled} {
			if firstDifference(real.lines, lines) == nil {
				t.Fatalf("line %d may be anything: %s", i, real.lines[i])
			}
		}
	}
}
