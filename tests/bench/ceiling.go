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
// whether it fits or not, and writes its Scheduled event. No scheduler can be faster on this machine.
type ceiling struct {
	client kubernetes.Interface
	cancel context.CancelFunc
	group  sync.WaitGroup
	mutex  sync.Mutex
	failed error
}

func (*ceiling) name() string { return "ceiling" }

func (c *ceiling) start(ctx context.Context, on *live) error {
	ctx, c.cancel = context.WithCancel(ctx)
	c.client = on.client
	from, err := newest(ctx, c.client)
	if err != nil {
		return err
	}
	toBind, toTell := newQueue[bound](), newQueue[bound]()
	events := make(chan watch.Event)
	pass := func(event watch.Event) {
		select {
		case events <- event:
		case <-ctx.Done():
		}
	}
	c.group.Go(func() { c.note(ctx, follow(ctx, from, c.client.CoreV1().Nodes().Watch, pass)) })
	c.group.Go(func() { c.note(ctx, follow(ctx, from, c.client.CoreV1().Pods("").Watch, pass)) })
	c.group.Go(func() { c.hand(ctx, events, toBind) })
	for range binders {
		c.group.Go(func() {
			for next, more := toBind.take(); more; next, more = toBind.take() {
				if c.note(ctx, c.bind(ctx, next)) {
					toTell.put(next)
				}
			}
		})
	}
	for range tellers {
		c.group.Go(func() {
			for next, more := toTell.take(); more; next, more = toTell.take() {
				c.note(ctx, c.tell(ctx, next))
			}
		})
	}
	go func() {
		<-ctx.Done()
		toBind.close()
		toTell.close()
	}()
	return nil
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

// tell writes the event as kube-scheduler would.
func (c *ceiling) tell(ctx context.Context, b bound) error {
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
		Reason:              "Scheduled",
		Type:                corev1.EventTypeNormal,
		Regarding: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: b.pod.Namespace, Name: b.pod.Name,
			UID: b.pod.UID, ResourceVersion: b.pod.ResourceVersion},
		Note: fmt.Sprintf("Successfully assigned %s/%s to %s", b.pod.Namespace, b.pod.Name, b.node),
	}
	return c.client.EventsV1().RESTClient().Post().Namespace(b.pod.Namespace).Resource("events").Body(event).Do(ctx).Error()
}

// note keeps the first error, unless it is only that the end has come, and says whether there was none.
func (c *ceiling) note(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	if errors.IsNotFound(err) {
		return false // The workload has deleted the pod meanwhile.
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.failed == nil {
		c.failed = fmt.Errorf("the ceiling client: %w", err)
	}
	return false
}

func (c *ceiling) usage() (time.Duration, int64, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return 0, 0, c.failed
}

func (c *ceiling) stop() error {
	c.cancel()
	c.group.Wait()
	_, _, err := c.usage()
	return err
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
