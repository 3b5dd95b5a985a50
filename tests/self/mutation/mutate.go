// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant is one change of one line.
type mutant struct {
	line   int    // from 1
	scope  string // the function or class that it stands in
	kind   string
	before string
	after  string
}

func (m mutant) String() string {
	return fmt.Sprintf("line %d, in %s, %s: `%s` becomes `%s`", m.line, m.scope, m.kind, strings.TrimSpace(m.before), strings.TrimSpace(m.after))
}

// rule changes what its pattern finds. Blanks around operators keep templates, references and pointers out of it.
type rule struct {
	kind    string
	pattern *regexp.Regexp
	change  func(found string) string
}

func swap(pairs ...string) func(string) string {
	return func(found string) string {
		for i := 0; i < len(pairs); i += 2 {
			if strings.Contains(found, pairs[i]) {
				return strings.Replace(found, pairs[i], pairs[i+1], 1)
			}
		}
		return found
	}
}

var number = regexp.MustCompile(`\d+`)

var rules = []rule{
	{"comparison", regexp.MustCompile(` (<=|>=|==|!=) `), swap("<=", "<", ">=", ">", "==", "!=", "!=", "==")},
	{"comparison", regexp.MustCompile(`[\w)\]] [<>] [\w(]`), swap("<", "<=", ">", ">=")},
	{"logic", regexp.MustCompile(` (&&|\|\|) `), swap("&&", "||", "||", "&&")},
	{"logic", regexp.MustCompile(`[( ]![a-z(]`), swap("!", "")},
	{"arithmetic", regexp.MustCompile(`[\w)\]] [-+*/] [\w(]`), swap("+", "-", "-", "+", "*", "+", "/", "*")},
	{"constant", regexp.MustCompile(`[ (=,{]\d{1,4}[;,)} ]`), func(found string) string {
		return number.ReplaceAllStringFunc(found, func(text string) string {
			n, _ := strconv.Atoi(text)
			return strconv.Itoa(n + 1)
		})
	}},
	{"constant", regexp.MustCompile(`\b(true|false)\b`), swap("true", "false", "false", "true")},
	{"code", regexp.MustCompile(`berth::(unschedulable|unresolvable)\(`), swap("unschedulable", "unresolvable", "unresolvable", "unschedulable")},
	{"code", regexp.MustCompile(`BERTH_STATUS_UNSCHEDULABLE(_AND_UNRESOLVABLE)?\b`), func(found string) string {
		if strings.HasSuffix(found, "UNRESOLVABLE") {
			return "BERTH_STATUS_UNSCHEDULABLE"
		}
		return "BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE"
	}},
	{"code", regexp.MustCompile(`berth::skip\(\)`), func(string) string { return "berth::ok" }},
	{"text", regexp.MustCompile(`"[^"]*[a-z]{3} [a-z]{3}[^"]*"`), func(found string) string { return found[:len(found)-1] + " indeed\"" }},
	{"dropped term", regexp.MustCompile(`(continue|break);`), func(string) string { return ";" }},
	{"dropped term", regexp.MustCompile(`^ +[\w.\[\]>()-]+ [-+]= [^;]+;$`), func(string) string { return ";" }},
	{"dropped term", regexp.MustCompile(` (&&|\|\|) [^&|;()]*(\([^()]*\))?[^&|;()]*\)`), func(string) string { return ")" }},
}

// untouched are lines in which a change means nothing, is one of the log alone, or cannot compile.
var untouched = regexp.MustCompile(`^\s*(//|#|\*|template|using|static constexpr const char|static_assert|namespace)|operator|LINT|host_\.(log_enabled|info|warning)\(`)

// mutants lists every change that the rules make of a source.
func mutants(source string) []mutant {
	var list []mutant
	places, begin := scopes(source), 0
	for i, line := range strings.Split(source, "\n") {
		start := begin
		begin += len(line) + 1
		code, comment, _ := strings.Cut(line, " //")
		if untouched.MatchString(code) {
			continue
		}
		if comment != "" {
			comment = " //" + comment
		}
		for _, r := range rules {
			for _, at := range r.pattern.FindAllStringIndex(code, -1) {
				if inText(code, at[0]) {
					continue
				}
				found := code[at[0]:at[1]]
				if changed := r.change(found); changed != found {
					list = append(list, mutant{i + 1, scopeAt(places, start+at[0]), r.kind, line, code[:at[0]] + changed + code[at[1]:] + comment})
				}
			}
		}
	}
	return list
}

// inText tells whether a place in a line lies within a string.
func inText(code string, at int) bool { return strings.Count(code[:at], `"`)%2 == 1 }

// choose draws n of them, of as many kinds and from as many lines as there are. A line is changed in a second way only when
// no other is left.
func choose(all []mutant, n int, random *rand.Rand) []mutant {
	random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	kinds, lines := map[string]int{}, map[int]bool{}
	var chosen []mutant
	for round := 0; len(chosen) < n && round < n; round++ {
		for _, m := range all {
			if len(chosen) < n && kinds[m.kind] <= round && !lines[m.line] {
				kinds[m.kind]++
				lines[m.line] = true
				chosen = append(chosen, m)
			}
		}
	}
	for _, m := range all {
		if len(chosen) < n && !slices.Contains(chosen, m) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// apply writes the change into the source.
func (m mutant) apply(source string) string {
	lines := strings.Split(source, "\n")
	lines[m.line-1] = m.after
	return strings.Join(lines, "\n")
}
