// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// memoryAPI is an API server within kube-scheduler's process that costs next to nothing: an object is handed over as it is, and
// nothing is serialised, stored or authorised. It keeps the pods, tells a watch of them and binds them; all other objects are in
// client-go's own fake, and do not change.
type memoryAPI struct {
	*fake.Clientset
	mutex  sync.Mutex
	filled sync.Cond
	pods   map[string]*corev1.Pod // by namespace and name
	events []watch.Event          // that the watch has not taken
	bound  int
	ended  bool
}

func newMemoryAPI(objects []runtime.Object) *memoryAPI {
	a := &memoryAPI{Clientset: fake.NewSimpleClientset(objects...), pods: map[string]*corev1.Pod{}}
	a.filled.L = &a.mutex
	return a
}

func (a *memoryAPI) add(pods []*corev1.Pod) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, pod := range pods {
		a.pods[pod.Namespace+"/"+pod.Name] = pod
		a.events = append(a.events, watch.Event{Type: watch.Added, Object: pod})
	}
	a.filled.Broadcast()
}

func (a *memoryAPI) bind(binding *corev1.Binding) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	key := binding.Namespace + "/" + binding.Name
	before := a.pods[key]
	if before == nil || before.Spec.NodeName != "" || binding.UID != before.UID {
		return fmt.Errorf("pod %s cannot be bound", key)
	}
	pod := before.DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.Now()})
	a.pods[key] = pod
	a.bound++
	a.events = append(a.events, watch.Event{Type: watch.Modified, Object: pod})
	a.filled.Broadcast()
	return nil
}

// await returns when so many pods are bound, and fails when none is for that long.
func (a *memoryAPI) await(ctx context.Context, count int, patience time.Duration) error {
	seen, since := -1, time.Now()
	for {
		a.mutex.Lock()
		bound := a.bound
		a.mutex.Unlock()
		if bound >= count {
			return nil
		}
		if bound != seen {
			seen, since = bound, time.Now()
		} else if time.Since(since) > patience {
			return fmt.Errorf("void: %d of %d pods were placed, and no other in %v", bound, count, patience)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// informer is the one of pods, which reads this watch.
func (a *memoryAPI) informer(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(podsInMemory{&cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
			return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return a.watch(), nil },
	}}, &corev1.Pod{}, 0, cache.Indexers{})
}

// podsInMemory are listed first and watched then, as with an older API server.
type podsInMemory struct{ *cache.ListWatch }

func (podsInMemory) IsWatchListSemanticsUnSupported() bool { return true }

// memoryWatch has no bound, so that the API never waits for the scheduler.
type memoryWatch struct {
	api *memoryAPI
	out chan watch.Event
}

func (a *memoryAPI) watch() watch.Interface {
	w := memoryWatch{a, make(chan watch.Event, 100)}
	go w.run()
	return w
}

func (w memoryWatch) run() {
	defer close(w.out)
	for {
		w.api.mutex.Lock()
		for len(w.api.events) == 0 && !w.api.ended {
			w.api.filled.Wait()
		}
		events, ended := w.api.events, w.api.ended
		w.api.events = nil
		w.api.mutex.Unlock()
		if ended {
			return
		}
		for _, event := range events {
			w.out <- event
		}
	}
}

func (w memoryWatch) ResultChan() <-chan watch.Event { return w.out }

func (w memoryWatch) Stop() {
	w.api.mutex.Lock()
	defer w.api.mutex.Unlock()
	w.api.ended = true
	w.api.filled.Broadcast()
}

// CoreV1 is the fake's, but for bindings.
func (a *memoryAPI) CoreV1() corev1client.CoreV1Interface { return memoryCore{a.Clientset.CoreV1(), a} }

type memoryCore struct {
	corev1client.CoreV1Interface
	api *memoryAPI
}

func (c memoryCore) Pods(namespace string) corev1client.PodInterface {
	return memoryPods{c.CoreV1Interface.Pods(namespace), c.api}
}

type memoryPods struct {
	corev1client.PodInterface
	api *memoryAPI
}

func (p memoryPods) Bind(_ context.Context, binding *corev1.Binding, _ metav1.CreateOptions) error {
	return p.api.bind(binding)
}
