// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"berth/tests/oracle/judge/release"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Result is a timeline that was played.
type Result struct {
	Script     *Script
	Difference *Difference // the first one
	Trouble    error       // nothing could be compared
	Coverage   Coverage
	Attempts   int
	Open       bool // it ended before its time, since upstream leaves something open
	trace      io.Writer
}

// Difference is what the schedulers did differently.
type Difference struct {
	Step        int
	What        string // of the kind: attempts, queue, …
	Kube, Berth string
	Theirs      []string // all that kube-scheduler did in that step
	Ours        []string // all that Berth did
}

func (d *Difference) String() string {
	return fmt.Sprintf("step %d, %s\n    kube-scheduler: %s\n    berth:          %s", d.Step, d.What, d.Kube, d.Berth)
}

// signature says in which way they differ, without the numbers and names of the case.
func (d *Difference) signature() string {
	return d.What + " " + first(d.Kube) + " " + first(d.Berth)
}

func first(line string) string {
	fields := strings.Fields(line)
	var out []string
	for _, f := range fields {
		if !strings.ContainsAny(f, "/=\"0123456789") {
			out = append(out, f)
		}
	}
	return strings.Join(out[:min(3, len(out))], " ")
}

// Play plays a case on both. What happens is written to `trace`, if there is one.
func Play(t *testing.T, c *Case, player *Player, trace io.Writer) *Result {
	prepare()
	r := &Result{Script: c.Script, Coverage: Coverage{}, trace: trace}
	if r.Trouble = player.start(); r.Trouble != nil {
		return r
	}
	synctest.Test(t, func(*testing.T) { r.play(c, player) })
	return r
}

func (r *Result) play(c *Case, player *Player) {
	time.Sleep(time.Until(start.Add(c.Script.Phase)))
	u, err := newUpstream(c.Config, c.Extenders, 300*time.Second)
	if err != nil {
		r.Trouble = err
		return
	}
	u.newsFirst = c.Script.NewsFirst
	defer u.close()
	for _, asked := range u.registered {
		for _, answer := range []string{"Queue", "Skip"} {
			r.Coverage["hint "+asked+" "+answer] += 0
		}
	}
	if r.Trouble = player.begin(c, time.Now()); r.Trouble != nil {
		return
	}
	u.server.read = player.server.read
	var log *Log
	for {
		step, more := c.Next(View{u})
		if log != nil && (!more || !step.With) {
			// Those that came together are over: now the schedulers act.
			if r.act(u, player, log, time.Now()); r.over() {
				break
			}
			log = nil
		}
		if !more {
			break
		}
		number := len(r.Script.Steps)
		r.Script.Steps = append(r.Script.Steps, step)
		if log == nil {
			log = &Log{step: number}
			until := time.Now().Add(step.After)
			if step.Early {
				until = until.Add(-1)
			} else {
				until = c.Script.offSeconds(until)
			}
			if r.act(u, player, log, until); r.over() {
				break
			}
			log = &Log{step: number}
		} else {
			r.pass(u, player, log, time.Now().Add(tick), true)
		}
		if u.disturbs(step) {
			step = Step{After: step.After, With: step.With, Do: "wait"}
			r.Script.Steps[number] = step
		}
		player.server.happen(step)
		u.server.happen(step)
		if step.Early {
			u.hear()
			if r.Trouble = player.until(time.Now().Add(1), true, log); r.Trouble != nil {
				break
			}
			time.Sleep(1)
			synctest.Wait()
		}
		r.Coverage.add("step " + strings.TrimSpace(step.Do+" "+step.Kind))
		if r.Trouble = player.tell(step.Early); r.Trouble != nil {
			break
		}
	}
	if r.Trouble == nil {
		r.Trouble = player.end()
	} else {
		player.Stop()
	}
}

func (r *Result) over() bool { return r.Difference != nil || r.Trouble != nil || r.Open }

// pass lets both do what is to be done up to a time: Berth first, so that upstream can follow it where it may do either.
func (r *Result) pass(u *upstream, player *Player, log *Log, until time.Time, busy bool) {
	if r.Trouble = player.until(until, busy, log); r.Trouble != nil {
		return
	}
	u.follow(log)
	if busy {
		u.settle()
		time.Sleep(time.Until(until))
		u.settle()
		return
	}
	u.runUntil(until)
}

// act lets both act up to a time, and compares.
func (r *Result) act(u *upstream, player *Player, log *Log, until time.Time) {
	if r.pass(u, player, log, until, false); r.Trouble != nil {
		return
	}
	if player.Spoil != nil {
		log.lines = player.Spoil(log.lines)
	}
	r.compare(u, player, log)
}

// Log is what Berth did.
type Log struct {
	step  int
	lines []string
}

func (l *Log) add(line string) { l.lines = append(l.lines, line) }

func (l *Log) of(kind string) []string {
	var out []string
	for _, line := range l.lines {
		if rest, ok := strings.CutPrefix(line, kind+" "); ok {
			out = append(out, rest)
		}
	}
	return out
}

var (
	placed    = regexp.MustCompile(`^(\S+) (\d+) (\d+)/(\d+) on (\S+)$`)
	nominated = regexp.MustCompile(`^(\S+) (\d+) \S+ \S+ nominated=("(?:[^"\\]|\\.)*"|-) (.*)$`)
)

// follow learns what Berth chose.
func (u *upstream) follow(log *Log) {
	tried := map[string]string{} // the node of a pod that may be given up when its group fails
	for _, line := range log.lines {
		kind, line, _ := strings.Cut(line, " ")
		if kind == "tried" {
			pod, node, _ := strings.Cut(line, " ")
			tried[pod] = node
			continue
		}
		if kind != "attempt" {
			continue
		}
		if m := placed.FindStringSubmatch(line); m != nil {
			u.chosen[m[1]+" "+m[2]] = &choice{node: m[5]}
		} else if m := nominated.FindStringSubmatch(line); m != nil {
			node, _ := strconv.Unquote(m[3])
			var message string
			_ = json.Unmarshal([]byte(m[4]), &message)
			u.chosen[m[1]+" "+m[2]] = &choice{node: tried[m[1]], nominated: node, message: message}
			delete(tried, m[1])
		}
	}
}

// checks names what the strict checks of plugins find; nothing leaves that open.
const checks = "plugin checks"

var taintRuleEvent = regexp.MustCompile(`resource\.k8s\.io/DeviceTaintRule(Add|Update|Delete)\b`)

// normalize gives lines that mean the same one form.
func normalize(log *Log) {
	for i, line := range log.lines {
		log.lines[i] = strings.Replace(line, "binding volumes: pod does not exist", "pod does not exist", 1)
	}
}

// compare finds the first difference of what both did since the last time.
func (r *Result) compare(u *upstream, player *Player, log *Log) {
	theirs := &Log{step: log.step, lines: u.lines}
	u.lines = nil
	hints := u.hints
	u.hints = nil
	r.Attempts += len(theirs.of("attempt"))
	r.tell(u, theirs, log)
	normalize(theirs)
	normalize(log)
	// Upstream's tracker makes an update of slices of a change of a rule (docs/differences.md).
	for i, line := range log.lines {
		log.lines[i] = taintRuleEvent.ReplaceAllString(line, "resource.k8s.io/ResourceSliceUpdate")
	}
	kinds := []string{"verdicts", "attempt", "binding"}
	if r.Script.Detail == "nodes" {
		kinds = slices.Insert(kinds, 0, "scores")
	}
	u.lookAhead(theirs, log, kinds)
	r.count(theirs, hints)
	for _, line := range log.of("log") {
		if strings.Contains(line, "broke the plugin ABI") {
			r.differ(log.step, checks, "(nothing)", line)
		}
	}
	for _, what := range kinds {
		r.sameLines(log.step, what, theirs.of(what), log.of(what))
	}
	r.sameLines(log.step, "in", moves(theirs), moves(log))
	r.sameHints(log, hints)
	r.sameStates(u, log)
	r.sameObjects(u, player, log)
	if open := u.open; open != "" {
		u.open = ""
		if r.Difference != nil && r.Difference.What != checks {
			r.Difference, r.Open = nil, true // From here on they are in different worlds.
			r.Coverage.add("left open: " + open)
		}
	}
	if d := r.Difference; d != nil {
		d.Theirs, d.Ours = theirs.lines, log.lines
		d.Theirs = append(d.Theirs, u.server.refusals...)
		d.Ours = append(d.Ours, player.server.refusals...)
		for _, h := range hints {
			d.Theirs = append(d.Theirs, fmt.Sprintf("hint %s %s %s %s", h.plugin, h.answer, h.pod, h.object))
		}
	}
}

// tell writes down what happened.
func (r *Result) tell(u *upstream, theirs, ours *Log) {
	if r.trace == nil {
		return
	}
	fmt.Fprintf(r.trace, "step %d %s: %s\n", ours.step, time.Now().Format("05.000000000"), compact(r.Script.Steps[ours.step]))
	for _, line := range theirs.lines {
		fmt.Fprintln(r.trace, "    kube ", line)
	}
	for _, line := range ours.lines {
		fmt.Fprintln(r.trace, "    berth", line)
	}
	for _, line := range u.server.served {
		fmt.Fprintln(r.trace, "    request", line)
	}
	u.server.served = nil
}

func (r *Result) differ(step int, what, kube, berth string) {
	if r.Difference == nil {
		r.Difference = &Difference{Step: step, What: what, Kube: kube, Berth: berth}
	}
}

func (r *Result) sameLines(step int, what string, kube, berth []string) {
	at := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(nothing more)"
	}
	for i := range max(len(kube), len(berth)) {
		if at(kube, i) != at(berth, i) {
			r.differ(step, what, at(kube, i), at(berth, i))
			return
		}
	}
}

// byPod sorts lines by their first word, the pod: one event moves several pods in the order of a Go map.
func byPod(lines []string) []string {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b string) int {
		x, _, _ := strings.Cut(a, " ")
		y, _, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	return lines
}

// moves are what came into queues, by pod. A rule changes the taints of several slices, and upstream's tracker tells each of them.
func moves(log *Log) []string {
	lines := byPod(log.of("in"))
	if !release.TaintRules {
		return lines
	}
	return slices.CompactFunc(lines, func(a, b string) bool {
		return a == b && strings.HasSuffix(a, " resource.k8s.io/ResourceSliceUpdate")
	})
}

// sameHints compares what the plugins answered. Upstream asks them in the order of a Go map, and none more when one says Queue: so
// of two lists about the same plugin, pod and object one may lack answers that the other has.
func (r *Result) sameHints(log *Log, theirs []hint) {
	ours, kube := map[string][]string{}, map[string][]string{}
	for _, line := range log.of("hint") {
		words := strings.SplitN(line, " ", 4) // plugin answer pod object
		key := words[0] + " " + words[2] + " " + words[3]
		ours[key] = append(ours[key], words[1])
	}
	for _, h := range theirs {
		key := h.plugin + " " + h.pod + " " + h.object
		kube[key] = append(kube[key], h.answer)
	}
	for _, key := range slices.Sorted(maps.Keys(kube)) {
		if !within(kube[key], ours[key]) && !within(ours[key], kube[key]) {
			plugin, _, _ := strings.Cut(key, " ")
			r.differ(log.step, "hint of "+plugin, fmt.Sprint(key, kube[key]), fmt.Sprint(key, ours[key]))
			return
		}
	}
}

// within tells whether `some` is what is left of `all` when some are left out.
func within(some, all []string) bool {
	for _, one := range all {
		if len(some) > 0 && some[0] == one {
			some = some[1:]
		}
	}
	return len(some) == 0
}

// sameStates compares the queue.
func (r *Result) sameStates(u *upstream, log *Log) {
	now := u.report()
	for _, line := range log.of("state") {
		pod, state, _ := strings.Cut(line, " ")
		if state == "gone" {
			delete(u.entries, pod)
		} else {
			u.entries[pod] = state
		}
	}
	all := maps.Clone(now)
	maps.Copy(all, u.entries)
	for _, pod := range slices.Sorted(maps.Keys(all)) {
		kube, berth := now[pod], u.entries[pod]
		if kube != berth {
			r.differ(log.step, "queue", pod+" "+kube, pod+" "+berth)
			return
		}
	}
}

// sameObjects compares the two worlds, as far as something has happened in them.
func (r *Result) sameObjects(u *upstream, player *Player, log *Log) {
	touched := u.server.touched
	maps.Copy(touched, player.server.touched)
	u.server.touched, player.server.touched = map[ref]bool{}, map[ref]bool{}
	for _, at := range slices.SortedFunc(maps.Keys(touched), func(a, b ref) int {
		return cmp.Or(strings.Compare(a.kind.name, b.kind.name), strings.Compare(a.key, b.key))
	}) {
		theirs, ours := u.server.texts[at], player.server.texts[at]
		if theirs == ours {
			continue
		}
		if theirs != "" && ours != "" {
			theirs, ours = cut(theirs, ours)
		}
		r.differ(log.step, "objects", at.of(theirs), at.of(ours))
		return
	}
}

func (at ref) of(text string) string {
	if text == "" {
		return "(none)"
	}
	return at.kind.name + " " + at.key + " " + text
}

// cut leaves of two texts what is about where they begin to differ.
func cut(a, b string) (string, string) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-60)
	show := func(s string) string { return "…" + s[min(from, len(s)):min(len(s), i+120)] }
	return show(a), show(b)
}

func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSuffix(out.String(), "\n")
}
