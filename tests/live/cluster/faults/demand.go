// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// What a run counts besides the faults of the plan.
const (
	leaderKilled  kind = "leader killed"
	standbyKilled kind = "standby killed"
	leaderPaused  kind = "leader stopped and continued"
	standbyPaused kind = "standby stopped and continued"
	serverKilled  kind = "API server killed"
	sliceReplaced kind = "devices of a node gone and back"
	leaseLost     kind = "scheduler lost its lease"
	created       kind = "pods created a second"
	deleted       kind = "pods deleted a second"
)

// requestFaults stands for every kind that a request can meet.
const requestFaults kind = "each request fault"

// demands are how often something must have happened at the least: `-at-least KIND=COUNT`, again and again.
type demands map[kind]float64

func (d demands) String() string { return "" }

func (d demands) Set(text string) error {
	what, count, _ := strings.Cut(text, "=")
	least, err := strconv.ParseFloat(count, 64)
	if err != nil {
		return fmt.Errorf("expected KIND=COUNT, such as '%s=1000'", requestFaults)
	}
	if kind(what) == requestFaults {
		for of, faults := range suffers {
			for one := range faults {
				if of != watching {
					d[one] = least
				}
			}
		}
		return nil
	}
	known := kinds()
	if !known[kind(what)] {
		return fmt.Errorf("nothing is counted as %q; a run without this flag lists what is", what)
	}
	d[kind(what)] = least
	return nil
}

// kinds are all that a run counts.
func kinds() map[kind]bool {
	all := map[kind]bool{leaderKilled: true, standbyKilled: true, leaderPaused: true, standbyPaused: true, serverKilled: true,
		sliceReplaced: true, leaseLost: true, created: true, deleted: true}
	for _, faults := range suffers {
		for one := range faults {
			all[one] = true
		}
	}
	return all
}

// report is a line for each kind, those too that never happened, with what was demanded of it; `missing` are the kinds that
// were too few.
func report(counts map[kind]float64, demanded demands) (text string, missing []string) {
	lines := []string{}
	for one := range kinds() {
		line := fmt.Sprintf("  %-50s %6.0f", one, counts[one])
		if least, is := demanded[one]; is {
			line += fmt.Sprintf(" (at least %.0f)", least)
			if counts[one] < least {
				missing = append(missing, fmt.Sprintf("%s: %.1f, of at least %.0f", one, counts[one], least))
			}
		}
		lines = append(lines, line+"\n")
	}
	sort.Strings(lines)
	sort.Strings(missing)
	return strings.Join(lines, ""), missing
}
