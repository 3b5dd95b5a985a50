// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// observer sees what the API server tells every client: which pods there are, which are bound, and which have their
// Scheduled event. What it measures is therefore the same for every scheduler.
type observer struct {
	patience time.Duration // how long the scheduler may do nothing while something is waited for
	mutex    sync.Mutex
	pods     map[types.UID]*sighting
	told     map[types.UID]bool       // has its Scheduled event
	reached  map[string]map[stage]int // by namespace
	bell     chan struct{}            // rings when a pod is bound
	failure  error
}

// sighting is one pod; a time is zero until it was seen.
type sighting struct {
	namespace                 string
	created, bound            time.Time
	attempted, measured, gone bool
}

// observe begins with an empty API server and goes on until ctx ends.
func observe(ctx context.Context, client kubernetes.Interface) (*observer, error) {
	o := &observer{patience: time.Minute, pods: map[types.UID]*sighting{}, told: map[types.UID]bool{}, reached: map[string]map[stage]int{},
		bell: make(chan struct{}, 1)}
	from, err := newest(ctx, client)
	if err != nil {
		return nil, err
	}
	go o.follow(ctx, "pods", from, client.CoreV1().Pods("").Watch, o.seePod)
	go o.follow(ctx, "events", from, func(ctx context.Context, list metav1.ListOptions) (watch.Interface, error) {
		list.FieldSelector = "reason=Scheduled"
		return client.CoreV1().Events("").Watch(ctx, list)
	}, o.seeEvent)
	return o, nil
}

func (o *observer) follow(ctx context.Context, what, from string, open opener, see func(watch.Event)) {
	if err := follow(ctx, from, open, see); err != nil {
		o.fail(fmt.Errorf("the watch of %s: %w", what, err))
	}
}

func (o *observer) fail(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.failure == nil {
		o.failure = err
	}
}

func (o *observer) seePod(event watch.Event) {
	pod, is := event.Object.(*corev1.Pod)
	if !is {
		return
	}
	now := time.Now()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	seen := o.pods[pod.UID]
	if seen == nil {
		seen = &sighting{namespace: pod.Namespace, created: now}
		o.pods[pod.UID] = seen
	}
	seen.gone = event.Type == watch.Deleted
	isBound := pod.Spec.NodeName != ""
	if isBound && seen.bound.IsZero() {
		seen.bound = now
		o.count(pod.Namespace, scheduled)
	}
	// The API server itself gives the condition to a pod with scheduling gates.
	if isAttempted := isBound || slices.ContainsFunc(pod.Status.Conditions, isPodScheduled); isAttempted && !seen.attempted {
		seen.attempted = true
		o.count(pod.Namespace, attempted)
	}
}

func isPodScheduled(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled }

// count is called with the lock held.
func (o *observer) count(namespace string, reached stage) {
	if o.reached[namespace] == nil {
		o.reached[namespace] = map[stage]int{}
	}
	o.reached[namespace][reached]++
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

func (o *observer) seeEvent(event watch.Event) {
	if e, is := event.Object.(*corev1.Event); is && event.Type != watch.Deleted {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		o.told[e.InvolvedObject.UID] = true
	}
}

// until returns when done, which is called with the lock held, says so, and fails when progress, a number that grows,
// stands still for longer than patience allows.
func (o *observer) until(ctx context.Context, done func() (finished bool, progress int)) error {
	last, since := -1, time.Now()
	for {
		o.mutex.Lock()
		finished, progress := done()
		err := o.failure
		o.mutex.Unlock()
		if err != nil || finished {
			return err
		}
		if progress != last {
			last, since = progress, time.Now()
		} else if time.Since(since) > o.patience {
			return fmt.Errorf("nothing has happened for %v", o.patience)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// await waits until that many pods of the namespace have come so far.
func (o *observer) await(ctx context.Context, namespace string, reached stage, count int) error {
	now := 0
	err := o.until(ctx, func() (bool, int) {
		now = o.reached[namespace][reached]
		return now >= count, now
	})
	if err != nil {
		return fmt.Errorf("%d of %d pods of namespace %s are %s: %w", now, count, namespace, strings.ToLower(string(reached)), err)
	}
	return nil
}

// awaitAtOnce returns as soon as that many pods of the namespace are bound. Nothing else may wait so.
func (o *observer) awaitAtOnce(ctx context.Context, namespace string, count int) error {
	for {
		o.mutex.Lock()
		now, err := o.reached[namespace][scheduled], o.failure
		o.mutex.Unlock()
		if err != nil || now >= count {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.bell:
		}
	}
}

// awaitEvents waits until every bound pod that counts has its Scheduled event: the measured ones, or, before any are, all
// that still exist.
func (o *observer) awaitEvents(ctx context.Context, measured bool) error {
	bound, told := 0, 0
	err := o.until(ctx, func() (bool, int) {
		bound, told = 0, 0
		for uid, seen := range o.pods {
			if counts := seen.measured || !measured && !seen.gone; counts && !seen.bound.IsZero() {
				bound++
				if o.told[uid] {
					told++
				}
			}
		}
		return told == bound, told
	})
	if err != nil {
		return fmt.Errorf("%d pods are bound, and %d of them have a Scheduled event: %w", bound, told, err)
	}
	return nil
}

// mark chooses what is measured: the pods of these namespaces that are bound from now on.
func (o *observer) mark(begin time.Time, namespaces map[string]bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, seen := range o.pods {
		seen.measured = namespaces[seen.namespace] && seen.bound.After(begin)
	}
}

// times are what the measured pods show.
type times struct {
	pods     int
	length   time.Duration // from the begin of the measurement until the last pod was bound
	p50, p99 time.Duration // from a pod's creation until it was bound
}

func (t times) perSecond() float64 { return float64(t.pods) / t.length.Seconds() }

func (o *observer) times(begin time.Time) times {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var waits []time.Duration
	var last time.Time
	for _, seen := range o.pods {
		if !seen.measured {
			continue
		}
		waits = append(waits, seen.bound.Sub(seen.created))
		if seen.bound.After(last) {
			last = seen.bound
		}
	}
	if len(waits) == 0 {
		return times{}
	}
	sort.Slice(waits, func(i, j int) bool { return waits[i] < waits[j] })
	return times{len(waits), last.Sub(begin), quantile(waits, 50), quantile(waits, 99)}
}

// quantile of sorted values: the smallest that at least percent of them do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[(len(sorted)*percent+99)/100-1]
}
