// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Pods and nodes of a script, and what can change about them.

func (g *generator) number() int {
	g.made++
	return g.made
}

func (g *generator) newPod() *v1.Pod {
	i := g.IntN(podNames)
	priority := int32(g.IntN(3))
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("p%d", i), Namespace: "default", UID: types.UID(fmt.Sprintf("p%d-%d", i, g.number())),
			ResourceVersion: fmt.Sprint(g.number()), Labels: g.labels(),
		},
		Spec: v1.PodSpec{
			SchedulerName: pick(g, g.s.Profiles).Name, Priority: &priority,
			Containers: []v1.Container{{Name: "c", Image: "i", Resources: v1.ResourceRequirements{Requests: g.resources()}}},
		},
	}
	if g.chance(15) {
		pod.Status.NominatedNodeName = g.nodeName()
	}
	if g.chance(20) {
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/wait"}}
	}
	return pod
}

// changedPod is a newer version of a pod; nil of nil.
func (g *generator) changedPod(old *v1.Pod) *v1.Pod {
	if old == nil {
		return nil
	}
	pod := old.DeepCopy()
	pod.ResourceVersion = fmt.Sprint(g.number())
	for range g.IntN(3) {
		switch g.IntN(9) {
		case 0:
			pod.Labels = g.labels()
		case 1:
			pod.Spec.Containers[0].Resources.Requests = g.resources()
		case 2:
			pod.Spec.SchedulingGates = nil
		case 3:
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: fmt.Sprint("k", g.number()), Operator: v1.TolerationOpExists})
		case 4:
			pod.Status.ResourceClaimStatuses = g.claims()
		case 5:
			pod.Status.NominatedNodeName = pick(g, []string{"", g.nodeName()})
		case 6:
			pod.Annotations = g.labels()
		case 7:
			priority := int32(g.IntN(3))
			pod.Spec.Priority = &priority
		case 8:
			pod.Spec.Overhead = g.resources()
		}
	}
	return pod
}

func (g *generator) claims() []v1.PodResourceClaimStatus {
	var out []v1.PodResourceClaimStatus
	for i := range g.IntN(3) {
		status := v1.PodResourceClaimStatus{Name: fmt.Sprint("claim-", i)}
		if g.chance(70) {
			name := fmt.Sprint("c", g.IntN(2))
			status.ResourceClaimName = &name
		}
		out = append(out, status)
	}
	return out
}

func (g *generator) labels() map[string]string {
	if g.chance(30) {
		return nil
	}
	return map[string]string{"a": fmt.Sprint(g.IntN(2)), "b": fmt.Sprint(g.IntN(2))}
}

// amounts that something asks for or has. A zero is not the same as nothing.
var amounts = []struct {
	name  v1.ResourceName
	texts []string
}{
	{"cpu", []string{"0", "100m", "1", "1500m"}},
	{"memory", []string{"0", "1Mi", "1Gi"}},
	{"ephemeral-storage", []string{"0", "1Gi", "2Gi"}},
	{"example.com/gpu", []string{"0", "1", "2"}},
}

func (g *generator) resources() v1.ResourceList {
	list := v1.ResourceList{}
	for _, each := range some(g, amounts, 50) {
		list[each.name] = resource.MustParse(pick(g, each.texts))
	}
	return list
}

func (g *generator) nodeName() string { return fmt.Sprint("n", g.IntN(5)) }

func (g *generator) newNode() *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: g.nodeName(), UID: "node", ResourceVersion: fmt.Sprint(g.number()), Labels: g.labels()},
		Status:     v1.NodeStatus{Allocatable: g.resources()},
	}
}

func (g *generator) nodeChange(s *step) {
	node := g.newNode()
	switch g.IntN(6) {
	case 0, 1:
		s.Node = node
	case 2:
		s.OldNode = node
	default:
		s.OldNode = node
		s.Node = g.changedNode(node)
	}
}

func (g *generator) changedNode(old *v1.Node) *v1.Node {
	node := old.DeepCopy()
	node.ResourceVersion = fmt.Sprint(g.number())
	for range 1 + g.IntN(2) {
		switch g.IntN(9) {
		case 0:
			node.Labels = g.labels()
		case 1:
			node.Status.Allocatable = g.resources()
		case 2:
			node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: "k", Value: fmt.Sprint(g.IntN(2)), Effect: v1.TaintEffectNoSchedule})
		case 3:
			node.Spec.Unschedulable = true
		case 4:
			old.Spec.Unschedulable = true
		case 5:
			node.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: pick(g, []v1.ConditionStatus{"True", "False"})}}
		case 6:
			node.Annotations = g.labels()
		case 7:
			node.Status.DeclaredFeatures = []string{pick(g, []string{"x", "y"})}
		case 8:
			added := metav1.Unix(int64(g.number()), 0)
			old.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule}}
			node.Spec.Taints = []v1.Taint{{Key: "k", Effect: v1.TaintEffectNoSchedule, TimeAdded: &added}}
		}
	}
	return node
}

func (g *generator) assignedChange(s *step) {
	pod := g.newPod()
	pod.Name, pod.UID = fmt.Sprint("other-", g.IntN(10)), types.UID(fmt.Sprint("other-", g.number()))
	pod.Spec.NodeName = g.nodeName()
	pod.Status.NominatedNodeName, pod.Spec.SchedulingGates = "", nil
	switch g.IntN(4) {
	case 0:
		s.Pod = pod
	case 1, 2:
		s.OldPod = pod
	default:
		s.OldPod = pod
		s.Pod = g.changedPod(pod)
	}
}
