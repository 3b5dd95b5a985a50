// SPDX-License-Identifier: Apache-2.0

// Package release has what differs between the releases of Kubernetes that the judges are built with: each thing twice, in a file
// for 1.36 and in one for 1.37, and the same for its users.
package release

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// Minor is the release without its patch, as Berth takes it.
var Minor = Kubernetes[:strings.LastIndexByte(Kubernetes, '.')]

// Preemption is the real DefaultPreemption, which a user puts in the place of the plugin in its own evaluator. Where upstream goes
// by the order of a Go map, or by how it sorts what is equal, it goes by names, as Berth does.
type Preemption struct {
	*defaultpreemption.DefaultPreemption
	// Selected is told which victims were found on a node, and how many of them violate a budget.
	Selected func(node string, victims []*v1.Pod, violations int)

	places places
}

func (p *Preemption) selected(info fwk.NodeInfo, victims []*v1.Pod, violations int, status *fwk.Status) {
	if p.Selected != nil && status.IsSuccess() && len(victims) > 0 {
		p.Selected(info.Node().Name, victims, violations)
	}
}

// inOrder sorts disruption budgets by name. The lister has them in the order of a Go map, and that counts where a pod has several.
func inOrder(budgets []*policy.PodDisruptionBudget) []*policy.PodDisruptionBudget {
	return slices.SortedFunc(slices.Values(budgets), func(a, b *policy.PodDisruptionBudget) int { return byName(a, b) })
}

type named interface {
	GetNamespace() string
	GetName() string
}

func byName(a, b named) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// NotStarted stands for the moment of asking, at which upstream takes a pod to have started that has not: after all others.
var NotStarted = metav1.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// Eviction evicts one victim.
type Eviction = func(context.Context)
