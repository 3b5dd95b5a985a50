// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// nominator keeps which pods are promised which node, in the order in which they were.
type nominator struct {
	byNode map[string][]fwk.PodInfo
	nodeOf map[types.UID]string
}

func newNominator() *nominator {
	return &nominator{byNode: map[string][]fwk.PodInfo{}, nodeOf: map[types.UID]string{}}
}

// AddNominatedPod replaces an earlier promise to the pod. Without a node named, that of its status counts.
func (n *nominator) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	n.DeleteNominatedPodIfExists(pod.GetPod())
	node := pod.GetPod().Status.NominatedNodeName
	if info != nil && info.NominatingMode == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	if node == "" {
		return
	}
	n.nodeOf[pod.GetPod().UID] = node
	n.byNode[node] = append(n.byNode[node], pod)
}

// DeleteNominatedPodIfExists takes a promise back.
func (n *nominator) DeleteNominatedPodIfExists(pod *v1.Pod) {
	node, ok := n.nodeOf[pod.UID]
	if !ok {
		return
	}
	delete(n.nodeOf, pod.UID)
	n.byNode[node] = slices.DeleteFunc(n.byNode[node], func(p fwk.PodInfo) bool { return p.GetPod().UID == pod.UID })
}

// UpdateNominatedPod replaces the pod by a newer version of it, whose status may name another node.
func (n *nominator) UpdateNominatedPod(logger klog.Logger, old *v1.Pod, now fwk.PodInfo) {
	var info *fwk.NominatingInfo
	if old.Status.NominatedNodeName == "" && now.GetPod().Status.NominatedNodeName == "" {
		if node, ok := n.nodeOf[old.UID]; ok {
			info = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node}
		}
	}
	n.DeleteNominatedPodIfExists(old)
	n.AddNominatedPod(logger, now, info)
}

// NominatedPodsForNode lists the pods that are promised the node.
func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	return slices.Clone(n.byNode[node])
}

// nobody activates pods: a queue is not judged here.
type nobody struct{}

// Activate does nothing.
func (nobody) Activate(klog.Logger, map[string]*v1.Pod) {}
