// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"berth/tests/oracle/judge/release"
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

// Never has the answers of hints that cannot come: "plugin resource/Add Queue".
type Never map[string]bool

// ReadNever reads them from a file: one in a line, and comments. A line that ends in a release, as in " [1.36]", is of that one only.
func ReadNever(path string) (Never, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	never := Never{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		answer, only, limited := strings.Cut(strings.TrimSuffix(line, "]"), " [")
		if line != "" && line[0] != '#' && (!limited || only == release.Minor) {
			never[answer] = true
		}
	}
	return never, nil
}

// hintAnswers counts the answers of the plugins' hints, and not their errors.
func (c Coverage) hintAnswers() map[string]int {
	out := map[string]int{}
	for what, n := range c {
		if answer, is := strings.CutPrefix(what, "hint "); is && !strings.HasPrefix(answer, "Extender") && !strings.HasSuffix(answer, " Error") {
			out[answer] = n
		}
	}
	return out
}

// Rare lists the answers of hints that were given fewer than `enough` times although they can come, and counts the others.
func (c Coverage) Rare(never Never, enough int) (rare []string, others int) {
	all := c.hintAnswers()
	for _, answer := range slices.Sorted(maps.Keys(all)) {
		switch n := all[answer]; {
		case n >= enough:
			others++
		case !never[answer]:
			rare = append(rare, fmt.Sprintf("%s: %d", answer, n))
		}
	}
	return rare, others
}

// Wrong lists the answers that came although they cannot, and, if `everyPlugin` was there, those that none is asked for.
func (c Coverage) Wrong(never Never, everyPlugin bool) (wrong []string) {
	all := c.hintAnswers()
	for _, answer := range slices.Sorted(maps.Keys(never)) {
		if n, asked := all[answer]; !asked && everyPlugin {
			wrong = append(wrong, answer+": no plugin registers it")
		} else if n > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: it came %d times", answer, n))
		}
	}
	return wrong
}

// Print writes it down: of everything but hints one line for each kind, then a table of the hints' answers.
func (c Coverage) Print(w io.Writer, never Never) {
	kinds := map[string]string{}
	rows := map[string]bool{}
	for _, what := range slices.Sorted(maps.Keys(c)) {
		kind, rest, _ := strings.Cut(what, " ")
		if kind != "hint" {
			kinds[kind] += fmt.Sprintf(", %s: %d", rest, c[what])
			continue
		}
		rows[rest[:strings.LastIndex(rest, " ")]] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(w, "%s %s\n", kind, strings.TrimPrefix(kinds[kind], ", "))
	}
	fmt.Fprintf(w, "| %-32s | %-39s | %9s | %9s |\n", "plugin", "event", "Queue", "Skip")
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		plugin, event, _ := strings.Cut(row, " ")
		cell := func(answer string) string {
			if never[row+" "+answer] {
				return "never"
			}
			return fmt.Sprint(c["hint "+row+" "+answer])
		}
		fmt.Fprintf(w, "| %-32s | %-39s | %9s | %9s |\n", plugin, event, cell("Queue"), cell("Skip"))
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
