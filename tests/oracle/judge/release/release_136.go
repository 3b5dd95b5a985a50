// SPDX-License-Identifier: Apache-2.0

//go:build !kube137

package release

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// Kubernetes is the release.
const Kubernetes = "1.36.3"

// GatedNominationCounts: a pod that a PreEnqueue plugin holds back takes up room on the node that its status names.
const GatedNominationCounts = false

// AddsKnownPods: the queue takes a pod that it has when that is shown as new.
const AddsKnownPods = true

// CapacityScoreEnds: the scheduler ends when it scores a CSIStorageCapacity that has a maximumVolumeSize and no capacity, or the
// capacity for a claim that names its class in an annotation.
const CapacityScoreEnds = false

// TaintRules: DeviceTaintRules count.
const TaintRules = false

// PodGroups: there are none.
const PodGroups = false

// NewCache is the scheduler's cache, without pod groups.
func NewCache(ctx context.Context) internalcache.Cache { return internalcache.New(ctx, nil, false) }

// WithSnapshot gives a framework the snapshot of the nodes.
func WithSnapshot(snapshot *internalcache.Snapshot) []frameworkruntime.Option {
	return []frameworkruntime.Option{frameworkruntime.WithSnapshotSharedLister(snapshot)}
}

// TrackSlices starts what knows the devices. The features are those that are on by default.
func TrackSlices(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (*resourceslicetracker.Tracker, error) {
	return resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		SliceInformer: factory.Resource().V1().ResourceSlices(),
		KubeClient:    client,
	})
}

// Group gives a device's counters a group of compatibility, which this release does not have.
func Group(*resource.DeviceCounterConsumption) {}

// Derive lets a request derive attributes, which this release does not have.
func Derive(*resource.ExactDeviceRequest) {}

// ServerCompletesPodLevel says whether resources of the pod level get more than defaults.
const ServerCompletesPodLevel = false

// CompletePodLevel fills in what the API server does about resources of the pod level when a pod is created; in this release defaults
// do all of that.
func CompletePodLevel(*v1.Pod) {}

// AlsoWatched are objects of the kinds that the scheduler watches in this release only.
var AlsoWatched []runtime.Object

// PodChanges are the events of a pod that is another now. The queue itself makes those of a pod that waits in it.
func PodChanges(now, before *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(now, before)
}

// Moved has the messages of log lines about a pod, by the name pod or entity, that comes into a queue.
var Moved = map[string]bool{
	"Pod moved to an internal scheduling queue":                           true,
	"Pod moved to an internal scheduling queue, because the pod is gated": true,
}

// FlushUnschedulable is what the queue does every 30 seconds.
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulablePodsLeftover
func FlushUnschedulable(queue *internalqueue.PriorityQueue, logger klog.Logger)

// Pop takes the next pod.
func Pop(queue *internalqueue.PriorityQueue, logger klog.Logger) (*framework.QueuedPodInfo, error) {
	return queue.Pop(logger)
}

// Delete takes a pod out of the queue.
func Delete(queue *internalqueue.PriorityQueue, _ klog.Logger, pod *v1.Pod) { queue.Delete(pod) }

// Requeue brings back a pod whose attempt has failed.
func Requeue(queue *internalqueue.PriorityQueue, logger klog.Logger, info *framework.QueuedPodInfo) error {
	return queue.AddUnschedulableIfNotPresent(logger, info, queue.SchedulingCycle())
}

// Queued is a pod that waits; nil if it does not.
func Queued(queue *internalqueue.PriorityQueue, pod *v1.Pod) *framework.QueuedPodInfo {
	info, _ := queue.GetPod(pod.Name, pod.Namespace)
	return info
}

// QueuedGroup is a pod group that waits: none.
func QueuedGroup(*internalqueue.PriorityQueue, string, string) *framework.QueuedPodInfo { return nil }

// GroupsInOrder has nothing to do.
func GroupsInOrder(*scheduler.Scheduler) {}

// OutsideQueues are the pods of groups that are in no queue: none.
func OutsideQueues(*internalqueue.PriorityQueue) (incomplete, pending []*v1.Pod) { return nil, nil }

// WatchNext is told of each pod that the scheduler takes from its queue, before and after that.
func WatchNext(sched *scheduler.Scheduler, before func(), after func([]*framework.QueuedPodInfo)) {
	next := sched.NextPod
	sched.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		before()
		info, err := next(logger)
		if err == nil && info != nil {
			after([]*framework.QueuedPodInfo{info})
		}
		return info, err
	}
}

// NewPreemption prepares a plugin.
func NewPreemption(plugin *defaultpreemption.DefaultPreemption) *Preemption {
	plugin.MoreImportantPod = func(a, b *v1.Pod) bool {
		return util.MoreImportantPod(a, b) || !util.MoreImportantPod(b, a) && byName(a, b) < 0
	}
	return &Preemption{DefaultPreemption: plugin}
}

type places struct{}

// SelectVictimsOnNode is the plugin's.
func (p *Preemption) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo,
	budgets []*policy.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	victims, violations, status := p.DefaultPreemption.SelectVictimsOnNode(ctx, state, pod, info, inOrder(budgets))
	p.selected(info, victims, violations, status)
	return victims, violations, status
}

// Around lets a function stand around each eviction.
func Around(executor *preemption.Executor, around func(context.Context, *v1.Pod, Eviction)) {
	real := executor.PreemptPod
	executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor preemption.ExecutorPreemptor, victim *v1.Pod, name string) (err error) {
		around(ctx, victim, func(ctx context.Context) { err = real(ctx, c, preemptor, victim, name) })
		return err
	}
}
