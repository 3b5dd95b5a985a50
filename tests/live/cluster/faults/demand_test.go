// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatIsDemandedIsReported(t *testing.T) {
	demanded := demands{}
	for _, text := range []string{"each request fault=3", "watch cut in an event=2", "pods created a second=50"} {
		if err := demanded.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	counts := map[kind]float64{created: 50.4, watchCut: 1}
	for of, faults := range suffers {
		for one := range faults {
			if of != watching && one != refuse504 {
				counts[one] = 3
			}
		}
	}
	text, missing := report(counts, demanded)
	if len(missing) != 2 || !strings.HasPrefix(missing[0], "504 instead: 0") || !strings.HasPrefix(missing[1], "watch cut in an event: 1") {
		t.Errorf("missing: %q", missing)
	}
	for _, line := range []string{"  504 instead  ", "  leader killed  ", "3 (at least 3)\n", "50 (at least 50)\n", "  watch goes silent  "} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	for _, text := range []string{"nonsense=1", "late", "late=", "leader killed=many"} {
		if demanded.Set(text) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestWhoLeads(t *testing.T) {
	instance := func(began int64, log string) *scheduler {
		file, err := os.Create(filepath.Join(t.TempDir(), "log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		if _, err := file.WriteString(log); err != nil {
			t.Fatal(err)
		}
		return &scheduler{log: file, began: began}
	}
	const early = "I1122 07:34:12.101417    8404 election.cpp:51] \"Successfully acquired lease\" lock=\"kube-system/kube-scheduler\"\n"
	const late = "I1122 07:35:12.101417    8404 leaderelection.go:271] \"successfully acquired lease\" lock=\"kube-system/kube-scheduler\"\n"
	waits := instance(0, "I1122 07:34:11.000000 8 election.cpp:31] \"Attempting to acquire leader lease...\"\n")
	old, fresh, dead := instance(0, early), instance(0, "one line\n"+late), instance(int64(len(late)), late)
	for what, one := range map[string]struct {
		all  []*scheduler
		want *scheduler
	}{
		"nobody":                     {[]*scheduler{waits, dead}, nil},
		"the one":                    {[]*scheduler{waits, old}, old},
		"who has it since":           {[]*scheduler{old, waits, fresh}, fresh},
		"not who led before it died": {[]*scheduler{dead, old}, old},
	} {
		if got := (&bench{schedulers: one.all}).leader(); got != one.want {
			t.Errorf("%s: another leads", what)
		}
	}
	b := &bench{schedulers: []*scheduler{waits, old}}
	for turn, want := range []*scheduler{old, old, old, waits, old} {
		if one, leads := b.victim(turn); one != want || leads != (want == old) {
			t.Errorf("turn %d: another is chosen", turn)
		}
	}
}

func TestSoManyASecond(t *testing.T) {
	l := newLoad(api{server: "127.0.0.1:1", client: nil}, 1)
	l.turns = nil // nothing is ever asked: it is never its turn
	begin := time.Now()
	if err := l.churn(200, 50, begin.Add(500*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if left := len(l.living); l.made < 90 || l.made > 110 || l.made-left < 20 || l.made-left > 30 {
		t.Errorf("%d created and %d deleted in half a second", l.made, l.made-left)
	}
}
