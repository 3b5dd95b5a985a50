// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"time"
)

// shrinkTime is how long the search for a smaller script may take.
const shrinkTime = 20 * time.Second

// shrink drops steps, answers and registrations as long as the queues go on differing in the
// same way.
func shrink(p *player, s *script, d *difference) (*script, *difference) {
	wanted := d.signature()
	deadline := time.Now().Add(shrinkTime)
	best := s
	try := func(c script) bool {
		if time.Now().After(deadline) {
			return false
		}
		real, err := playUpstream(&c)
		if err != nil {
			return false
		}
		next, err := p.compare(&c, real)
		if err != nil || next == nil || next.signature() != wanted {
			return false
		}
		best, d = &c, next
		return true
	}
	for again := true; again; {
		again = false
		for size := (len(best.Steps) + 1) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(best.Steps); {
				c := *best
				c.Steps = slices.Delete(slices.Clone(best.Steps), at, at+size)
				if try(c) {
					again = true
				} else {
					at += size
				}
			}
		}
	}
	for at := 0; at < len(best.Answers); {
		c := *best
		c.Answers = slices.Delete(slices.Clone(best.Answers), at, at+1)
		if !try(c) {
			at++
		}
	}
	for i := range best.Plugins {
		for at := 0; at < len(best.Plugins[i].Events); {
			c := *best
			c.Plugins = slices.Clone(best.Plugins)
			c.Plugins[i].Events = slices.Delete(slices.Clone(best.Plugins[i].Events), at, at+1)
			if !try(c) {
				at++
			}
		}
	}
	return best, d
}
