// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const logHead = "I1122 10:00:00.000000  1 cache_debugger.cpp:1] "

// inOneLine is a dump as Berth writes it.
func inOneLine(nodes, queue string) string {
	escaped := func(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }
	return "I earlier\n" + logHead + nodesBegin + ` nodes="` + escaped(nodes) + "\"\n" + logHead + queueBegin + ` summary="activeQ:0" pods="` +
		escaped(queue) + "\"\n"
}

// asGo is one as klog writes what has several lines.
func asGo(nodes, queue string) string {
	indented := func(text string) string { return "<\n\t" + strings.ReplaceAll(text, "\n", "\n\t") + "\n >\n" }
	return logHead + nodesBegin + " nodes=" + indented(nodes) + logHead + queueBegin + ` summary="activeQ:0" pods=` + indented(queue)
}

func podText(uid string) string {
	return "name: some, namespace: default, uid: " + uid + ", phase: Pending, nominated node: \n"
}

func nodeText(name, pods string) string {
	return "Node name: " + name + "\nDeleted: false\nRequested Resources: {}\nAllocatable Resources:{}\nScheduled Pods(number: 1):\n" + pods
}

func TestCachesAreCompared(t *testing.T) {
	tale := (&tale{}).node("n1", 1000).node("n2", 1000).pod("a", "n1", 1).pod("b", "n2", 1).pod("c", "", 1).pod("gone", "n2", 1).
		gone("gone", "n2", 1).pod("theirs", "", 1).last(func(p *pod) { p.scheduler = "other" })
	w, _ := replay(tale.changes)
	same := nodeText("n1", podText("a")+"Nominated Pods(number: 1):\n"+podText("c")) + "\n\n" + nodeText("n2", podText("b"))
	for what, one := range map[string]struct {
		nodes, queue string
		want         []string
	}{
		"the same":             {same, podText("c"), nil},
		"a pod is kept":        {same + podText("gone"), podText("c"), []string{"node n2 has pod gone only in the cache"}},
		"a pod is forgotten":   {nodeText("n1", "") + "\n\n" + nodeText("n2", podText("b")), podText("c"), []string{"node n1 lacks pod a in the cache"}},
		"a node is forgotten":  {nodeText("n1", podText("a")), podText("c"), []string{"node n2 is not in the cache"}},
		"a node is kept":       {same + "\n\n" + nodeText("n3", ""), podText("c"), []string{"node n3 is in the cache and not in the API"}},
		"the queue has lost":   {same, "", []string{"the queue lacks pod c in the cache"}},
		"the queue has kept":   {same, podText("c") + podText("gone"), []string{"the queue has pod gone only in the cache"}},
		"it is on another one": {nodeText("n1", "") + "\n\n" + nodeText("n2", podText("b")+podText("a")), podText("c"), []string{"node n1 lacks pod a in the cache", "node n2 has pod a only in the cache"}},
	} {
		for how, text := range map[string]func(nodes, queue string) string{"Berth": inOneLine, "kube-scheduler": asGo} {
			d, err := readDump(text(one.nodes, one.queue))
			if err != nil {
				t.Fatalf("%s, by %s: %v", what, how, err)
			}
			if wrong := d.differs(w, ours); strings.Join(wrong, "\n") != strings.Join(one.want, "\n") {
				t.Errorf("%s, by %s: %q", what, how, wrong)
			}
		}
	}
	if _, err := readDump(logHead + nodesBegin + " nodes=\"\"\n"); err == nil {
		t.Error("half a dump is taken for a whole one")
	}
}
