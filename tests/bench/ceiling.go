// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// What the ceiling client has under way at a time.
const (
	binders = 64
	tellers = 32
)

// ceiling writes what a scheduler writes and decides nothing: it binds every pod that its watch shows to the next node,
// whether it fits or not, and writes its Scheduled event. No scheduler can be faster on this machine. It is a process of its
// own, as a scheduler is (`bench ceiling`).
type ceiling struct {
	client kubernetes.Interface
	repeat writes
	mutex  sync.Mutex
	failed error
	begun  int // pods that binders have taken
	prey   []bound
}

// runCeiling goes on until ctx ends.
func runCeiling(ctx context.Context, client kubernetes.Interface, repeat writes) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &ceiling{client: client, repeat: repeat}
	toBind, toTell := newQueue[bound](), newQueue[bound]()
	events := make(chan watch.Event)
	pass := func(event watch.Event) {
		select {
		case events <- event:
		case <-ctx.Done():
		}
	}
	var group sync.WaitGroup
	// Without a version a watch begins with all that is there.
	follower := func(open opener) func() {
		return func() {
			if !c.note(ctx, follow(ctx, "", open, pass)) {
				cancel()
			}
		}
	}
	group.Go(follower(c.client.CoreV1().Nodes().Watch))
	group.Go(follower(c.client.CoreV1().Pods("").Watch))
	group.Go(func() { c.hand(ctx, events, toBind) })
	for range binders {
		group.Go(func() {
			for next, more := toBind.take(); more; next, more = toBind.take() {
				c.repeatWrites(ctx, next)
				if c.note(ctx, c.bind(ctx, next)) {
					toTell.put(next)
				}
			}
		})
	}
	for range tellers {
		group.Go(func() {
			for next, more := toTell.take(); more; next, more = toTell.take() {
				c.note(ctx, c.tell(ctx, next, "Scheduled", fmt.Sprintf("Successfully assigned %s/%s to %s",
					next.pod.Namespace, next.pod.Name, next.node)))
			}
		})
	}
	<-ctx.Done()
	toBind.close()
	toTell.close()
	group.Wait()
	return c.failed
}

// repeatWrites makes this pod's share of what the scheduler's run wrote beside bindings and their events.
func (c *ceiling) repeatWrites(ctx context.Context, b bound) {
	if c.repeat.more() == 0 {
		return
	}
	c.mutex.Lock()
	number := c.begun
	c.begun++
	c.mutex.Unlock()
	share := func(count int) int { return share(count, number, c.repeat.Bindings) }
	const message = "0/1 nodes are available: 1 Insufficient cpu."
	for range share(c.repeat.failures()) {
		c.note(ctx, c.tell(ctx, b, "FailedScheduling", message))
	}
	for i := range share(c.repeat.Statuses) {
		patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"%s %d"}]}}`,
			message, i)
		c.note(ctx, c.client.CoreV1().RESTClient().Patch(types.StrategicMergePatchType).Namespace(b.pod.Namespace).
			Resource("pods").Name(b.pod.Name).SubResource("status").Body([]byte(patch)).Do(ctx).Error())
	}
	for range share(c.repeat.Deletions) {
		if victim, found := c.victim(b); found {
			c.note(ctx, c.client.CoreV1().Pods(victim.pod.Namespace).Delete(ctx, victim.pod.Name, metav1.DeleteOptions{}))
		}
	}
	if c.repeat.Deletions > 0 {
		c.mutex.Lock()
		c.prey = append(c.prey, b)
		c.mutex.Unlock()
	}
}

// share divides a count evenly: what comes to one of so many.
func share(count, number, of int) int { return (number+1)*count/of - number*count/of }

// victim is the pod bound first of those that a pod may preempt.
func (c *ceiling) victim(of bound) (victim bound, found bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, one := range c.prey {
		if priority(one.pod) < priority(of.pod) {
			c.prey = append(c.prey[:i], c.prey[i+1:]...)
			return one, true
		}
	}
	return bound{}, false
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// bound is a pod that is to be bound, and where.
type bound struct {
	pod  *corev1.Pod
	node string
}

// hand gives each new pod to the binders, with the next node in turn.
func (c *ceiling) hand(ctx context.Context, events <-chan watch.Event, toBind *queue[bound]) {
	var nodes []string
	var waiting []*corev1.Pod
	taken := map[types.UID]bool{}
	given := 0
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-events:
			switch object := event.Object.(type) {
			case *corev1.Node:
				if event.Type == watch.Added {
					nodes = append(nodes, object.Name)
				}
			case *corev1.Pod:
				open := object.Spec.NodeName == "" && len(object.Spec.SchedulingGates) == 0 && object.DeletionTimestamp == nil
				if open && event.Type != watch.Deleted && !taken[object.UID] {
					taken[object.UID] = true
					waiting = append(waiting, object)
				}
			}
		}
		if len(nodes) == 0 {
			continue
		}
		for _, pod := range waiting {
			toBind.put(bound{pod, nodes[given%len(nodes)]})
			given++
		}
		waiting = waiting[:0]
	}
}

func (c *ceiling) bind(ctx context.Context, b bound) error {
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.pod.Namespace, Name: b.pod.Name, UID: b.pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: b.node},
	}
	return c.client.CoreV1().RESTClient().Post().Namespace(b.pod.Namespace).Resource("pods").Name(b.pod.Name).
		SubResource("binding").Body(binding).Do(ctx).Error()
}

// tell writes an event as kube-scheduler would.
func (c *ceiling) tell(ctx context.Context, b bound, reason, note string) error {
	kind := corev1.EventTypeNormal
	if reason != "Scheduled" {
		kind = corev1.EventTypeWarning
	}
	now := metav1.NowMicro()
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.pod.Namespace,
			Name:      fmt.Sprintf("%s.%x", b.pod.Name, time.Now().UnixNano()),
		},
		EventTime:           now,
		ReportingController: "default-scheduler",
		ReportingInstance:   "default-scheduler-bench",
		Action:              "Binding",
		Reason:              reason,
		Type:                kind,
		Regarding: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: b.pod.Namespace, Name: b.pod.Name,
			UID: b.pod.UID, ResourceVersion: b.pod.ResourceVersion},
		Note: note,
	}
	return c.client.EventsV1().RESTClient().Post().Namespace(b.pod.Namespace).Resource("events").Body(event).Do(ctx).Error()
}

// note keeps the first error, unless it is only that the end has come, and says whether there was none.
func (c *ceiling) note(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	if errors.IsNotFound(err) {
		return false // The pod was deleted meanwhile.
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.failed == nil {
		c.failed = fmt.Errorf("the ceiling client: %w", err)
	}
	return false
}

// queue has no bound, so that whoever fills it never waits.
type queue[T any] struct {
	mutex  sync.Mutex
	filled sync.Cond
	items  []T
	closed bool
}

func newQueue[T any]() *queue[T] {
	q := &queue[T]{}
	q.filled.L = &q.mutex
	return q
}

func (q *queue[T]) put(item T) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.items = append(q.items, item)
	q.filled.Signal()
}

// take waits for an item; false means that the queue is closed.
func (q *queue[T]) take() (item T, more bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.items) == 0 && !q.closed {
		q.filled.Wait()
	}
	if q.closed {
		return item, false
	}
	item = q.items[0]
	q.items = q.items[1:]
	return item, true
}

func (q *queue[T]) close() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.closed = true
	q.filled.Broadcast()
}
