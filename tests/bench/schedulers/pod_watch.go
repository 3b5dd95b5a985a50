// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// openPods shows each pod once, when it is open for a scheduler: neither bound nor gated nor being deleted, and with the claims that
// it has by templates. It reads no more of the watch than that takes: where every pod is open at once, none is decoded again.
func openPods(ctx context.Context, client kubernetes.Interface, show func(*corev1.Pod)) error {
	p := &podWatch{shown: map[types.UID]bool{}, show: show}
	return watchFrames(ctx, client.CoreV1().RESTClient(), "pods", p.take)
}

type podWatch struct {
	shown map[types.UID]bool
	later int // pods that have come before they were open, ever: where there are none, changes are of no interest
	show  func(*corev1.Pod)
}

func (p *podWatch) read(stream io.Reader) error { return readFrames(stream, p.take) }

func (p *podWatch) take(kind watch.EventType, object []byte) error {
	if kind != watch.Added && (kind != watch.Modified || p.later == 0) {
		return nil
	}
	pod := &corev1.Pod{}
	if err := decode(object, pod); err != nil || p.shown[pod.UID] || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
		return err
	}
	if _, complete := claimsOf(pod); len(pod.Spec.SchedulingGates) > 0 || !complete {
		p.later++
		return nil
	}
	p.shown[pod.UID] = true
	p.show(pod)
	return nil
}

// claimsOf are the names of a pod's claims; complete says whether all are made that it has by templates.
func claimsOf(pod *corev1.Pod) (names []string, complete bool) {
	made := map[string]*string{}
	for _, status := range pod.Status.ResourceClaimStatuses {
		made[status.Name] = status.ResourceClaimName
	}
	for _, claim := range pod.Spec.ResourceClaims {
		if claim.ResourceClaimName != nil {
			names = append(names, *claim.ResourceClaimName)
			continue
		}
		name, there := made[claim.Name]
		if !there {
			return nil, false
		}
		if name != nil {
			names = append(names, *name)
		}
	}
	return names, true
}
