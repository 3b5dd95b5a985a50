// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const known = `# What changes nothing.

a.h full
- if (a < b && b != 3) return 1;
+ if (a <= b && b != 3) return 1;
  they are never
  the same

b.h sum
- total += a;
+ ;
  nobody reads it
`

func TestWhatChangesNothingIsReadWithItsReason(t *testing.T) {
	list, err := equivalents(write(t, "known.txt", known))
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %d entries", err, len(list))
	}
	if e := list[0]; e.source != "a.h" || e.scope != "full" || e.after != "if (a <= b && b != 3) return 1;" || e.why != "they are never the same" {
		t.Errorf("%+v", e)
	}
	m := mutant{7, "sum", "dropped term", "    total += a;", "    ;"}
	if find(list, "b.h", m) != list[1] || find(list, "a.h", m) != nil {
		t.Error("the entry of a change is another one, or another source's")
	}
	other := m
	other.after = "    total -= a;"
	if find(list, "b.h", other) != nil {
		t.Error("another change of the line is not known")
	}
	m.scope = "difference"
	if find(list, "b.h", m) != nil {
		t.Error("the same change of the same line in another function is not known")
	}
}

func TestAnEntryWithoutAReasonIsRefused(t *testing.T) {
	_, err := equivalents(write(t, "known.txt", "a.h f\n- x = 1;\n+ x = 2;\n"))
	if err == nil || !strings.Contains(err.Error(), "known.txt:1: expected the name of a source") {
		t.Error(err)
	}
}

func TestAnEntryThatIsNoLongerTrueIsNamed(t *testing.T) {
	list, err := equivalents(write(t, "known.txt", known))
	if err != nil {
		t.Fatal(err)
	}
	all := func(string) bool { return true }
	look(list, "a.h", mutants("int full(int a, int b) {\n    if (a < b && b != 3) return 1;\n}\n"))
	if faults := stale(list, all); len(faults) != 1 || !strings.HasSuffix(faults[0], "known.txt:9: b.h has no such change in sum: `;`") {
		t.Error(faults)
	}
	list[0].contradicted = true
	if faults := stale(list, func(source string) bool { return source == "a.h" }); len(faults) != 1 ||
		!strings.HasSuffix(faults[0], "known.txt:3: the change is noticed: `if (a <= b && b != 3) return 1;`") {
		t.Error(faults)
	}
}

func TestOnlyWhatIsKnownToChangeNothingMaySurvive(t *testing.T) {
	var all tally
	known, other := &equivalent{why: "nobody asks"}, &equivalent{why: "nobody asks"}
	for _, one := range []struct {
		verdict string
		known   *equivalent
		said    string
	}{
		{survived, known, "changes nothing: nobody asks"},
		{survived, nil, survived},
		{"caught by judge", nil, "caught by judge"},
		{"caught by judge", other, "caught by judge"},
	} {
		if said := all.count(one.verdict, one.known); said != one.said {
			t.Errorf("%s, expected %s", said, one.said)
		}
	}
	if all.String() != "4 mutants, 2 caught, 1 change nothing, 1 survived" {
		t.Error(all)
	}
	if known.contradicted || !other.contradicted {
		t.Error("a change that is known to change nothing and is caught contradicts it")
	}
}
