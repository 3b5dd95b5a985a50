// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	testingclock "k8s.io/utils/clock/testing"
)

// between is how much time passes before each step: no two pods arrive at the same moment, so
// that QueueSort tells all of them apart.
const between = time.Microsecond

const flushPeriod = 30 * time.Second

// upstream plays a script on kube-scheduler's queue and writes down what happens.
type upstream struct {
	ctx      context.Context
	logger   klog.Logger
	sink     *sink
	clock    *testingclock.FakeClock
	queue    *internalqueue.PriorityQueue
	whole    bool      // nothing is taken from the backoff queue early
	flushAt  time.Time // of the unschedulable queue, next
	informer cache.Indexer

	answers map[answer]string // without Says
	gates   map[string]gate   // by key of the pod
	pods    map[string]*v1.Pod
	flying  []*framework.QueuedPodInfo // in the order in which they were popped
	states  map[string]string          // as last written down
	counts  map[string]int             // entries by queue and event, as they were logged
	lines   []string
	number  int
}

type gate struct {
	plugin string
	code   int
}

var process = sync.OnceValues(func() (*metrics.MetricAsyncRecorder, informers.SharedInformerFactory) {
	klog.SetLogger(klog.Logger{}) // Upstream's own chatter goes nowhere.
	metrics.Register()
	recorder := metrics.NewMetricsAsyncRecorder(1000, time.Hour, context.Background().Done())
	return recorder, informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
})

func newUpstream(s *script) (*upstream, error) {
	recorder, factory := process()
	w := &upstream{
		sink: &sink{}, clock: testingclock.NewFakeClock(time.Unix(0, s.Settings.StartNs)),
		informer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
		answers:  map[answer]string{}, gates: map[string]gate{}, pods: map[string]*v1.Pod{},
		states: map[string]string{}, counts: map[string]int{},
	}
	w.logger = w.sink.logger()
	w.ctx = klog.NewContext(context.Background(), w.logger)
	w.flushAt = w.clock.Now().Add(flushPeriod)
	for _, a := range s.Answers {
		w.answer(a)
	}
	byName := map[string]scripted{}
	for _, p := range s.Plugins {
		byName[p.Name] = scripted{plugin: p, world: w}
	}
	hints := internalqueue.QueueingHintMapPerProfile{}
	gates := map[string]map[string]fwk.PreEnqueuePlugin{}
	for _, p := range s.Profiles {
		var enqueue []fwk.EnqueueExtensions
		gates[p.Name] = map[string]fwk.PreEnqueuePlugin{}
		for _, name := range p.Plugins {
			enqueue = append(enqueue, byName[name])
			if byName[name].Gate {
				gates[p.Name][name] = byName[name]
			}
		}
		var err error
		if hints[p.Name], err = buildQueueingHintMap(w.ctx, enqueue); err != nil {
			return nil, err
		}
	}
	// The queue asks when it is made.
	gate := fmt.Sprintf("%s=%t", features.SchedulerPopFromBackoffQ, !s.Settings.WholeBackoff)
	if err := utilfeature.DefaultMutableFeatureGate.Set(gate); err != nil {
		return nil, err
	}
	w.whole = s.Settings.WholeBackoff
	w.queue = internalqueue.NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory,
		internalqueue.WithClock(w.clock),
		internalqueue.WithPodInitialBackoffDuration(time.Duration(s.Settings.InitialBackoffSeconds)*time.Second),
		internalqueue.WithPodMaxBackoffDuration(time.Duration(s.Settings.MaxBackoffSeconds)*time.Second),
		internalqueue.WithPodMaxInUnschedulablePodsDuration(time.Duration(s.Settings.LongestUnschedulableSecond)*time.Second),
		internalqueue.WithPodLister(listersv1.NewPodLister(w.informer)),
		internalqueue.WithMetricsRecorder(recorder),
		internalqueue.WithPreEnqueuePluginMap(gates),
		internalqueue.WithQueueingHintMapPerProfile(hints))
	return w, nil
}

func (w *upstream) answer(a answer) {
	w.answers[answer{Plugin: a.Plugin, Pod: a.Pod}] = a.Says
}

// play does one step and writes down what it changed.
func (w *upstream) play(s step) {
	w.line("step %d %s", w.number, s.Do)
	w.number++
	w.sink.entries = nil
	w.pass(between)
	w.do(s)
	w.report(s.Do == "requeue")
}

func (w *upstream) do(s step) {
	switch s.Do {
	case "add":
		w.add(s.Pod)
	case "update":
		w.update(s.Pod)
	case "delete":
		w.remove(s.Pod)
	case "pop":
		w.pop()
	case "requeue":
		w.requeue(s)
	case "done":
		w.land(s.UID)
		w.queue.Done(uid(s.UID))
	case "node":
		w.node(s.OldNode, s.Node)
	case "assigned":
		w.assigned(s.OldPod, s.Pod)
	case "event":
		w.move(fwk.ClusterEvent{Resource: fwk.EventResource(s.Resource), ActionType: fwk.ActionType(s.Actions)}, nil, nil)
	case "activate":
		w.activate(s.Keys)
	case "gate":
		w.gates[s.Key] = gate{s.Plugin, s.Code}
	case "answer":
		w.answer(*s.Answer)
	case "sleep":
		w.pass(time.Duration(s.Ns))
	default:
		panic("no such step: " + s.Do)
	}
}

func (w *upstream) add(pod *v1.Pod) {
	if w.flight(string(pod.UID)) != nil {
		return // The watch does not show a pod as new twice.
	}
	w.know(pod)
	w.queue.Add(w.ctx, pod)
}

func (w *upstream) update(pod *v1.Pod) {
	old := w.pods[keyOf(pod)]
	if old == nil || old.UID != pod.UID {
		return
	}
	w.know(pod)
	w.queue.Update(w.ctx, old, pod)
	if old.Status.NominatedNodeName != pod.Status.NominatedNodeName {
		w.freeNomination(old)
	}
}

func (w *upstream) remove(pod *v1.Pod) {
	old := w.pods[keyOf(pod)]
	if old == nil {
		return
	}
	delete(w.pods, keyOf(pod))
	_ = w.informer.Delete(old)
	release.Delete(w.queue, w.logger, old)
	w.freeNomination(old)
}

// freeNomination is what the event handlers do when a pod gives up the node it was promised.
func (w *upstream) freeNomination(pod *v1.Pod) {
	if pod.Status.NominatedNodeName == "" {
		return
	}
	priority := corev1helpers.PodPriority(pod)
	w.queue.MoveAllToActiveOrBackoffQueue(w.logger, framework.EventAssignedPodDelete, pod, nil,
		func(other *v1.Pod) bool { return corev1helpers.PodPriority(other) <= priority })
}

func (w *upstream) know(pod *v1.Pod) {
	w.pods[keyOf(pod)] = pod
	_ = w.informer.Update(pod)
}

func (w *upstream) pop() {
	if w.whole {
		flushBackoff(w.queue, w.logger) // Upstream's timer goes off each second from its start on, Berth's at once.
	}
	if !w.ready() {
		return
	}
	early := len(w.queue.PodsInActiveQ()) == 0
	popped, err := release.Pop(w.queue, w.logger)
	if err != nil {
		panic(err)
	}
	if early {
		w.sink.entries = append(w.sink.entries, entry{keyOf(popped.Pod), "active", framework.PopFromBackoffQ, 0})
	}
	w.flying = append(w.flying, popped)
	w.line("  pop %s", w.describe(popped))
}

// ready: Pop would not wait.
func (w *upstream) ready() bool {
	return len(w.queue.PodsInActiveQ()) > 0 || !w.whole && slices.ContainsFunc(w.queue.PodsInBackoffQ(), func(pod *v1.Pod) bool {
		info := release.Queued(w.queue, pod)
		return info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0
	})
}

// requeue is what the scheduler does when an attempt fails.
func (w *upstream) requeue(s step) {
	info := w.land(s.UID)
	if info == nil {
		return
	}
	current := w.pods[keyOf(info.Pod)]
	if current == nil || current.UID != info.Pod.UID {
		w.queue.Done(info.Pod.UID)
		return
	}
	info.ClearRejectorPlugins()
	info.UnschedulablePlugins = set(s.Unschedulable)
	info.PendingPlugins = set(s.Pending)
	info.PodInfo, _ = framework.NewPodInfo(current.DeepCopy())
	if err := release.Requeue(w.queue, w.logger, info); err != nil {
		w.line("  %s", err)
	}
}

func (w *upstream) activate(keys []string) {
	pods := map[string]*v1.Pod{}
	for _, key := range keys {
		if pod := w.pods[key]; pod != nil {
			pods[key] = pod
		}
	}
	w.queue.Activate(w.logger, pods)
}

func (w *upstream) node(old, new *v1.Node) {
	switch {
	case old == nil:
		w.move(fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}, nil, new)
	case new == nil:
		w.move(fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Delete}, old, nil)
	default:
		for _, event := range framework.NodeSchedulingPropertiesChange(new, old) {
			w.move(event, old, new)
		}
	}
}

func (w *upstream) assigned(old, new *v1.Pod) {
	switch {
	case old == nil:
		w.move(framework.EventAssignedPodAdd, nil, new)
	case new == nil:
		w.move(framework.EventAssignedPodDelete, old, nil)
	default:
		for _, event := range release.PodChanges(new, old) {
			w.move(event, old, new)
		}
	}
}

func (w *upstream) move(event fwk.ClusterEvent, old, new any) {
	w.queue.MoveAllToActiveOrBackoffQueue(w.logger, event, old, new, nil)
}

// pass lets time go by, and the queue's own timers go off.
func (w *upstream) pass(ns time.Duration) {
	end := w.clock.Now().Add(ns)
	for {
		next := w.clock.Now().Truncate(time.Second).Add(time.Second)
		if w.flushAt.Before(next) {
			next = w.flushAt
		}
		if next.After(end) {
			break
		}
		w.clock.SetTime(next)
		flushBackoff(w.queue, w.logger)
		if !next.Before(w.flushAt) {
			release.FlushUnschedulable(w.queue, w.logger)
			w.flushAt = w.flushAt.Add(flushPeriod)
		}
	}
	w.clock.SetTime(end)
}

func (w *upstream) flight(uid string) *framework.QueuedPodInfo {
	i := slices.IndexFunc(w.flying, func(info *framework.QueuedPodInfo) bool { return string(info.Pod.UID) == uid })
	if i < 0 {
		return nil
	}
	return w.flying[i]
}

// land takes a pod out of the list of those in flight.
func (w *upstream) land(uid string) *framework.QueuedPodInfo {
	info := w.flight(uid)
	w.flying = slices.DeleteFunc(w.flying, func(each *framework.QueuedPodInfo) bool { return each == info })
	return info
}

// report writes down the entries into queues since the step began, by pod, and every pod whose
// state is another than before.
func (w *upstream) report(requeued bool) {
	entries := w.sink.of(requeued)
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.pod, b.pod) })
	for _, e := range entries {
		w.line("  in %s %s %s", e.pod, e.queue, e.event)
		w.counts[e.queue+" "+e.event]++
	}
	now := map[string]string{}
	for where, pods := range map[string][]*v1.Pod{
		"active": w.queue.PodsInActiveQ(), "backoff": w.queue.PodsInBackoffQ(), "unschedulable": w.queue.UnschedulablePods(),
	} {
		for _, pod := range pods {
			if before, twice := now[keyOf(pod)]; twice {
				now[keyOf(pod)] = before + " and in another queue"
				continue
			}
			info := release.Queued(w.queue, pod)
			state := where + " " + w.describe(info)
			if where == "backoff" {
				state += fmt.Sprint(" until=", stamp(info.BackoffExpiration))
			}
			now[keyOf(pod)] = state
		}
	}
	changed := maps.Clone(now)
	for key := range w.states {
		if _, still := now[key]; !still {
			changed[key] = "gone"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changed)) {
		if w.states[key] != changed[key] {
			w.line("  state %s %s", key, changed[key])
		}
	}
	w.states = now
}

func (w *upstream) describe(info *framework.QueuedPodInfo) string {
	initial := int64(0)
	if info.InitialAttemptTimestamp != nil {
		initial = stamp(*info.InitialAttemptTimestamp)
	}
	return fmt.Sprintf("%s version=%s attempts=%d queued=%d initial=%d rejected=%d broke=%d by=%s waits=%s gate=%s",
		keyOf(info.Pod), info.Pod.ResourceVersion, info.Attempts, stamp(info.Timestamp), initial, info.UnschedulableCount,
		info.ConsecutiveErrorsCount, names(info.UnschedulablePlugins), names(info.PendingPlugins), info.GatingPlugin)
}

func (w *upstream) line(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
