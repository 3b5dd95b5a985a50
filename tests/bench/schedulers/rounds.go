// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// results are the measurements of one workload by who played, in the order of the rounds.
type results map[string][]measurement

// turns are who plays in each round: the ceiling client last in the first, because it writes as much as the others did; then each
// round in the opposite order of the one before.
func turns(names []string, rounds int) (all [][]string) {
	order := slices.Clone(names)
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(last(a), last(b)) })
	for range rounds {
		all = append(all, slices.Clone(order))
		slices.Reverse(order)
	}
	return all
}

func last(name string) int {
	if name == "ceiling" {
		return 1
	}
	return 0
}

func benchLive(ctx context.Context, o options, w workload, out io.Writer) error {
	names := strings.Split(o.schedulers, ",")
	if slices.Contains(names, "ceiling") && w.makesClaims() {
		return errors.New("the ceiling client makes no claims for extended resources; take SCHEDULERS=kube-scheduler,berth")
	}
	all := results{}
	for round, order := range turns(names, o.runs) {
		for _, name := range order {
			s, err := o.scheduler(name, all.written())
			if err != nil {
				return err
			}
			m, err := playLive(ctx, w, controlPlane{o.cluster, o.dir + "/plane"}, s, o.rate)
			if err != nil {
				return fmt.Errorf("run %d: %s: %w", round+1, name, err)
			}
			all[name] = append(all[name], m)
			reportLive(out, round+1, name, m)
			if err := o.record(w.name, name, m.cells()); err != nil {
				return err
			}
		}
	}
	if repeat := all.written(); len(all["ceiling"]) > 0 && repeat.muchMore() {
		fmt.Fprintf(out, "the ceiling client wrote as much as this run, which is more than bindings and their events: %v\n", repeat)
	}
	for _, name := range names {
		reportSpread(out, name, all)
	}
	if err := all.underTheCeiling(); err != nil {
		return err
	}
	reportRatios(out, w.name, all)
	return nil
}

// written is what the ceiling client must write beside bindings and their events: what kube-scheduler wrote, or berth where that
// does not play, in its first run.
func (r results) written() writes {
	for _, name := range []string{"kube-scheduler", "berth"} {
		if runs := r[name]; len(runs) > 0 {
			return runs[0].written
		}
	}
	return writes{}
}

// underTheCeiling fails when a scheduler's slowest run was faster than the ceiling client's fastest: it is no ceiling then. One
// or two runs say nothing about that.
func (r results) underTheCeiling() error {
	top := r["ceiling"]
	if len(top) < 3 {
		return nil
	}
	var failed error
	for _, name := range []string{"kube-scheduler", "berth"} {
		if runs := r[name]; len(runs) >= 3 && least(runs, measurement.perSecond) > most(top, measurement.perSecond) {
			failed = errors.Join(failed, fmt.Errorf("%s was faster than the ceiling client in each of %d runs, so that is no ceiling", name, len(runs)))
		}
	}
	return failed
}

// shares are a scheduler's pods/s by those of the ceiling client in the same round.
func (r results) shares(name string) (all []float64) {
	for i := range min(len(r[name]), len(r["ceiling"])) {
		all = append(all, r[name][i].perSecond()/r["ceiling"][i].perSecond())
	}
	return all
}

func values(runs []measurement, of func(measurement) float64) (all []float64) {
	for _, m := range runs {
		all = append(all, of(m))
	}
	slices.Sort(all)
	return all
}

func least(runs []measurement, of func(measurement) float64) float64 { return values(runs, of)[0] }
func most(runs []measurement, of func(measurement) float64) float64 {
	return values(runs, of)[len(runs)-1]
}

// median of sorted values.
func median[T float64 | int64 | time.Duration](sorted []T) T {
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// typical has the median of each figure of several runs; none of no runs.
func typical(runs []measurement) (of measurement) {
	if len(runs) == 0 {
		return measurement{}
	}
	each := func(figure func(measurement) time.Duration) time.Duration {
		var all []time.Duration
		for _, m := range runs {
			all = append(all, figure(m))
		}
		slices.Sort(all)
		return median(all)
	}
	var peaks []int64
	for _, m := range runs {
		peaks = append(peaks, m.peak)
	}
	slices.Sort(peaks)
	of.pods, of.peak = runs[0].pods, median(peaks)
	of.length = each(func(m measurement) time.Duration { return m.length })
	of.cpu = each(func(m measurement) time.Duration { return m.cpu })
	of.p50 = each(func(m measurement) time.Duration { return m.p50 })
	of.p99 = each(func(m measurement) time.Duration { return m.p99 })
	return of
}
