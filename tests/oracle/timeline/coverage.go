// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Coverage counts what timelines brought about.
type Coverage map[string]int

func (c Coverage) add(what string) { c[what]++ }

// Add adds what another one counted.
func (c Coverage) Add(other Coverage) {
	for what, n := range other {
		c[what] += n
	}
}

// Rare lists the answers of hints that were given fewer than `enough` times, and counts the others.
func (c Coverage) Rare(enough int) (rare []string, others int) {
	for _, what := range slices.Sorted(maps.Keys(c)) {
		if !strings.HasPrefix(what, "hint ") || strings.HasPrefix(what, "hint Extender") || strings.HasSuffix(what, " Error") {
			continue
		}
		if c[what] >= enough {
			others++
		} else {
			rare = append(rare, fmt.Sprintf("%s: %d", what, c[what]))
		}
	}
	return rare, others
}

// Print writes it down.
func (c Coverage) Print(w io.Writer) {
	for _, what := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(w, "%9d  %s\n", c[what], what)
	}
}

// count adds what happened in one step.
func (r *Result) count(log *Log, hints []hint) {
	for _, line := range log.of("in") {
		words := strings.Fields(line)
		r.Coverage.add("into " + words[1] + " by " + words[2])
	}
	for _, h := range hints {
		r.Coverage.add("hint " + h.plugin + " " + h.change + " " + h.answer)
	}
	for _, line := range log.of("attempt") {
		words := strings.Fields(line)
		r.Coverage.add("attempt " + words[3])
		_, feasible, _ := strings.Cut(words[2], "/")
		if len(feasible) > 2 {
			r.Coverage.add("attempt with 100 feasible nodes or more")
		}
	}
}
