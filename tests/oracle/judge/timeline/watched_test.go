// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"slices"
	"testing"
	"time"
)

// What a look ahead leaves open is what Berth alone failed in the first second of a PreBind, after it had done what upstream did.
func TestFailsEarly(t *testing.T) {
	const words = ` Error nominated=- "pod does not exist"`
	minute := []time.Duration{time.Minute}
	u := &upstream{binding: map[string]preBind{
		"a/one":   {time.Now(), minute},
		"a/two":   {time.Now(), minute},
		"a/short": {time.Now(), []time.Duration{time.Second, time.Minute}},
		"a/old":   {time.Now().Add(-time.Second), minute},
	}}
	theirs := &Log{lines: []string{"attempt a/one 1 2/2 on n", "binding a/known" + words}}
	for name, c := range map[string]struct {
		lines, early []string
		begins       bool
	}{
		"of each pod the first": {
			[]string{"attempt a/one 1 2/2 on n", "binding a/known" + words, "binding a/one" + words, "binding a/two" + words, "binding a/one other"},
			[]string{"binding a/one" + words, "binding a/two" + words}, true,
		},
		"what is no failure of such a pod": {
			[]string{"binding a/short" + words, "binding a/old" + words, "binding a/none" + words}, nil, true,
		},
		"after a wrong attempt":      {[]string{"attempt a/one 1 2/2 on m", "binding a/one" + words}, []string{"binding a/one" + words}, false},
		"after another failure":      {[]string{"binding a/old" + words, "binding a/one" + words}, []string{"binding a/one" + words}, false},
		"after a pod woken alone":    {[]string{"in a/two active NodeAdd", "binding a/one" + words}, []string{"binding a/one" + words}, false},
		"after one that it woke":     {[]string{"in a/two active AssignedPodDelete", "binding a/one" + words}, []string{"binding a/one" + words}, true},
		"after one attempt too many": {[]string{"attempt a/one 1 2/2 on n", "attempt a/two 1 2/2 on n", "binding a/one" + words}, []string{"binding a/one" + words}, false},
	} {
		var lines []string
		begins := true
		early := u.failsEarly(theirs, &Log{lines: c.lines})
		for _, f := range early {
			lines = append(lines, f.line)
		}
		if len(early) > 0 {
			begins = beginsAs(c.lines[:early[0].at], theirs, []string{"verdicts", "attempt", "binding"})
		}
		if !slices.Equal(lines, c.early) || begins != c.begins {
			t.Errorf("%s: got %q and %v", name, lines, begins)
		}
	}
}
