// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tried are the settings of the ceiling client that a run looks among. The API server allows 100 requests on a connection.
var tried = func() (all []settings) {
	for _, connections := range []int{1, 2, 4} {
		for _, bindings := range []int{16, 64} {
			for _, events := range []int{8, 32} {
				all = append(all, settings{connections, bindings, events})
			}
		}
	}
	return all
}()

// Each is tried with so many pods on so many nodes, twice, so that whatever comes early has no advantage.
const (
	trialNodes = 100
	trialPods  = 600
)

func (s settings) flag() string { return fmt.Sprintf("%d,%d,%d", s.Connections, s.Bindings, s.Events) }

// read is the opposite of flag.
func (s *settings) read(text string) error {
	var end string
	n, _ := fmt.Sscanf(strings.ReplaceAll(text, ",", " ")+" end", "%d %d %d %s", &s.Connections, &s.Bindings, &s.Events, &end)
	if n != 4 || end != "end" || s.Connections < 1 || s.Bindings < 1 || s.Events < 1 {
		return fmt.Errorf("%q: expected CONNECTIONS,BINDINGS,EVENTS, each at least 1", text)
	}
	return nil
}

// settle finds the fastest settings of the ceiling client, once per run, if it plays and none were given.
func (o *options) settle(ctx context.Context, out io.Writer) error {
	wanted := o.worldName == "live" && o.bound == 0 && slices.Contains(strings.Split(o.schedulers, ","), "ceiling")
	if !wanted || o.settings != (settings{}) {
		return nil
	}
	lengths, err := o.tryAll(ctx, tried, trialPods)
	if err != nil {
		return fmt.Errorf("the search for the ceiling client's settings: %w", err)
	}
	o.settings = fastest(tried, lengths)
	fmt.Fprintf(out, "the ceiling client has %v (-settings %s), the fastest of %d: %.0f pods/s where the slowest had %.0f\n", o.settings, o.settings.flag(), len(tried),
		rate(trialPods, slices.MinFunc(lengths, byLength)), rate(trialPods, slices.MaxFunc(lengths, byLength)))
	return nil
}

func byLength(a, b []time.Duration) int        { return int(sum(a) - sum(b)) }
func rate(pods int, l []time.Duration) float64 { return float64(pods*len(l)) / sum(l).Seconds() }
func sum(all []time.Duration) (of time.Duration) {
	for _, one := range all {
		of += one
	}
	return of
}

// fastest of the settings, by how long they took together.
func fastest(all []settings, lengths [][]time.Duration) settings {
	best := 0
	for i := range all {
		if byLength(lengths[i], lengths[best]) < 0 {
			best = i
		}
	}
	return all[best]
}

// tryAll plays the shape of SchedulingBasic with each of the settings, forth and back, on one control plane.
func (o *options) tryAll(ctx context.Context, all []settings, pods int) (lengths [][]time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	plane := controlPlane{o.cluster, o.dir + "/plane"}
	templates := filepath.Join(o.upstream, "templates")
	w := workload{gates: gates{}, nodeFile: filepath.Join(templates, "node-default.yaml"), podFile: filepath.Join(templates, "pod-default.yaml"),
		operations: []operation{createNodes{counted: counted{Count: trialNodes}}}}
	l, err := openLive(ctx, w, plane, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plane.down()) }()
	if err := play(ctx, w, l); err != nil {
		return nil, err
	}
	lengths = make([][]time.Duration, len(all))
	for _, i := range forthAndBack(len(all)) {
		try := *o
		try.settings = all[i]
		if l.scheduler, err = try.scheduler("ceiling", writes{}); err != nil {
			return nil, err
		}
		name := fmt.Sprintf("trial-%d-%d", i, len(lengths[i]))
		w.operations = []operation{createPods{counted: counted{Count: 1}, Namespace: name + "-first"}, // until it is at work
			createPods{counted: counted{Count: pods}, Namespace: name, CollectMetrics: true}}
		if err := l.scheduler.start(ctx, l); err != nil {
			return nil, err
		}
		if err := errors.Join(play(ctx, w, l), l.scheduler.stop()); err != nil {
			return nil, fmt.Errorf("%v: %w", all[i], err)
		}
		lengths[i] = append(lengths[i], l.result.length)
	}
	return lengths, nil
}

func forthAndBack(count int) (order []int) {
	for i := range count {
		order = append(order, i)
	}
	for i := range count {
		order = append(order, count-1-i)
	}
	return order
}
