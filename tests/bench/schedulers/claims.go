// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
)

// claimWorkers is how many claims upstream's harness has its controller write at a time.
const claimWorkers = 5

// startClaimController makes the claims that pods have by templates, as upstream's harness does in its process, until ctx ends. It
// is kube-controller-manager's own; what it uses is no part of a scheduler's CPU time. It applies the statuses of pods, which the API
// server counts apart from the patches of schedulers.
func startClaimController(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, claims := factory.Core().V1().Pods(), factory.Resource().V1()
	controller, err := resourceclaim.NewController(klog.FromContext(ctx), resourceclaim.Features{AdminAccess: true, PrioritizedList: true}, client,
		pods, factory.Scheduling().V1alpha2().PodGroups(), claims.ResourceClaims(), claims.ResourceClaimTemplates())
	if err != nil {
		return err
	}
	gone := make(chan *corev1.Pod, 1000)
	if _, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) {
		if last, is := object.(cache.DeletedFinalStateUnknown); is {
			object = last.Obj
		}
		if pod, is := object.(*corev1.Pod); is {
			give(ctx, gone, pod)
		}
	}}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go controller.Run(ctx, claimWorkers)
	for range claimWorkers {
		go collectClaims(ctx, client, gone)
	}
	return ctx.Err()
}

// collectClaims deletes the claims that were made for a pod which is gone: what the garbage collector does in a cluster.
func collectClaims(ctx context.Context, client kubernetes.Interface, gone <-chan *corev1.Pod) {
	for {
		select {
		case <-ctx.Done():
			return
		case pod := <-gone:
			for _, name := range madeFor(pod) {
				// An error leaves a claim that no pod uses; the controller has taken its devices away.
				_ = client.ResourceV1().ResourceClaims(pod.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
			}
		}
	}
}

// madeFor are the names of the claims that belong to a pod.
func madeFor(pod *corev1.Pod) (names []string) {
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.ResourceClaimName != nil {
			names = append(names, *status.ResourceClaimName)
		}
	}
	if special := pod.Status.ExtendedResourceClaimStatus; special != nil {
		names = append(names, special.ResourceClaimName)
	}
	return names
}

// informed is how long the schedulers have to learn of slices and claims. Upstream looks into its scheduler's cache instead.
const informed = time.Second

func (l *live) addSlices(ctx context.Context, slices []*resourcev1.ResourceSlice) error {
	err := inParallel(ctx, len(slices), func(i int) error {
		return l.client.ResourceV1().RESTClient().Post().Resource("resourceslices").Body(slices[i]).Do(ctx).Error()
	})
	if err != nil {
		return err
	}
	return l.pause(ctx, informed)
}

func (l *live) allocateClaims(ctx context.Context, namespace string) error {
	in, err := l.inventory(ctx)
	if err != nil {
		return err
	}
	list, err := l.client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	allocated, err := in.allocate(ctx, pointers(list.Items))
	if err != nil {
		return err
	}
	err = inParallel(ctx, len(allocated), func(i int) error {
		_, err := l.client.ResourceV1().ResourceClaims(allocated[i].Namespace).UpdateStatus(ctx, allocated[i], metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	return l.pause(ctx, informed)
}

// inventory asks the API server for what there is.
func (l *live) inventory(ctx context.Context) (inventory, error) {
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return inventory{}, err
	}
	slices, err := l.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return inventory{}, err
	}
	classes, err := l.client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return inventory{}, err
	}
	in := inventory{pointers(nodes.Items), pointers(slices.Items), deviceClasses{}}
	for _, class := range pointers(classes.Items) {
		in.classes[class.Name] = class
	}
	return in, nil
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// createSteadily has a batch of pods at a time, as many as are given.
func (l *live) createSteadily(ctx context.Context, namespace string, length time.Duration, pods []*corev1.Pod) error {
	steady, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	for count := len(pods); ; count += len(pods) {
		if err := l.batch(steady, namespace, pods, count); steady.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return err
		}
	}
}

// batch creates pods, and deletes them when so many were bound in all.
func (l *live) batch(ctx context.Context, namespace string, pods []*corev1.Pod, count int) error {
	if err := l.addPods(ctx, pods, nil); err != nil {
		return err
	}
	if err := l.observer.awaitAtOnce(ctx, namespace, count); err != nil {
		return err
	}
	return l.deleteAll(ctx, namespace, len(pods))
}

// deleteAll pods of a namespace at once, without the time in which a kubelet would end them.
func (l *live) deleteAll(ctx context.Context, namespace string, count int) error {
	l.deleted.Add(int64(count))
	now, background := int64(0), metav1.DeletePropagationBackground
	return l.client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &background},
		metav1.ListOptions{})
}
