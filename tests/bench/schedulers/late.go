// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// lateStart is what it took a scheduler to begin in a cluster that was there before it.
type lateStart struct {
	first time.Duration // from the start of its process until the watch showed the first pod that it bound
	cpu   time.Duration // until then
	peak  int64         // of its resident memory, in bytes
}

// startLate creates the workload's first nodes, that many pods that are bound to them in turn, and one that waits; then the
// scheduler starts. Nothing else of the workload is played.
func startLate(ctx context.Context, w workload, plane controlPlane, s scheduler, bound int) (result lateStart, err error) {
	before := func(ctx context.Context, l *live) error { return fill(ctx, w, l, bound) }
	err = onLive(ctx, w, plane, s, before, func(ctx context.Context, l *live) (err error) {
		if err := l.await(ctx, "waiting", scheduled, 1); err != nil {
			return err
		}
		if result.cpu, result.peak, err = s.usage(); err != nil {
			return err
		}
		began, err := processBegan(s.pid())
		l.observer.mark(began, map[string]bool{"waiting": true})
		result.first = l.observer.times(began).length
		return err
	})
	return result, err
}

// fill makes what is there before the scheduler.
func fill(ctx context.Context, w workload, in world, bound int) error {
	var nodes []*corev1.Node
	for _, op := range w.operations {
		if create, is := op.(createNodes); is {
			var err error
			if nodes, err = makeNodes(create, w.nodeFile); err != nil {
				return err
			}
			break
		}
	}
	if len(nodes) == 0 {
		return errors.New("a workload that creates no nodes has none to bind pods to")
	}
	p := &player{world: in, workload: w, namespaces: map[string]bool{}}
	for _, name := range []string{"bound", "waiting"} {
		if err := p.addNamespace(ctx, namespaceOf(name)); err != nil {
			return err
		}
	}
	pods, err := makePods(w.podFile, "bound", bound)
	if err != nil {
		return err
	}
	for i, pod := range pods {
		pod.Spec.NodeName = nodes[i%len(nodes)].Name
	}
	waiting, err := makePods(w.podFile, "waiting", 1)
	if err != nil {
		return err
	}
	return errors.Join(in.addNodes(ctx, nodes), in.addPods(ctx, pods, nil), in.addPods(ctx, waiting, nil))
}

// processBegan reads when a process was started (proc(5)), to a hundredth of a second.
func processBegan(pid int) (time.Time, error) {
	fields, err := processStat(pid)
	if err != nil {
		return time.Time{}, err
	}
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Time{}, err
	}
	up, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
	if err != nil {
		return time.Time{}, err
	}
	started, err := strconv.ParseFloat(fields[19], 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.Now().Add(-time.Duration((up - started/ticks) * float64(time.Second))), nil
}

func reportLate(out io.Writer, name string, l lateStart) {
	fmt.Fprintf(out, "%-14s first binding after %8.0f ms   CPU %6.2f s   memory %6.1f MiB\n", name, milliseconds(l.first),
		l.cpu.Seconds(), mebibytes(l.peak))
}

// reportLateRatios writes the last line: how many times sooner, with how many times less CPU and memory.
func reportLateRatios(out io.Writer, name string, bound int, results map[string]lateStart) {
	kube, ours := results["kube-scheduler"], results["berth"]
	if kube.first == 0 || ours.first == 0 {
		return
	}
	fmt.Fprintf(out, "%s beside %d bound pods: first binding %.1f× CPU %.1f× memory %.1f×\n", name, bound,
		float64(kube.first)/float64(ours.first), float64(kube.cpu)/float64(max(ours.cpu, 1)), float64(kube.peak)/float64(ours.peak))
}
