// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"cmp"
	"context"
	"strings"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// How upstream chooses the node on which it makes room.
//
//go:linkname pickNode k8s.io/kubernetes/pkg/scheduler/framework/preemption.pickOneNodeForPreemption
func pickNode(logger klog.Logger, candidates map[string]*extenderv1.Victims, scores []func(node string) int64) string

// followed is the real DefaultPreemption, which chooses as Berth does where it chooses by chance.
type followed struct {
	*defaultpreemption.DefaultPreemption
	of *upstream
}

// watchPreemption puts it into the plugin's own evaluator.
func (u *upstream) watchPreemption(fw framework.Framework) {
	plugin, ok := field(fw, "pluginsMap").Interface().(map[string]fwk.Plugin)["DefaultPreemption"].(*defaultpreemption.DefaultPreemption)
	if !ok {
		return
	}
	// Of pods that are equally important upstream's sort takes any first; Berth goes by their names.
	plugin.MoreImportantPod = func(a, b *v1.Pod) bool {
		return util.MoreImportantPod(a, b) || !util.MoreImportantPod(b, a) && cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name)) < 0
	}
	plugin.Evaluator.Interface = followed{plugin, u}
	// What it does in the background begins when the loop has time for it.
	evict := plugin.Executor.PreemptPod
	plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor preemption.ExecutorPreemptor, victim *v1.Pod, name string) error {
		u.waitForTurn("evict " + keyOf(victim))
		return evict(klog.NewContext(ctx, klog.FromContext(u.ctx)), c, preemptor, victim, name)
	}
}

// OrderedScoreFuncs prefers Berth's node, if upstream may take it: of equally good ones it takes the first of a Go map.
func (f followed) OrderedScoreFuncs(ctx context.Context, candidates map[string]*extenderv1.Victims) []func(node string) int64 {
	a := f.of.attempt
	if a == nil {
		return nil
	}
	c := f.of.chosen[attemptKey(a.pod, a.number)]
	if c == nil || candidates[c.nominated] == nil {
		return nil
	}
	const tries = 100
	for range tries {
		if pickNode(klog.FromContext(ctx), candidates, nil) == c.nominated {
			return []func(string) int64{func(node string) int64 {
				if node == c.nominated {
					return 1
				}
				return 0
			}}
		}
	}
	return nil
}

// GetOffsetAndNumCandidates tries every node: no profile of a timeline asks for less, and then it does not matter where it begins.
func (f followed) GetOffsetAndNumCandidates(nodes int32) (int32, int32) {
	_, enough := f.DefaultPreemption.GetOffsetAndNumCandidates(nodes)
	return 0, enough
}

// inOrderOf puts the errors about nodes that an extender rejected into the order in which Berth has them: upstream tells of them as
// its workers met them.
func inOrderOf(fit *framework.FitError, berth string) {
	theirs, ours := noVictims.FindString(fit.Diagnosis.PostFilterMsg), noVictims.FindString(berth)
	if theirs != "" && InOrder(theirs) == InOrder(ours) {
		fit.Diagnosis.PostFilterMsg = strings.Replace(fit.Diagnosis.PostFilterMsg, theirs, ours, 1)
	}
}
