// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// minimumToFind and minimumPercentage are upstream's minFeasibleNodesToFind and
// minFeasibleNodesPercentageToFind.
const (
	minimumToFind     = 100
	minimumPercentage = 5
)

// attempt is what the real plugins say about one pod in one world.
type attempt struct {
	profile   *profile
	pod       *v1.Pod
	allNodes  []fwk.NodeInfo
	state     fwk.CycleState
	preFilter []pluginStatus

	noNodes    bool        // the snapshot is empty
	preStatus  *fwk.Status // not success: PreFilter ended the attempt
	diagnosis  framework.Diagnosis
	narrowed   bool           // PreFilter named the nodes to look at
	candidates []fwk.NodeInfo // in visiting order from nextStart on
	statuses   []*fwk.Status  // per candidate; nil is feasible
	toFind     int

	promised       fwk.NodeInfo // the node that the pod was nominated to
	promisedStatus *fwk.Status  // why it is not that one
	kept           bool         // it is
}

// codeName is a status code as the decision record writes it.
func codeName(code fwk.Code) string { return code.String() }

// preEnqueue asks the PreEnqueue plugins; nil lets the pod into the queue.
func (w *world) preEnqueue(pod *v1.Pod) *fwk.Status {
	p := w.profiles[pod.Spec.SchedulerName]
	for _, plugin := range p.fw.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(process().ctx, pod); !status.IsSuccess() {
			status.SetPlugin(plugin.Name())
			return status
		}
	}
	return nil
}

// filter runs the attempt up to the verdicts of all candidate nodes.
func (w *world) filter(pod *v1.Pod) (*attempt, error) {
	ctx := process().ctx
	p := w.profiles[pod.Spec.SchedulerName]
	a := &attempt{profile: p, pod: pod, state: framework.NewCycleState()}
	a.diagnosis.NodeToStatus = framework.NewDefaultNodeToStatus()
	if err := w.cache.UpdateSnapshot(w.logger, w.snapshot); err != nil {
		return nil, err
	}
	var err error
	if a.allNodes, err = w.snapshot.List(); err != nil {
		return nil, err
	}
	if len(a.allNodes) == 0 {
		a.noNodes = true
		return a, nil
	}
	a.preFilter = a.askPreFilters()
	result, status, plugins := p.fw.RunPreFilterPlugins(ctx, a.state, pod)
	a.diagnosis.UnschedulablePlugins = plugins
	if !status.IsSuccess() {
		a.preStatus = status
		if status.IsRejected() {
			a.diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
			a.diagnosis.PreFilterMsg = status.Message()
			a.diagnosis.AddPluginStatus(status)
		}
		return a, nil
	}
	nodes := a.allNodes
	if !result.AllNodes() {
		a.narrowed = true
		nodes = nil
		for _, name := range sets.List(result.NodeNames) {
			if info, err := w.snapshot.Get(name); err == nil {
				nodes = append(nodes, info)
			}
		}
	}
	if info := w.nominated(pod); info != nil {
		a.promised = info
		status := p.fw.RunFilterPluginsWithNominatedPods(ctx, a.state, pod, info)
		if status.IsSuccess() {
			// As with the plugins, an extender's error there is not the pod's.
			rejected, err := w.passExtenders(pod, []fwk.NodeInfo{info})
			status = rejected[info.Node().Name]
			if err != nil {
				status = fwk.AsStatus(err)
			}
		}
		if status.IsSuccess() {
			a.kept, a.candidates, a.statuses, a.toFind = true, []fwk.NodeInfo{info}, []*fwk.Status{nil}, 1
			return a, nil
		}
		a.promisedStatus = status
		if plugins != nil && status.IsRejected() && status.Plugin() != framework.ExtenderName {
			plugins.Insert(status.Plugin()) // Upstream's copy of the diagnosis shares this set.
		}
	}
	if a.narrowed {
		a.diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(plugins))))
	}
	a.toFind = w.nodesToFind(p, len(nodes))
	for i := range nodes {
		info := nodes[(w.nextStart+i)%len(nodes)]
		a.candidates = append(a.candidates, info)
		var status *fwk.Status
		if p.fw.HasFilterPlugins() {
			status = p.fw.RunFilterPluginsWithNominatedPods(ctx, a.state, pod, info)
		}
		if status.IsSuccess() {
			status = nil
		}
		a.statuses = append(a.statuses, status)
	}
	return a, nil
}

// askPreFilters runs every PreFilter plugin by itself, on a state of its own, because the
// framework only tells what came out of all of them. It stops where upstream stops.
func (a *attempt) askPreFilters() []pluginStatus {
	var said []pluginStatus
	var merged *fwk.PreFilterResult
	scratch := framework.NewCycleState()
	for _, entry := range a.profile.points.PreFilter.Enabled {
		plugin := a.profile.plugins[entry.Name].(fwk.PreFilterPlugin)
		result, status := plugin.PreFilter(process().ctx, scratch, a.pod, a.allNodes)
		one := pluginStatus{Plugin: entry.Name, Status: codeName(status.Code())}
		if status != nil {
			one.Reasons = status.Reasons()
		}
		if status.IsSuccess() && !result.AllNodes() {
			one.Nodes = sets.List(result.NodeNames)
		}
		said = append(said, one)
		if status.IsSkip() || status.Code() == fwk.Unschedulable {
			continue
		}
		if !status.IsSuccess() {
			break
		}
		if merged = merged.Merge(result); !merged.AllNodes() && len(merged.NodeNames) == 0 {
			break
		}
	}
	return said
}

// nodesToFind is upstream's numFeasibleNodesToFind, which is not exported, with the shortcut for
// profiles that do not score.
func (w *world) nodesToFind(p *profile, n int) int {
	looksFurther := func(e fwk.Extender) bool { return e.IsFilter() || e.IsPrioritizer() }
	if !p.fw.HasScorePlugins() && !slices.ContainsFunc(w.extenders, looksFurther) {
		return min(1, n)
	}
	if n < minimumToFind {
		return n
	}
	percentage := int(*w.config.PercentageOfNodesToScore)
	if own := p.fw.PercentageOfNodesToScore(); own != nil {
		percentage = int(*own)
	}
	if percentage == 0 {
		percentage = max(50-n/125, minimumPercentage)
	}
	return max(n*percentage/100, minimumToFind)
}

// feasible lists the evaluated nodes that nobody rejected, in visiting order.
func (a *attempt) feasible(evaluated sets.Set[string]) []fwk.NodeInfo {
	var out []fwk.NodeInfo
	for i, info := range a.candidates {
		if a.statuses[i] == nil && evaluated.Has(info.Node().Name) {
			out = append(out, info)
		}
	}
	return out
}

// reject makes the error of an attempt that found no node among the evaluated ones.
func (a *attempt) reject(evaluated sets.Set[string]) *framework.FitError {
	if a.promisedStatus.IsRejected() {
		a.diagnosis.NodeToStatus.Set(a.promised.Node().Name, a.promisedStatus)
		// Upstream works on a copy of the diagnosis, which shares this set with it if there is one.
		if a.diagnosis.UnschedulablePlugins != nil && a.promisedStatus.Plugin() != "" {
			a.diagnosis.UnschedulablePlugins.Insert(a.promisedStatus.Plugin())
		}
	}
	for i, info := range a.candidates {
		if a.statuses[i] != nil && evaluated.Has(info.Node().Name) {
			a.diagnosis.NodeToStatus.Set(info.Node().Name, a.statuses[i])
			a.diagnosis.AddPluginStatus(a.statuses[i])
		}
	}
	return &framework.FitError{Pod: a.pod, NumAllNodes: len(a.allNodes), Diagnosis: a.diagnosis}
}

// rejectedBy lists the plugins that the attempt's failure is recorded under.
func (a *attempt) rejectedBy() []string {
	return sets.List(sets.New[string]().Union(a.diagnosis.UnschedulablePlugins).Union(a.diagnosis.PendingPlugins))
}

// scored is the outcome of the scoring half of an attempt.
type scored struct {
	err    error // PreScore, Score or NormalizeScore failed
	phase  string
	scores map[string][]pluginScore // node → one entry per plugin that did not skip
	totals map[string]int64
}

// score runs the scoring half over the feasible nodes, given in visiting order.
func (a *attempt) score(feasible []fwk.NodeInfo, extended bool) (*scored, error) {
	ctx := process().ctx
	fw := a.profile.fw
	out := &scored{scores: map[string][]pluginScore{}, totals: map[string]int64{}}
	if !fw.HasScorePlugins() && !extended {
		for _, info := range feasible {
			out.totals[info.Node().Name] = 1
		}
		return out, nil
	}
	if status := fw.RunPreScorePlugins(ctx, a.state, a.pod, feasible); !status.IsSuccess() {
		out.err, out.phase = status.AsError(), "PreScore"
		return out, nil
	}
	totals, status := fw.RunScorePlugins(ctx, a.state, a.pod, feasible)
	if !status.IsSuccess() {
		out.err, out.phase = status.AsError(), "Score"
		return out, nil
	}
	weighted := map[string]map[string]int64{} // node → plugin → weighted score
	for _, node := range totals {
		out.totals[node.Name] = node.TotalScore
		weighted[node.Name] = map[string]int64{}
		for _, s := range node.Scores {
			weighted[node.Name][s.Name] = s.Score
		}
	}
	for _, entry := range a.profile.points.Score.Enabled {
		if a.state.GetSkipScorePlugins().Has(entry.Name) {
			continue
		}
		if err := a.scoreByPlugin(entry.Name, feasible, weighted, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// scoreByPlugin asks one plugin again, for the raw and the normalized scores, which the framework
// keeps to itself. Its weighted score is the framework's own.
func (a *attempt) scoreByPlugin(name string, feasible []fwk.NodeInfo, weighted map[string]map[string]int64, out *scored) error {
	plugin := a.profile.plugins[name].(fwk.ScorePlugin)
	raw := make(fwk.NodeScoreList, len(feasible))
	for i, info := range feasible {
		value, status := plugin.Score(process().ctx, a.state, a.pod, info)
		if !status.IsSuccess() {
			return fmt.Errorf("%s scored %s once and failed the second time: %w", name, info.Node().Name, status.AsError())
		}
		raw[i] = fwk.NodeScore{Name: info.Node().Name, Score: value}
	}
	normalized := slices.Clone(raw)
	if extension := plugin.ScoreExtensions(); extension != nil {
		if status := extension.NormalizeScore(process().ctx, a.state, a.pod, normalized); !status.IsSuccess() {
			return fmt.Errorf("%s normalized once and failed the second time: %w", name, status.AsError())
		}
	}
	for i, s := range raw {
		out.scores[s.Name] = append(out.scores[s.Name], pluginScore{
			Plugin: name, Raw: s.Score, Normalized: normalized[i].Score, Weighted: weighted[s.Name][name],
		})
	}
	return nil
}

// best lists the nodes with the highest total, sorted by name.
func (s *scored) best() []string {
	var names []string
	var highest int64
	for name, total := range s.totals {
		if len(names) == 0 || total > highest {
			names, highest = []string{name}, total
		} else if total == highest {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
