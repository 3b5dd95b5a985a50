// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "unsafe" // for go:linkname

	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	_ "k8s.io/kubernetes/pkg/scheduler" // has buildQueueingHintMap
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
)

// What kube-scheduler's queue does by itself, on timers of its own (one of them not of the fake
// clock). It is called here at the very moments at which those timers go off.

//go:linkname flushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoff(queue *internalqueue.PriorityQueue, logger klog.Logger)

// How kube-scheduler makes a profile's registrations known to its queue.
//
//go:linkname buildQueueingHintMap k8s.io/kubernetes/pkg/scheduler.buildQueueingHintMap
func buildQueueingHintMap(ctx context.Context, plugins []fwk.EnqueueExtensions) (internalqueue.QueueingHintMap, error)
