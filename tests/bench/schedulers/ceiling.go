// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// settings are how the ceiling client writes. Which are the fastest depends on the machine, so they are searched for.
type settings struct {
	Connections, Bindings, Events int // the last two: how many are under way at a time
}

func (s settings) String() string {
	return fmt.Sprintf("%d connections, %d bindings and %d events under way", s.Connections, s.Bindings, s.Events)
}

// ceiling writes what a scheduler writes and decides nothing: it binds every pod that its watch shows to the next node,
// whether it fits or not, and writes its Scheduled event. No scheduler can be faster on this machine. It is a process of its
// own, as a scheduler is (`bench ceiling`), with a scheduler's credentials.
type ceiling struct {
	connections []*connection
	turn        atomic.Int64
	toBind      lane // and what else a scheduler writes about pods
	toTell      lane
	repeat      writes
	devices     *ceilingClaims
	ctx         context.Context
	end         context.CancelFunc
	mutex       sync.Mutex
	failed      error
	begun       int // pods that it has begun to write about
	prey        []bound
}

// runCeiling goes on until ctx ends.
func runCeiling(ctx context.Context, config *rest.Config, how settings, repeat writes) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c := &ceiling{repeat: repeat, devices: newCeilingClaims(), toBind: lane{most: how.Bindings}, toTell: lane{most: how.Events}}
	c.ctx, c.end = context.WithCancel(ctx)
	defer c.end()
	for range how.Connections {
		connection, err := connect(config)
		if err != nil {
			return err
		}
		defer connection.close()
		c.connections = append(c.connections, connection)
	}
	pods := make(chan *corev1.Pod)
	nodes := make(chan string)
	var group sync.WaitGroup
	group.Go(func() {
		// Without a version a watch begins with all that is there.
		c.endOn(follow(c.ctx, "", client.CoreV1().Nodes().Watch, func(event watch.Event) {
			if node, is := event.Object.(*corev1.Node); is && event.Type == watch.Added {
				give(c.ctx, nodes, node.Name)
			}
		}))
	})
	group.Go(func() {
		c.endOn(openPods(c.ctx, client, func(pod *corev1.Pod) { give(c.ctx, pods, pod) }))
	})
	for resource, take := range map[string]taker{"resourceslices": c.devices.takeSlice, "resourceclaims": c.devices.takeClaim} {
		group.Go(func() { c.endOn(watchFrames(c.ctx, client.ResourceV1().RESTClient(), resource, take)) })
	}
	group.Go(func() { c.hand(nodes, pods) })
	<-c.ctx.Done()
	group.Wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.failed
}

func give[T any](ctx context.Context, to chan<- T, one T) {
	select {
	case to <- one:
	case <-ctx.Done():
	}
}

// hand begins with each new pod, on the next node in turn.
func (c *ceiling) hand(fromNodes <-chan string, fromPods <-chan *corev1.Pod) {
	var nodes []string
	var waiting []*corev1.Pod
	given := 0
	for {
		select {
		case <-c.ctx.Done():
			return
		case node := <-fromNodes:
			nodes = append(nodes, node)
		case pod := <-fromPods:
			waiting = append(waiting, pod)
		}
		if len(nodes) == 0 {
			continue
		}
		for _, pod := range waiting {
			c.begin(bound{pod, nodes[given%len(nodes)]})
			given++
		}
		waiting = waiting[:0]
	}
}

// begin writes this pod's share of what a scheduler wrote beside bindings and their events, then its claims, its binding and its
// event.
func (c *ceiling) begin(b bound) {
	c.mutex.Lock()
	number := c.begun
	c.begun++
	c.mutex.Unlock()
	for _, r := range c.repeated(b, number) {
		c.put(&c.toBind, r, nil)
	}
	c.placeWithClaims(b, func(b bound) {
		c.put(&c.toBind, bindingOf(b), func() {
			c.put(&c.toTell, eventOf(b, "Scheduled", fmt.Sprintf("Successfully assigned %s/%s to %s", b.pod.Namespace, b.pod.Name, b.node)), nil)
		})
	})
}

func (c *ceiling) repeated(b bound, number int) (out []request) {
	if c.repeat.more() == 0 {
		return nil
	}
	share := func(count int) int { return share(count, number, c.repeat.Bindings) }
	const message = "0/1 nodes are available: 1 Insufficient cpu."
	for range share(c.repeat.failures()) {
		out = append(out, eventOf(b, "FailedScheduling", message))
	}
	for i := range share(c.repeat.Statuses) {
		patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"%s %d"}]}}`,
			message, i)
		out = append(out, request{http.MethodPatch, podPath(b.pod) + "/status", string(types.StrategicMergePatchType), []byte(patch)})
	}
	for range share(c.repeat.Deletions) {
		if victim, found := c.victim(b); found {
			out = append(out, request{method: http.MethodDelete, path: podPath(victim.pod)})
		}
	}
	if c.repeat.Deletions > 0 {
		c.mutex.Lock()
		c.prey = append(c.prey, b)
		c.mutex.Unlock()
	}
	return out
}

// put sends a request in its turn; then happens if it is carried out.
func (c *ceiling) put(in *lane, r request, then func()) { c.putOr(in, r, then, nil) }

// putOr does otherwise if it is not carried out.
func (c *ceiling) putOr(in *lane, r request, then, otherwise func()) {
	in.put(func(over func()) {
		on := c.connections[c.turn.Add(1)%int64(len(c.connections))]
		on.send(r, func(status int, body []byte, err error) {
			over()
			if err == nil && status >= http.StatusMultipleChoices {
				err = refusal(r, status, body)
			}
			if !c.note(err) {
				then = otherwise
			}
			if then != nil {
				then()
			}
		})
	})
}

// refusal is the error that the API server answered with.
func refusal(r request, status int, body []byte) error {
	if object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), body); err == nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, errors.FromObject(object))
	}
	return fmt.Errorf("%s %s: status %d", r.method, r.path, status)
}

// note keeps the first error, unless it is only that the end has come, and says whether there was none.
func (c *ceiling) note(err error) bool {
	if err == nil || c.ctx.Err() != nil {
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

// endOn: nothing goes on without this watch.
func (c *ceiling) endOn(err error) {
	if !c.note(err) {
		c.end()
	}
}

// lane has at most so many requests under way, and the others wait in it.
type lane struct {
	most     int
	mutex    sync.Mutex
	underWay int
	waiting  []func(over func())
}

// put starts it, or has it wait until others are over. It never waits itself.
func (l *lane) put(start func(over func())) {
	l.mutex.Lock()
	if l.underWay >= l.most {
		l.waiting = append(l.waiting, start)
		l.mutex.Unlock()
		return
	}
	l.underWay++
	l.mutex.Unlock()
	start(l.over)
}

func (l *lane) over() {
	l.mutex.Lock()
	if len(l.waiting) == 0 {
		l.underWay--
		l.mutex.Unlock()
		return
	}
	next := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.mutex.Unlock()
	next(l.over)
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

func podPath(pod *corev1.Pod) string {
	return "/api/v1/namespaces/" + pod.Namespace + "/pods/" + pod.Name
}

func bindingOf(b bound) request {
	return post(podPath(b.pod)+"/binding", corev1.SchemeGroupVersion.WithKind("Binding"), &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.pod.Namespace, Name: b.pod.Name, UID: b.pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: b.node},
	})
}

// eventOf is an event as kube-scheduler would write it.
func eventOf(b bound, reason, note string) request {
	kind := corev1.EventTypeNormal
	if reason != "Scheduled" {
		kind = corev1.EventTypeWarning
	}
	return post("/apis/events.k8s.io/v1/namespaces/"+b.pod.Namespace+"/events", eventsv1.SchemeGroupVersion.WithKind("Event"), &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.pod.Namespace,
			Name:      fmt.Sprintf("%s.%x", b.pod.Name, time.Now().UnixNano()),
		},
		EventTime:           metav1.NowMicro(),
		ReportingController: "default-scheduler",
		ReportingInstance:   "default-scheduler-bench",
		Action:              "Binding",
		Reason:              reason,
		Type:                kind,
		Regarding: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: b.pod.Namespace, Name: b.pod.Name,
			UID: b.pod.UID, ResourceVersion: b.pod.ResourceVersion},
		Note: note,
	})
}

var toProtobuf = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// post creates an object, in protobuf.
func post(path string, kind schema.GroupVersionKind, object runtime.Object) request {
	return request{http.MethodPost, path, runtime.ContentTypeProtobuf, encoded(kind, object)}
}

func encoded(kind schema.GroupVersionKind, object runtime.Object) []byte {
	object.GetObjectKind().SetGroupVersionKind(kind)
	var body bytes.Buffer
	_ = toProtobuf.Encode(object, &body) // to memory
	return body.Bytes()
}
