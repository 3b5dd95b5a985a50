// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"time"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// addPod puts a pod where upstream's event handlers would: a placed one in the cache, a pending
// one of a known profile in the queue, a finished one nowhere. A pod that is being deleted leaves
// the queue without an attempt, unless a PreEnqueue plugin holds it there.
func (w *world) addPod(pod *v1.Pod) error {
	if finished(pod) {
		return nil
	}
	if err := w.informers.Core().V1().Pods().Informer().GetStore().Add(pod); err != nil {
		return err
	}
	if pod.Spec.NodeName != "" {
		return w.cache.AddPod(w.logger, pod)
	}
	return w.enqueue(pod)
}

// enqueue puts a pending pod into the queue. A nomination counts from when the pod may be tried, or from now on.
func (w *world) enqueue(pod *v1.Pod) error {
	if _, ok := w.profiles[pod.Spec.SchedulerName]; !ok {
		return nil
	}
	gate := w.preEnqueue(pod)
	if pod.DeletionTimestamp != nil && gate == nil {
		return nil
	}
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return err
	}
	if gate == nil || release.GatedNominationCounts {
		w.nominator.AddNominatedPod(w.logger, info, nil)
	}
	queued := &framework.QueuedPodInfo{PodInfo: info}
	queued.Timestamp = time.Unix(0, 0)
	w.queued[podKey(pod)] = queued
	return nil
}

// updatePod takes over what a pod has become.
func (w *world) updatePod(text json.RawMessage) error {
	after := &v1.Pod{}
	if err := json.Unmarshal(text, after); err != nil {
		return err
	}
	complete(after)
	w.identify(after)
	key := podKey(after)
	before := w.podByKey[key]
	if before == nil {
		return fmt.Errorf("the log changes pod %s, which is not there", key)
	}
	w.podByKey[key] = after
	if err := w.informers.Core().V1().Pods().Informer().GetStore().Update(after); err != nil {
		return err
	}
	switch {
	case before.Spec.NodeName != "":
		return w.cache.UpdatePod(w.logger, before, after)
	case after.Spec.NodeName != "":
		// A bound pod is where its decision put it, which the cache now knows for certain.
		delete(w.queued, key)
		delete(w.assumed, key)
		return w.cache.AddPod(w.logger, after)
	case w.assumed[key] != nil:
		return nil
	case w.queued[key] == nil:
		return w.enqueue(after)
	}
	info, err := framework.NewPodInfo(after)
	if err != nil {
		return err
	}
	w.queued[key].PodInfo = info
	w.nominator.UpdateNominatedPod(w.logger, before, info)
	return nil
}

// deletePod takes a pod out of wherever it is.
func (w *world) deletePod(key string) error {
	pod := w.podByKey[key]
	delete(w.queued, key)
	if pod == nil || finished(pod) {
		return nil
	}
	w.nominator.DeleteNominatedPodIfExists(pod)
	if err := w.informers.Core().V1().Pods().Informer().GetStore().Delete(pod); err != nil {
		return err
	}
	if w.assumed[key] != nil {
		return w.forget(key)
	}
	if pod.Spec.NodeName != "" {
		return w.cache.RemovePod(w.logger, pod)
	}
	return nil
}

// assume places a pod on its node for the decisions that follow.
func (w *world) assume(a *attempt, node string) error {
	placed := a.pod.DeepCopy()
	placed.Spec.NodeName = node
	w.assumed[podKey(a.pod)] = placed
	delete(w.queued, podKey(a.pod))
	w.nominator.DeleteNominatedPodIfExists(a.pod)
	if err := w.cache.AssumePod(w.logger, placed); err != nil {
		return err
	}
	if status := a.profile.fw.RunReservePluginsReserve(w.ctx, a.state, placed, node); !status.IsSuccess() {
		return fmt.Errorf("pod %s: Reserve on node %s: %w", podKey(a.pod), node, status.AsError())
	}
	w.reserved[podKey(a.pod)] = a
	return nil
}

// forget undoes assume.
func (w *world) forget(key string) error {
	placed := w.assumed[key]
	if placed == nil {
		return nil
	}
	delete(w.assumed, key)
	if a := w.reserved[key]; a != nil {
		delete(w.reserved, key)
		a.profile.fw.RunReservePluginsUnreserve(w.ctx, a.state, placed, placed.Spec.NodeName)
	}
	return w.cache.ForgetPod(w.logger, placed)
}

// isVictim tells whether a pod has been marked as one that gives way to another.
func isVictim(pod *v1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue && c.Reason == v1.PodReasonPreemptionByScheduler {
			return true
		}
	}
	return false
}

// apply brings an event line of the log into force.
func (w *world) apply(e *event) error {
	key := e.Namespace + "/" + e.Name
	switch {
	case e.Kind == "Node" && e.Type == "Added":
		node := w.nodeBy[e.Name]
		if node == nil {
			return fmt.Errorf("the log adds node %s, which is not in the cluster file", e.Name)
		}
		w.addNode(node)
	case e.Kind == "Node" && e.Type == "Modified":
		return w.updateNode(e.Object)
	case e.Kind == "Node" && e.Type == "Deleted":
		if node := w.nodeBy[e.Name]; node != nil && w.present[e.Name] {
			delete(w.present, e.Name)
			_ = w.nodeStore().Delete(node)
			return w.cache.RemoveNode(w.logger, node)
		}
	case e.Kind == "Pod" && e.Type == "Added":
		pod := w.podByKey[key]
		if pod == nil {
			return fmt.Errorf("the log adds pod %s, which is not in the cluster file", key)
		}
		return w.addPod(pod)
	case e.Kind == "Pod" && e.Type == "Modified":
		return w.updatePod(e.Object)
	case e.Kind == "Pod" && e.Type == "Deleted":
		return w.deletePod(key)
	case e.Kind == "Pod" && e.Type == "Forgotten":
		return w.forget(key)
	case e.Kind == "Pod" && e.Type == "BindFailed":
		if err := w.forget(key); err != nil {
			return err
		}
		if pod := w.podByKey[key]; pod != nil && pod.Spec.NodeName == "" {
			return w.enqueue(pod)
		}
	case e.Type == "Assumed", e.Type == "Bound":
		// The pod is where its decision put it already.
	case e.Kind != "Node" && e.Kind != "Pod":
		return w.applyObject(e)
	default:
		return fmt.Errorf("the log has an event that the oracle does not know: %s %s", e.Type, e.Kind)
	}
	return nil
}

// nominated is the node that the pod was promised, if there is one that the snapshot knows.
func (w *world) nominated(pod *v1.Pod) fwk.NodeInfo {
	if pod.Status.NominatedNodeName == "" {
		return nil
	}
	info, err := w.snapshot.Get(pod.Status.NominatedNodeName)
	if err != nil {
		return nil
	}
	return info
}
