// SPDX-License-Identifier: Apache-2.0

//go:build kube137

package release

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	scheduling "k8s.io/api/scheduling/v1beta1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// addMember adds a pod to its group in the queue.
//
//go:linkname addMember k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).addPodGroupMember
func addMember(queue *internalqueue.PriorityQueue, logger klog.Logger, info *framework.QueuedPodInfo)

// GroupsInOrder makes the pods that waited for their PodGroup join it by name, as Berth does. Upstream takes them in the order of a
// Go map, and the first one gives the group its times.
func GroupsInOrder(sched *scheduler.Scheduler) {
	sched.SchedulingQueue = inOrderOfNames{sched.SchedulingQueue.(*internalqueue.PriorityQueue)}
}

type inOrderOfNames struct{ *internalqueue.PriorityQueue }

// AddPodGroup lets the queue itself take the first pod, and then adds the others as it does.
func (q inOrderOfNames) AddPodGroup(logger klog.Logger, group *scheduling.PodGroup) {
	key := fwk.PodGroupKey(group.Namespace, group.Name)
	incomplete := unexported(q.PriorityQueue, "incompletePodGroupPods").Elem()
	waiting := reach[map[fwk.EntityKey]map[fwk.EntityKey]*framework.QueuedPodInfo](incomplete.FieldByName("podGroupToPodInfos"))
	infos := slices.SortedFunc(maps.Values((*waiting)[key]), func(a, b *framework.QueuedPodInfo) int { return byName(a.Pod, b.Pod) })
	for _, info := range infos[min(1, len(infos)):] {
		delete((*waiting)[key], fwk.PodKey(info.Pod.Namespace, info.Pod.Name))
	}
	q.PriorityQueue.AddPodGroup(logger, group)
	lock := reach[sync.RWMutex](unexported(q.PriorityQueue, "lock"))
	lock.Lock()
	defer lock.Unlock()
	for _, info := range infos[min(1, len(infos)):] {
		addMember(q.PriorityQueue, logger, info)
	}
}

func unexported(queue *internalqueue.PriorityQueue, name string) reflect.Value {
	return reflect.ValueOf(queue).Elem().FieldByName(name)
}

func reach[T any](field reflect.Value) *T { return (*T)(unsafe.Pointer(field.UnsafeAddr())) }
