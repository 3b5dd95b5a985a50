// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

const ours = "default-scheduler"

// tale makes up histories: one version for each event.
type tale struct {
	changes []change
	bounds  []bound
}

func (t *tale) tell(c change) *tale {
	c.version = uint64(len(t.changes) + 1)
	t.changes = append(t.changes, c)
	return t
}
func (t *tale) node(name string, cpu int64) *tale {
	return t.tell(change{node: &node{name, amount{cpu, 1 << 30, 10}, true}})
}
func (t *tale) pod(uid, node string, cpu int64) *tale {
	return t.tell(change{pod: &pod{uid: uid, name: "default/" + uid, node: node, scheduler: ours, asks: amount{cpu, 0, 1}}})
}
func (t *tale) last(how func(*pod)) *tale {
	how(t.changes[len(t.changes)-1].pod)
	return t
}
func (t *tale) gone(uid, node string, cpu int64) *tale {
	t.pod(uid, node, cpu)
	t.changes[len(t.changes)-1].gone = true
	return t
}
func (t *tale) bound(uid, node string) *tale {
	t.bounds = append(t.bounds, bound{uid, node})
	return t
}

// finds holds the judgement against a part of each violation that there must be.
func (t *tale) finds(test *testing.T, parts ...string) {
	test.Helper()
	wrong := check(t.changes, t.bounds, ours)
	if len(wrong) != len(parts) {
		test.Fatalf("%d violations expected, found %q", len(parts), wrong)
	}
	for i, part := range parts {
		if !strings.Contains(wrong[i], part) {
			test.Errorf("expected %q in %q", part, wrong[i])
		}
	}
}

func TestNothingWrong(t *testing.T) {
	new(tale).node("a", 1000).pod("p", "", 600).pod("p", "a", 600).bound("p", "a").
		pod("q", "", 600).gone("p", "a", 600).pod("q", "a", 600).bound("q", "a").finds(t)
}

func TestMoved(t *testing.T) {
	new(tale).node("a", 1000).node("b", 1000).pod("p", "a", 1).pod("p", "b", 1).finds(t, `moved from node "a" to "b"`)
	new(tale).node("a", 1000).pod("p", "a", 1).pod("p", "", 1).last(func(p *pod) { p.leaving = true }).
		finds(t, `moved from node "a" to ""`)
}

func TestBoundTwice(t *testing.T) {
	new(tale).node("a", 1000).pod("p", "a", 1).bound("p", "a").bound("p", "a").finds(t, "was bound twice")
	new(tale).node("a", 1000).bound("p", "a").bound("p", "b").finds(t, "to node a and to node b")
	new(tale).node("a", 1000).node("b", 1000).pod("p", "a", 1).bound("p", "b").finds(t, `to node b and is on node "a"`)
}

func TestOverAllocatable(t *testing.T) {
	over := "node a is over its allocatable with pod default/q"
	new(tale).node("a", 1000).pod("p", "a", 600).pod("q", "a", 600).finds(t, over)
	// Though it ends well.
	new(tale).node("a", 1000).pod("p", "a", 600).pod("q", "a", 600).gone("p", "a", 600).finds(t, over)
	new(tale).node("a", 1000).pod("p", "a", 600).pod("q", "", 600).pod("q", "a", 600).gone("q", "a", 600).finds(t, over)
	// One that leaves is still there; one that has finished is not.
	new(tale).node("a", 1000).pod("p", "a", 600).last(func(p *pod) { p.leaving = true }).pod("q", "a", 600).finds(t, over)
	new(tale).node("a", 1000).pod("p", "a", 600).pod("p", "a", 600).last(func(p *pod) { p.finished = true }).
		pod("q", "a", 600).finds(t)
	many := new(tale).node("a", 1000)
	for _, uid := range strings.Split("abcdefghijq", "") {
		many.pod(uid, "a", 1)
	}
	many.finds(t, over)
}

func TestOrderIsThatOfVersions(t *testing.T) {
	shuffled := new(tale).node("a", 1000).pod("p", "a", 600).gone("p", "a", 600).pod("q", "a", 600)
	c := shuffled.changes
	c[0], c[1], c[2], c[3] = c[3], c[2], c[0], c[1]
	shuffled.finds(t)
}

func TestForgotten(t *testing.T) {
	waits := "pod default/p (cpu 600m, memory 0, pods 1) waits though node a has room"
	new(tale).node("a", 1000).pod("p", "", 600).finds(t, waits)
	new(tale).node("a", 1000).pod("q", "a", 600).pod("p", "", 600).gone("q", "a", 600).finds(t, waits)
	new(tale).node("a", 1000).pod("q", "a", 600).pod("p", "", 600).finds(t)
	new(tale).node("a", 1000).pod("p", "", 600).last(func(p *pod) { p.leaving = true }).finds(t)
	new(tale).node("a", 1000).pod("p", "", 600).last(func(p *pod) { p.scheduler = "other" }).finds(t)
	closed := new(tale).node("a", 1000).pod("p", "", 600)
	closed.changes[0].node.open = false
	closed.finds(t)
}

func TestRoom(t *testing.T) {
	w, _ := replay(new(tale).node("a", 1000).node("b", 350).pod("p", "a", 250).changes)
	if room := w.room(amount{cpu: 100, pods: 1}); room != 10 {
		t.Errorf("room for %d pods, expected 10", room)
	}
}

func TestWhatEtcdSaysIsRead(t *testing.T) {
	h := &history{}
	say := func(kind, text string) error { return h.read(kind, json.NewDecoder(strings.NewReader(text))) }
	event := func(what, key, version, value string) string {
		in := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
		return `{"result":{"events":[{` + what + `"kv":{"key":"` + in(key) + `","mod_revision":"` + version + `","value":"` + in(value) + `"}}]}}`
	}
	put := `{"metadata":{"namespace":"n","name":"p","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"},
		"spec":{"nodeName":"a","schedulerName":"s","containers":[{"resources":{"requests":{"cpu":"1500m","memory":"1Ki"}}},
		{"resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Succeeded"}}`
	err := say(podKind, `{"result":{"created":true}}`+event("", "/registry/pods/n/p", "7", put)+
		event(`"type":"DELETE",`, "/registry/pods/n/p", "9", ""))
	want := pod{"u", "n/p", "a", "s", true, true, amount{2500, 1024, 1}}
	if !errors.Is(err, io.EOF) || len(h.changes) != 2 || *h.changes[0].pod != want || *h.changes[1].pod != want ||
		h.changes[0].gone || !h.changes[1].gone || h.changes[0].version != 7 || h.changes[1].version != 9 {
		t.Errorf("%+v %v", h.changes, err)
	}
	h.changes = nil
	err = say(nodeKind, event("", "/registry/nodes/a", "8", `{"metadata":{"name":"a"},"spec":{"taints":[{"key":"k"}]},
		"status":{"allocatable":{"cpu":"2","memory":"1Ki","pods":"110"}}}`))
	if !errors.Is(err, io.EOF) || *h.changes[0].node != (node{"a", amount{2000, 1024, 110}, false}) {
		t.Errorf("%+v %v", h.changes, err)
	}
	for _, broken := range []string{`{"result":{"canceled":true,"cancel_reason":"compacted"}}`, event("", "k", "8", "k8s\x00"), "{"} {
		if err := say(podKind, broken); err == nil || errors.Is(err, io.EOF) && broken != "{" {
			t.Errorf("%q is taken: %v", broken, err)
		}
	}
}
