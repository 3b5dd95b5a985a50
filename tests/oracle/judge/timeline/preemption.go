// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"context"
	"strings"
	_ "unsafe" // for go:linkname

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// How upstream chooses the node on which it makes room.
//
//go:linkname pickNode k8s.io/kubernetes/pkg/scheduler/framework/preemption.pickOneNodeForPreemption
func pickNode(logger klog.Logger, candidates map[string]*extenderv1.Victims, scores []func(node string) int64) string

// followed is the real DefaultPreemption, which chooses as Berth does where it chooses by chance.
type followed struct {
	*release.Preemption
	of *upstream
}

// watchPreemption puts it into the plugin's own evaluator.
func (u *upstream) watchPreemption(fw framework.Framework) {
	plugin, ok := pluginOf(fw, "DefaultPreemption").(*defaultpreemption.DefaultPreemption)
	if !ok {
		return
	}
	plugin.Evaluator.Interface = followed{release.NewPreemption(plugin), u}
	// What it does in the background begins when the loop has time for it.
	release.Around(plugin.Executor, func(ctx context.Context, victim *v1.Pod, evict release.Eviction) {
		u.waitForTurn("evict " + keyOf(victim))
		evict(klog.NewContext(ctx, klog.FromContext(u.ctx)))
	})
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
