// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"berth/tests/oracle/judge/timeline"
)

// A spoiler changes what Berth says that it did in one step, so that it is wrong, or returns nil where it cannot.
type spoiler struct {
	name  string
	spoil func(lines []string) []string
}

var spoilers = []spoiler{
	{"an attempt is left out", func(lines []string) []string {
		if i := lineOf(lines, "attempt "); i >= 0 {
			return slices.Delete(lines, i, i+1)
		}
		return nil
	}},
	{"an attempt is made twice", func(lines []string) []string {
		if i := lineOf(lines, "attempt "); i >= 0 {
			return slices.Insert(lines, i, lines[i])
		}
		return nil
	}},
	{"two attempts change places", func(lines []string) []string {
		one := lineOf(lines, "attempt ")
		if one < 0 {
			return nil
		}
		other := lineOf(lines[one+1:], "attempt ")
		if other < 0 {
			return nil
		}
		lines[one], lines[one+1+other] = lines[one+1+other], lines[one]
		return lines
	}},
	{"a pod is on another node", replaced("attempt ", " on ", " on other-")},
	{"a message says something else", replaced("attempt ", "nodes are available", "nodes are there")},
	{"a plugin rejects one node more", replaced("verdicts ", "=1", "=2")},
	{"another event wakes a pod", replaced("in ", "NodeAdd", "PodAdd")},
	{"a pod is not woken", func(lines []string) []string {
		for i, line := range lines {
			if strings.HasPrefix(line, "in ") && strings.Contains(line, "active") && !strings.Contains(line, "Unschedulable") {
				return slices.Delete(lines, i, i+1)
			}
		}
		return nil
	}},
	{"a hint says Queue for Skip", func(lines []string) []string {
		spoiled := false
		for i, line := range lines { // Of all of them, since upstream does not ask each.
			if strings.HasPrefix(line, "hint ") && strings.Contains(line, " Skip ") {
				lines[i], spoiled = strings.Replace(line, " Skip ", " Queue ", 1), true
			}
		}
		if !spoiled || lineOf(lines, "in ") >= 0 {
			return nil
		}
		return lines
	}},
	{"a gate stays closed", replaced("state ", " gate=", " gate=SchedulingGates")},
	{"a pod waits in another queue", replaced("state ", " unschedulable ", " active ")},
	{"a backoff ends at another time", replaced("state ", " until=", " until=1")},
	{"an attempt is not counted", replaced("state ", " attempts=", " attempts=1")},
	{"a plugin is forgotten that rejected a pod", replaced("state ", " by=Node", " by=")},
	{"a score is another", replaced("scores ", ":", "0:")},
	{"a PreBind fails with other words", replaced("binding ", "PreBind plugin", "other plugin")},
	{"an attempt is left out before a PreBind fails", func(lines []string) []string {
		fails := lineOf(lines, "binding ")
		if fails < 0 {
			return nil
		}
		at := lineOf(lines[:fails], "attempt ")
		if at < 0 {
			return nil
		}
		return slices.Delete(lines, at, at+1)
	}},
}

// groupSpoilers spoil what only timelines with pod groups have.
var groupSpoilers = []spoiler{
	{"a group waits in another queue", replaced("state podgroup/", " backoff ", " active ")},
	{"a group's backoff ends at another time", replaced("state podgroup/", " until=", " until=1")},
	{"a cycle is not counted", replaced("state podgroup/", " attempts=", " attempts=1")},
	{"a group's gate is open", replaced("state podgroup/", " gate=GangScheduling", " gate=")},
	{"a rejected group counts as one that broke", replaced("state podgroup/", " rejected=1 broke=0 ", " rejected=0 broke=1 ")},
	{"a group came at another time", replaced("state podgroup/", " queued=", " queued=1")},
	{"a pod does not wait for its PodGroup", replaced("state ", " incomplete ", " unschedulable ")},
	{"a pod of a group is not counted", replaced("state ", " attempts=1 ", " attempts=0 ")},
	{"another event wakes a group", replaced("in podgroup/", "PodGroupUpdate", "PodGroupAdd")},
	{"a group comes back to another queue", replaced("in podgroup/", "backoff ScheduleAttemptFailure", "active ScheduleAttemptFailure")},
	{"a gang is said to need other pods", replaced("attempt ", "minCount (", "minCount (1")},
	{"a pod that was not tried says nothing", replaced("attempt ", "0/0 Unschedulable nominated=- \"minCount", "0/0 Unschedulable nominated=- \"")},
	{"a pod of a group that fails keeps its node", replaced("attempt ", " nominated=\"\"", " nominated=-")},
	{"a plugin rejects one node more", replaced("verdicts ", "=1", "=2")},
}

// lineOf is the first line that begins like that, or -1.
func lineOf(lines []string, begin string) int {
	return slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, begin) })
}

// replaced changes the first line that begins with `kind` and has `old` in it.
func replaced(kind, old, fresh string) func([]string) []string {
	return func(lines []string) []string {
		for i, line := range lines {
			if strings.HasPrefix(line, kind) && strings.Contains(line, old) {
				lines[i] = strings.Replace(line, old, fresh, 1)
				return lines
			}
		}
		return nil
	}
}

// spoilAll lets each spoiler spoil one step, and returns how many were not found.
func (r *timelineRun) spoilAll(t *testing.T) (int, error) {
	player := &timeline.Player{Path: r.play, Plugins: r.plugins}
	defer player.Stop()
	all := spoilers
	if r.groups {
		all = groupSpoilers
	}
	for _, s := range all {
		found, err := r.spoiled(t, player, s)
		if err != nil {
			return 0, err
		}
		if !found {
			r.differences++
			fmt.Println("not found:", s.name)
		}
	}
	fmt.Printf("%d spoiled logs, %d not found\n", len(all), r.differences)
	return r.differences, nil
}

func (r *timelineRun) spoiled(t *testing.T, player *timeline.Player, s spoiler) (bool, error) {
	for i := range 500 {
		c, err := newTimeline(r.seed, i)
		if err != nil {
			return false, err
		}
		done := false
		player.Spoil = func(lines []string) []string {
			if done {
				return lines
			}
			if spoiled := s.spoil(slices.Clone(lines)); spoiled != nil {
				done = true
				return spoiled
			}
			return lines
		}
		if result := timeline.Play(t, c, player, nil); done {
			return result.Difference != nil, result.Trouble
		}
	}
	return false, nil
}
