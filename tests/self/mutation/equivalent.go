// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// equivalent is a change of which somebody has said that it changes nothing, and why.
type equivalent struct {
	at            string // file:line of its first line
	source        string
	scope         string // the function or class of the line
	before, after string // without the blanks around them
	why           string
	known         bool // the source has such a mutant still
	contradicted  bool // a judge has caught it
}

// equivalents are those of a file: paragraphs of a source's name and the function or class of the line, "- " with the line as it is, "+ " with the line as it
// becomes, and the reason. Lines that begin with # are comments.
func equivalents(path string) ([]*equivalent, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*equivalent
	var open *equivalent
	for i, line := range strings.Split(string(text), "\n") {
		before, isBefore := strings.CutPrefix(line, "- ")
		after, isAfter := strings.CutPrefix(line, "+ ")
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			open = nil
		case open == nil:
			source, scope, _ := strings.Cut(line, " ")
			open = &equivalent{at: fmt.Sprintf("%s:%d", path, i+1), source: source, scope: scope}
			list = append(list, open)
		case isBefore:
			open.before = strings.TrimSpace(before)
		case isAfter:
			open.after = strings.TrimSpace(after)
		default:
			open.why = strings.TrimSpace(open.why + " " + line)
		}
	}
	for _, e := range list {
		if e.scope == "" || e.before == "" || e.after == "" || e.why == "" {
			return nil, fmt.Errorf("%s: expected the name of a source and of a function, a line \"- \" as it is, a line \"+ \" as it becomes, "+
				"and then why that changes nothing", e.at)
		}
	}
	return list, nil
}

// find gives the entry of a change, or nil.
func find(list []*equivalent, source string, m mutant) *equivalent {
	at := slices.IndexFunc(list, func(e *equivalent) bool {
		return e.source == source && e.scope == m.scope && e.before == strings.TrimSpace(m.before) && e.after == strings.TrimSpace(m.after)
	})
	if at < 0 {
		return nil
	}
	return list[at]
}

// look notes which entries are of a mutant that the source still has.
func look(list []*equivalent, source string, possible []mutant) {
	for _, m := range possible {
		if e := find(list, source, m); e != nil {
			e.known = true
		}
	}
}

// stale says of each entry that is no longer true why it is not. Only sources that `looked` has are judged.
func stale(list []*equivalent, looked func(source string) bool) []string {
	var faults []string
	for _, e := range list {
		switch {
		case !looked(e.source):
		case !e.known:
			faults = append(faults, fmt.Sprintf("%s: %s has no such change in %s: `%s`", e.at, e.source, e.scope, e.after))
		case e.contradicted:
			faults = append(faults, fmt.Sprintf("%s: the change is noticed: `%s`", e.at, e.after))
		}
	}
	return faults
}
