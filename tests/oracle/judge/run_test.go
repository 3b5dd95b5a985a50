// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test program stand in for berth: with ORACLE_FAKE_BERTH set it answers
// `simulate` with the emitter's log, spoiled as the variable says.
//
// With ORACLE_DEFAULTS set, that file says which plugins Berth has: plugins that are still to come are tested so.
func TestMain(m *testing.M) {
	if file := os.Getenv("ORACLE_DEFAULTS"); file != "" {
		defaultsFile = file
	}
	if mode := os.Getenv("ORACLE_FAKE_BERTH"); mode != "" {
		fakeBerth(mode)
		return
	}
	os.Exit(m.Run())
}

func fakeBerth(mode string) {
	option := func(name string) string { return os.Args[slices.Index(os.Args, name)+1] }
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		return text
	}
	c := &testCase{cluster: read(os.Args[len(os.Args)-1]), conf: read(option("--config"))}
	lines := emit(c)
	for _, line := range lines {
		if mode == "shortcut" && !slices.Contains(os.Args, "--detail") && line.Decision != nil && line.Decision.Node != "" {
			line.Decision.Node += "x"
		}
		for i := 0; line.Decision != nil && i < len(line.Decision.Nodes); i++ {
			node := &line.Decision.Nodes[i]
			switch {
			case mode == "crash" && node.Verdict != nil && node.Verdict.Plugin == "TaintToleration":
				fmt.Fprintln(os.Stderr, "assertion failed: taints")
				os.Exit(134)
			case mode == "wrong" && node.Verdict != nil && node.Verdict.Plugin == "NodePorts":
				node.Verdict.Reasons = []string{"node(s) had no berth"}
			}
		}
	}
	if err := os.WriteFile(option("--decisions"), logText(lines), 0o600); err != nil {
		panic(err)
	}
}

// playUntil plays cases until one fails.
func playUntil(t *testing.T, mode string) (*runner, outcome) {
	t.Helper()
	t.Setenv("ORACLE_FAKE_BERTH", mode)
	r := &runner{berth: os.Args[0], dir: t.TempDir()}
	for i := range 20 {
		if o := r.play(caseOf(t, i)); o.signature() != "" {
			return r, o
		}
	}
	return r, outcome{}
}

func TestARightBerthPasses(t *testing.T) {
	if _, o := playUntil(t, "right"); o.signature() != "" {
		t.Errorf("%v %v", o.trouble, o.differences)
	}
}

func TestAFailingCaseIsShrunkAndKept(t *testing.T) {
	shrinkTime = 5 * time.Minute // on a busy machine
	for mode, want := range map[string]string{"wrong": "node(s) had no berth", "crash": "assertion failed: taints"} {
		t.Run(mode, func(t *testing.T) {
			r, o := playUntil(t, mode)
			if o.signature() == "" {
				t.Fatal("not found")
			}
			kept := t.TempDir()
			keepShrunk(r, o, kept)
			text, err := os.ReadFile(filepath.Join(kept, o.c.name, "differences.txt"))
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%v: %s", err, text)
			}
			cluster, err := os.ReadFile(filepath.Join(kept, o.c.name, o.c.clusterFile()))
			if err != nil {
				t.Fatal(err)
			}
			held, err := loadCluster(cluster)
			if err != nil || len(held.nodes)+len(held.pods)+len(held.others) > 3 {
				t.Errorf("%+v are left of %d objects; two or three are enough: %v", held, len(o.c.items), err)
			}
		})
	}
}

func TestTheTallyCountsWhatFails(t *testing.T) {
	_, o := playUntil(t, "wrong")
	tally := &tally{coverage: coverage{}, signatures: map[string]int{}, printed: 100}
	if !tally.take(o) || tally.take(o) {
		t.Error("only the first case of its kind is new")
	}
	if tally.differences != 2*len(o.differences) || tally.decisions != 2*o.judge.decisions {
		t.Errorf("%d differences, %d decisions", tally.differences, tally.decisions)
	}
}

// TestStoredCasesAreWhatTheyWere makes sure that the cases that stay can be read and played. Those named "…-that-are-refused" hold
// objects that today's API server refuses and that an older one may have stored; emit does not know what becomes of them.
func TestStoredCasesAreWhatTheyWere(t *testing.T) {
	cases, err := storedCases("cases")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, c := range cases {
		meant := strings.HasSuffix(c.name, "-that-are-refused")
		refused := slices.DeleteFunc(slices.Clone(c.items), admissible)
		if meant != (len(refused) > 0) {
			t.Errorf("%s: the API server would not admit %v: %s", c.name, refused, lastRefusal)
		}
		if meant || bytes.Contains(c.conf, []byte(extenderHost)) {
			continue // emit asks no extender.
		}
		j, err := judgeLog(c.name, c.cluster, c.conf, emit(c), coverage{})
		if err != nil || j.decisions == 0 || len(j.differences) > 0 {
			t.Errorf("%s: %v %v", c.name, err, j)
		}
	}
}
