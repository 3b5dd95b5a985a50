// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"io"
	"slices"
	"testing"
)

// Signature says in which way a timeline failed, or "" if it did not.
func (r *Result) Signature() string {
	switch {
	case r.Trouble != nil:
		return "trouble"
	case r.Difference != nil:
		return r.Difference.signature()
	}
	return ""
}

// Print writes down in which way it failed.
func (r *Result) Print(w io.Writer) {
	if r.Trouble != nil {
		fmt.Fprintln(w, r.Trouble)
	} else {
		fmt.Fprintln(w, r.Difference)
		for _, line := range r.Difference.Theirs {
			fmt.Fprintln(w, "        kube ", line)
		}
		for _, line := range r.Difference.Ours {
			fmt.Fprintln(w, "        berth", line)
		}
	}
}

// Shrink leaves out steps of a timeline that fails as long as it fails in the same way.
func Shrink(t *testing.T, failing *Result, setup Setup, player *Player) *Result {
	again := func(steps []Step) *Result {
		s := *failing.Script
		s.Steps = steps
		r := Play(t, Replay(&s, setup), player, nil)
		if r.Signature() != failing.Signature() {
			return nil
		}
		return r
	}
	best := again(failing.Script.Steps)
	if best == nil {
		fmt.Println("it does not fail when it is played again")
		return failing
	}
	tries := 0
	for size := len(best.Script.Steps) / 2; size >= 1; size /= 2 {
		for at := 0; at < len(best.Script.Steps) && tries < 600; {
			tries++
			steps := slices.Delete(slices.Clone(best.Script.Steps), at, min(at+size, len(best.Script.Steps)))
			if r := again(steps); r != nil {
				best = r
			} else {
				at += size
			}
		}
	}
	return best
}
