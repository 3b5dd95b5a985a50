// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"strings"

	"berth/tests/oracle/judge/release"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// sink gathers what upstream tells of itself in its log: entries into queues, and the totals of nodes.
type sink struct{ of *upstream }

const (
	score = "Plugin scored node for pod"
	total = "Calculated node's final score for pod"

	requeueLevel = 3  // of the line that tells of a pod that comes back from an attempt; others tell of some a second time
	moveLevel    = 5  // of the others
	totalLevel   = 10 // and of these
)

func (s *sink) logger() klog.Logger            { return logr.New(s) }
func (s *sink) Init(logr.RuntimeInfo)          {}
func (s *sink) Enabled(level int) bool         { return level <= moveLevel || level == totalLevel }
func (s *sink) Error(error, string, ...any)    {}
func (s *sink) WithValues(...any) logr.LogSink { return s }
func (s *sink) WithName(string) logr.LogSink   { return s }

func (s *sink) Info(level int, message string, pairs ...any) {
	if a := s.of.attempt; a != nil && level == totalLevel {
		node := fmt.Sprint(value(pairs, "node"))
		switch message {
		case total:
			a.totals[node] = value(pairs, "score").(int64)
		case score:
			if a.scores[node] == nil {
				a.scores[node] = map[string]int64{}
			}
			a.scores[node][fmt.Sprint(value(pairs, "plugin"))] = value(pairs, "score").(int64)
		}
		return
	}
	if !release.Moved[message] {
		return
	}
	who := entityOf(pairs)
	event, queue := fmt.Sprint(value(pairs, "event")), strings.ToLower(fmt.Sprint(value(pairs, "queue")))
	if event == "ScheduleAttemptFailure" && level != requeueLevel || leftOut(who, queue, event) {
		return
	}
	s.of.line("in %s %s %s", who, queue, event)
	s.of.rouse()
}

func value(pairs []any, name string) any {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return nil
}

// entityOf names the pod or the group that a line is about.
func entityOf(pairs []any) string {
	for _, name := range []string{"pod", "entity"} {
		if who := value(pairs, name); who != nil && fmt.Sprint(value(pairs, "type")) != "podgroup" {
			return fmt.Sprint(who)
		}
	}
	if group := value(pairs, "podGroup"); group != nil {
		return groupEntity + fmt.Sprint(group)
	}
	return groupEntity + fmt.Sprint(value(pairs, "entity"))
}

// leftOut: upstream does not tell of every group that stays unschedulable when its members become others.
func leftOut(who, queue, event string) bool {
	return strings.HasPrefix(who, groupEntity) && queue == "unschedulable" && event == "UnscheduledPodAdd"
}
