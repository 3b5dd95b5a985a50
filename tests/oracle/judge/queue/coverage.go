// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coverage counts what scripts brought about: entries by queue and event, pops, steps.
type coverage map[string]int

func (c coverage) add(lines []string) {
	for _, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "in":
			c["into "+words[2]+" by "+words[3]]++
		case "step":
			c["step "+words[2]]++
		}
	}
}

func (c coverage) print() {
	for _, what := range slices.Sorted(maps.Keys(c)) {
		fmt.Printf("%9d  %s\n", c[what], what)
	}
}
