// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"berth/tests/oracle/judge/release"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// entry says that a pod came into a queue, and why.
type entry struct {
	pod, queue, event string
	level             int // of the log line
}

// sink gathers entries from what the queue logs.
type sink struct {
	entries []entry
}

func (s *sink) logger() klog.Logger            { return logr.New(s) }
func (s *sink) Init(logr.RuntimeInfo)          {}
func (s *sink) Enabled(int) bool               { return true }
func (s *sink) Error(error, string, ...any)    {}
func (s *sink) WithValues(...any) logr.LogSink { return s }
func (s *sink) WithName(string) logr.LogSink   { return s }
func (s *sink) Info(level int, message string, pairs ...any) {
	if !release.Moved[message] {
		return
	}
	e := entry{level: level}
	for i := 0; i+1 < len(pairs); i += 2 {
		switch pairs[i] {
		case "pod", "entity":
			e.pod = fmt.Sprint(pairs[i+1])
		case "queue":
			e.queue = strings.ToLower(fmt.Sprint(pairs[i+1]))
		case "event":
			e.event = fmt.Sprint(pairs[i+1])
		}
	}
	s.entries = append(s.entries, e)
}

// of returns the entries. A requeue is logged once for sure, at level 3, and for most queues a
// second time when the pod enters.
func (s *sink) of(requeued bool) []entry {
	return slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool {
		return requeued && e.event == "ScheduleAttemptFailure" && e.level != 3
	})
}

// counted returns upstream's own count of entries, by queue and event, of all scripts so far.
func counted() map[string]int {
	counts := map[string]int{}
	children := make(chan prometheus.Metric, 1000)
	metrics.SchedulerQueueIncomingPods.Collect(children)
	close(children)
	for child := range children {
		var out dto.Metric
		if child.Write(&out) != nil {
			continue
		}
		labels := map[string]string{}
		for _, pair := range out.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		counts[labels["queue"]+" "+labels["event"]] = int(out.GetCounter().GetValue())
	}
	return counts
}

func uid(s string) types.UID { return types.UID(s) }

func set(names []string) sets.Set[string] { return sets.New(names...) }

func names(set sets.Set[string]) string { return strings.Join(sets.List(set), ",") }
