// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"berth/tests/oracle/judge/release"
)

// wantedCount is how often each reason is to be met before it counts as covered.
const wantedCount = 20

// reasonTexts are the reasons that the real plugins can give: a file for each plugin, a line "point and status | reason" for
// each reason, with * for any text, and " [1.36]" at its end if only that release gives it.
//
//go:embed coverage/*.txt
var reasonTexts embed.FS

// reach is one way in which a plugin can answer: the plugin ("" is the cycle), point with status, and reason.
type reach [3]string

// reachable are all of them, in the order of the files.
var reachable = sync.OnceValue(func() []reach {
	var list []reach
	files, err := reasonTexts.ReadDir("coverage")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		text, err := reasonTexts.Open(path.Join("coverage", file.Name()))
		if err != nil {
			panic(err)
		}
		plugin := strings.TrimSuffix(file.Name(), ".txt")
		if plugin == "cycle" {
			plugin = ""
		}
		for lines := bufio.NewScanner(text); lines.Scan(); {
			status, reason, found := strings.Cut(lines.Text(), "|")
			if !found || strings.HasPrefix(status, "#") {
				continue
			}
			reason = strings.TrimSpace(reason)
			if only := ofOneRelease.FindStringSubmatch(reason); only != nil {
				if only[2] != release.Minor {
					continue
				}
				reason = only[1]
			}
			list = append(list, reach{plugin, strings.TrimSpace(status), reason})
		}
	}
	return list
})

var ofOneRelease = regexp.MustCompile(`^(.*?) ?\[(1\.\d+)\]$`)

// matches tells whether a text fits a pattern, in which * stands for any text.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, last)
}

// coverage counts what the real scheduler said.
type coverage map[reach]int

// add counts one answer, under the reachable one that it fits.
func (c coverage) add(plugin, status, reason string) {
	if c == nil {
		return
	}
	key := reach{plugin, status, reason}
	for _, r := range reachable() {
		if r[0] == plugin && r[1] == status && matches(r[2], reason) {
			key = r
			break
		}
	}
	c[key]++
}

// print writes the table, sorted, then what the installed plugins could have said and did not, or too seldom.
func (c coverage) print(w io.Writer) {
	keys := make([]reach, 0, len(c))
	for key := range c {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b reach) int { return cmp.Compare(strings.Join(a[:], "\x00"), strings.Join(b[:], "\x00")) })
	for _, key := range keys {
		fmt.Fprintf(w, "%9d  %s\n", c[key], key)
	}
	var missing, rare []string
	known := 0
	for _, r := range reachable() {
		if r[0] != "" && !installed(r[0]) {
			continue
		}
		known++
		switch count := c[r]; {
		case count == 0:
			missing = append(missing, r.String())
		case count < wantedCount:
			rare = append(rare, fmt.Sprintf("%s: %d", r, count))
		}
	}
	fmt.Fprintf(w, "of %d reasons, %d were met at least %d times, %d less often, %d never\n", known, known-len(rare)-len(missing),
		wantedCount, len(rare), len(missing))
	for _, line := range rare {
		fmt.Fprintf(w, "  seldom: %s\n", line)
	}
	for _, line := range missing {
		fmt.Fprintf(w, "  never:  %s\n", line)
	}
}

// String names it in three columns.
func (r reach) String() string {
	plugin := r[0]
	if plugin == "" {
		plugin = "(cycle)"
	}
	return fmt.Sprintf("%-32s %-38s %s", plugin, r[1], r[2])
}

func reasonsClass(reasons []string, narrowed bool) string {
	if narrowed {
		return "narrowed the nodes"
	}
	return strings.Join(reasons, ", ")
}

// scoreClass is the band in which a normalized score lies.
func scoreClass(score int64) string {
	switch {
	case score <= 0:
		return "0"
	case score < 50:
		return "1–49"
	case score < 100:
		return "50–99"
	default:
		return "100"
	}
}
