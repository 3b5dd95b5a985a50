// SPDX-License-Identifier: Apache-2.0

//go:build kube137

package release

import (
	"context"
	"sync"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Kubernetes is the release.
const Kubernetes = "1.37.2"

// GatedNominationCounts: a pod that a PreEnqueue plugin holds back takes up room on the node that its status names.
const GatedNominationCounts = true

// AddsKnownPods: the queue takes a pod that it has when that is shown as new. This one may have it twice then, which no watch does to it.
const AddsKnownPods = false

// CapacityScoreEnds: the scheduler ends when it scores a CSIStorageCapacity that has a maximumVolumeSize and no capacity, or the
// capacity for a claim that names its class in an annotation.
const CapacityScoreEnds = true

// TaintRules: DeviceTaintRules count.
const TaintRules = true

// PodGroups: there are pod groups, behind a feature gate.
const PodGroups = true

// NewCache is the scheduler's cache, without pod groups.
func NewCache(ctx context.Context) internalcache.Cache {
	return internalcache.New(ctx, nil, false, false)
}

// WithSnapshot gives a framework the snapshot of the nodes.
func WithSnapshot(snapshot *internalcache.Snapshot) []frameworkruntime.Option {
	return []frameworkruntime.Option{frameworkruntime.WithSnapshotSharedLister(snapshot), frameworkruntime.WithMutableSnapshotLister(snapshot)}
}

// TrackSlices starts what knows the devices. The features are those that are on by default.
func TrackSlices(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory) (*resourceslicetracker.Tracker, error) {
	return resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		EnableDeviceTaintRules:   true,
		EnableConsumableCapacity: true,
		SliceInformer:            factory.Resource().V1().ResourceSlices(),
		TaintInformer:            factory.Resource().V1().DeviceTaintRules(),
		KubeClient:               client,
	})
}

// Group gives a device's counters a group of compatibility.
func Group(consumption *resource.DeviceCounterConsumption) {
	consumption.CompatibilityGroups = []string{"g"}
}

// Derive lets a request derive attributes.
func Derive(request *resource.ExactDeviceRequest) {
	request.DerivedAttributes = []resource.DeviceDerivedAttribute{{}}
}

// ServerCompletesPodLevel says whether resources of the pod level get more than defaults.
const ServerCompletesPodLevel = true

// CompletePodLevel fills in what the API server does about resources of the pod level when a pod is created; in earlier releases
// defaults do that.
func CompletePodLevel(pod *v1.Pod) {
	if pod.Spec.Resources == nil {
		return
	}
	internal := &core.Pod{}
	if corev1.Convert_v1_PodSpec_To_core_PodSpec(pod.Spec.DeepCopy(), &internal.Spec, nil) != nil {
		return
	}
	podapi.DefaultPodLevelResources(internal)
	_ = corev1.Convert_core_ResourceRequirements_To_v1_ResourceRequirements(internal.Spec.Resources, pod.Spec.Resources, nil)
}

// AlsoWatched are objects of the kinds that the scheduler watches in this release only.
var AlsoWatched = []runtime.Object{&resource.DeviceTaintRule{}}

// PodChanges are the events of a pod that is another now. The queue itself makes those of a pod that waits in it.
func PodChanges(now, before *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(now, before, false)
}

// Moved has the messages of log lines about a pod or a pod group, by the name pod, podGroup or entity, that comes into a queue.
var Moved = map[string]bool{
	"Entity moved to an internal scheduling queue":                      true,
	"Entity moved to an internal scheduling queue, because it is gated": true,
	"Pod moved to an internal scheduling queue":                         true, // from an attempt
	"Pod group moved to an internal scheduling queue":                   true, // from its cycle
}

// FlushUnschedulable is what the queue does every 30 seconds.
//
//go:linkname FlushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func FlushUnschedulable(queue *internalqueue.PriorityQueue, logger klog.Logger)

// Pop takes the next pod. Without pod groups nothing else is in the queue.
func Pop(queue *internalqueue.PriorityQueue, logger klog.Logger) (*framework.QueuedPodInfo, error) {
	entity, err := queue.Pop(logger)
	info, _ := entity.(*framework.QueuedPodInfo)
	return info, err
}

// Delete takes a pod out of the queue.
func Delete(queue *internalqueue.PriorityQueue, logger klog.Logger, pod *v1.Pod) {
	queue.Delete(logger, pod)
}

// Requeue brings back a pod whose attempt has failed.
func Requeue(queue *internalqueue.PriorityQueue, logger klog.Logger, info *framework.QueuedPodInfo) error {
	return queue.AddUnschedulablePodIfNotPresent(logger, info, queue.SchedulingCycle())
}

// Queued is a pod that waits; nil if it does not.
func Queued(queue *internalqueue.PriorityQueue, pod *v1.Pod) *framework.QueuedPodInfo {
	info, _ := queue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
	return info
}

// QueuedGroup is a pod group that waits, as a pod with the group's attempts and times; nil if it does not.
func QueuedGroup(queue *internalqueue.PriorityQueue, namespace, name string) *framework.QueuedPodInfo {
	group, ok := queue.GetPodGroup(name, namespace, fwk.PodGroupKeyType)
	if !ok {
		return nil
	}
	return &framework.QueuedPodInfo{QueueingParams: group.QueueingParams}
}

// OutsideQueues are the pods of groups that are in no queue: their PodGroup is not known, or it is in its cycle.
func OutsideQueues(queue *internalqueue.PriorityQueue) (incomplete, pending []*v1.Pod) {
	return queue.IncompletePodGroupPodsPods(), queue.PendingPodGroupPods()
}

// WatchNext is told of what the scheduler takes from its queue, before and after that: a pod, or the pods of a group.
func WatchNext(sched *scheduler.Scheduler, before func(), after func([]*framework.QueuedPodInfo)) {
	next := sched.NextEntity
	sched.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		before()
		entity, err := next(logger)
		if err == nil && entity != nil {
			var infos []*framework.QueuedPodInfo
			entity.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
				infos = append(infos, info)
				return true
			})
			after(infos)
		}
		return entity, err
	}
}

// NewPreemption prepares a plugin.
func NewPreemption(plugin *defaultpreemption.DefaultPreemption) *Preemption {
	p := &Preemption{DefaultPreemption: plugin, places: places{of: map[types.UID]int{}}}
	plugin.MoreImportantVictim = func(a, b preemption.Victim) bool {
		first, second := a.Pods()[0].GetPod(), b.Pods()[0].GetPod()
		if a.Priority() == b.Priority() && p.places.unstarted(first) && p.places.unstarted(second) {
			return p.places.before(first, second)
		}
		return preemption.MoreImportantVictim(a, b) || !preemption.MoreImportantVictim(b, a) && byName(first, second) < 0
	}
	return p
}

// places are where the victims of a node stand in its list of pods. Upstream takes those that have not started to have started when
// it comes to them, one after the other, which a clock that stands still does not tell.
type places struct {
	mu sync.Mutex
	of map[types.UID]int
}

func (p *places) fill(victims []*preemption.DomainVictim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, victim := range victims {
		p.of[victim.Pods()[0].GetPod().UID] = i
	}
}

func (p *places) before(a, b *v1.Pod) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[a.UID] < p.of[b.UID]
}

func (p *places) unstarted(pod *v1.Pod) bool {
	return pod.Status.StartTime == nil || pod.Status.StartTime.Equal(&NotStarted)
}

// SelectVictimsOnNode is the plugin's.
func (p *Preemption) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo,
	possible []*preemption.DomainVictim, budgets []*policy.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	p.places.fill(possible)
	victims, violations, status := p.DefaultPreemption.SelectVictimsOnNode(ctx, state, pod, info, possible, inOrder(budgets))
	p.selected(info, victims, violations, status)
	return victims, violations, status
}

// Around lets a function stand around each eviction.
func Around(executor *preemption.Executor, around func(context.Context, *v1.Pod, Eviction)) {
	real := executor.PreemptPod
	executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor preemption.ExecutorPreemptor, victim *v1.Pod, name string) (inMemory bool, err error) {
		around(ctx, victim, func(ctx context.Context) { inMemory, err = real(ctx, c, preemptor, victim, name) })
		return inMemory, err
	}
}
