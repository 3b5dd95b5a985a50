// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// extenderHost stands in configurations for the address of this process's extender, which differs from run to run.
const extenderHost = "extender.oracle"

// theExtender is a server that Berth and the real HTTPExtender both ask. What it answers follows from the verb, the pod
// and the node alone: `…/NAME/VERB`, each NAME another extender.
var theExtender = sync.OnceValue(func() *httptest.Server { return httptest.NewServer(http.HandlerFunc(answer)) })

// withAddress is the configuration as somebody can run it.
func withAddress(text []byte) []byte {
	if !bytes.Contains(text, []byte(extenderHost)) {
		return text
	}
	return bytes.ReplaceAll(text, []byte(extenderHost), []byte(strings.TrimPrefix(theExtender().URL, "http://")))
}

// dice is a number from 0 to 99.
func dice(parts ...string) int {
	h := fnv.New64a()
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return int(h.Sum64() >> 20 % 100)
}

func answer(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/preempt") {
		answerPreemption(w, r)
		return
	}
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.Pod == nil {
		http.Error(w, "no ExtenderArgs", http.StatusBadRequest)
		return
	}
	pod, path := args.Pod.Namespace+"/"+args.Pod.Name, r.URL.Path
	var names []string
	if args.NodeNames != nil {
		names = *args.NodeNames
	}
	if args.Nodes != nil {
		for _, node := range args.Nodes.Items {
			names = append(names, node.Name)
		}
	}
	switch roll := dice(path, pod); {
	case roll < 4:
		http.Error(w, "out to lunch", http.StatusInternalServerError)
	case roll < 8 && strings.HasSuffix(path, "/filter"):
		_ = json.NewEncoder(w).Encode(extenderv1.ExtenderFilterResult{Error: "no mood for " + pod})
	case strings.HasSuffix(path, "/filter"):
		_ = json.NewEncoder(w).Encode(filtered(path, pod, names, args.Nodes))
	default:
		list := extenderv1.HostPriorityList{}
		for _, name := range names {
			if score := dice(path, pod, name); score < 90 {
				list = append(list, extenderv1.HostPriority{Host: name, Score: int64(score % 11)})
			}
		}
		_ = json.NewEncoder(w).Encode(list)
	}
}

func filtered(path, pod string, names []string, nodes *v1.NodeList) extenderv1.ExtenderFilterResult {
	failed, unresolvable := extenderv1.FailedNodesMap{}, extenderv1.FailedNodesMap{}
	left := []string{}
	strict := dice(path, pod, "strict") < 20 // Then hardly a node is left.
	for _, name := range names {
		roll := dice(path, pod, name)
		if strict {
			roll /= 3
		}
		switch {
		case roll < 8:
			unresolvable[name] = "no door"
			if roll < 3 {
				failed[name] = "too loud" // The other reason counts.
			}
		case roll < 30:
			failed[name] = "too loud"
		default:
			left = append(left, name)
		}
	}
	result := extenderv1.ExtenderFilterResult{FailedNodes: failed, FailedAndUnresolvableNodes: unresolvable}
	if nodes == nil {
		result.NodeNames = &left
		return result
	}
	result.Nodes = &v1.NodeList{}
	for _, node := range nodes.Items {
		if slices.Contains(left, node.Name) {
			result.Nodes.Items = append(result.Nodes.Items, node)
		}
	}
	return result
}

// newExtenders makes the real ones, in the order in which upstream asks them (buildExtenders).
func newExtenders(cfg *config.KubeSchedulerConfiguration) ([]fwk.Extender, error) {
	var first, ignorable []fwk.Extender
	var ignored []string
	for i := range cfg.Extenders {
		extender, err := scheduler.NewHTTPExtender(&cfg.Extenders[i])
		if err != nil {
			return nil, err
		}
		if watched := (&watchedExtender{Extender: extender}); extender.IsIgnorable() {
			ignorable = append(ignorable, watched)
		} else {
			first = append(first, watched)
		}
		for _, r := range cfg.Extenders[i].ManagedResources {
			if r.IgnoredByScheduler {
				ignored = append(ignored, r.Name)
			}
		}
	}
	for _, p := range cfg.Profiles {
		for _, entry := range p.PluginConfig {
			if args, ok := entry.Args.(*config.NodeResourcesFitArgs); ok && len(ignored) > 0 {
				args.IgnoredResources = ignored
			}
		}
	}
	return append(first, ignorable...), nil
}

// patience is how often an extender is asked again that was not answered in time: on a machine that is busy enough that
// happens even here, and it is nobody's verdict. What it answers does not change.
const patience = 5

func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

func (e *watchedExtender) Filter(pod *v1.Pod, nodes []fwk.NodeInfo) (left []fwk.NodeInfo, failed, unresolvable extenderv1.FailedNodesMap, err error) {
	for range 1 + patience {
		if left, failed, unresolvable, err = e.Extender.Filter(pod, nodes); !timedOut(err) {
			break
		}
	}
	return left, failed, unresolvable, err
}

func (e *watchedExtender) Prioritize(pod *v1.Pod, nodes []fwk.NodeInfo) (scores *extenderv1.HostPriorityList, weight int64, err error) {
	for range 1 + patience {
		if scores, weight, err = e.Extender.Prioritize(pod, nodes); !timedOut(err) {
			break
		}
	}
	return scores, weight, err
}

// passExtenders is upstream's findNodesThatPassExtenders, which is not exported: why each of the nodes is left out. What
// extenders answer as whole nodes only names them: see docs/differences.md.
func (w *world) passExtenders(pod *v1.Pod, feasible []fwk.NodeInfo) (map[string]*fwk.Status, error) {
	out := map[string]*fwk.Status{}
	for _, extender := range w.extenders {
		if len(feasible) == 0 {
			break
		}
		if !extender.IsInterested(pod) {
			continue
		}
		list, failed, unresolvable, err := extender.Filter(pod, feasible)
		if err != nil && extender.IsIgnorable() {
			continue
		}
		if err != nil {
			return nil, err
		}
		for name, text := range failed {
			out[name] = fwk.NewStatus(fwk.Unschedulable, text)
		}
		for name, text := range unresolvable {
			out[name] = fwk.NewStatus(fwk.UnschedulableAndUnresolvable, text)
		}
		left := map[string]bool{}
		for _, info := range list {
			left[info.Node().Name] = true
		}
		feasible = slices.DeleteFunc(slices.Clone(feasible), func(info fwk.NodeInfo) bool { return !left[info.Node().Name] })
	}
	for _, status := range out {
		status.SetPlugin(framework.ExtenderName)
	}
	return out, nil
}

// addExtenderScores is the end of upstream's prioritizeNodes.
func (w *world) addExtenderScores(pod *v1.Pod, feasible []fwk.NodeInfo, s *scored) {
	for _, extender := range w.extenders {
		if !extender.IsInterested(pod) || !extender.IsPrioritizer() {
			continue
		}
		given := map[string]int64{}
		list, weight, err := extender.Prioritize(pod, feasible)
		if err == nil {
			for _, one := range *list {
				given[one.Host] = one.Score
			}
		}
		for _, info := range feasible {
			name := info.Node().Name
			final := given[name] * weight * (fwk.MaxNodeScore / extenderv1.MaxExtenderPriority)
			s.scores[name] = append(s.scores[name], pluginScore{
				Plugin: extender.Name(), Raw: given[name], Normalized: given[name], Weighted: final,
			})
			s.totals[name] += final
		}
	}
}

// extenders draws the extenders of a configuration.
func (g *generator) extenders() []any {
	var out []any
	for i := range 1 + g.IntN(2) {
		// A machine with more to do than to judge must not let an answer come too late: that would be another verdict.
		e := tree{"urlPrefix": "http://" + extenderHost + "/" + string(rune('a'+i)) + pick(g, "", "/", "//"), "httpTimeout": "2m"}
		if g.chance(0.8) {
			e["filterVerb"] = "filter"
		}
		if g.chance(0.7) {
			e["prioritizeVerb"], e["weight"] = "prioritize", pick(g, 1, 3, 50)
		}
		if g.chance(0.6) {
			e["preemptVerb"] = "preempt"
		}
		e["nodeCacheCapable"], e["ignorable"] = g.chance(0.5), g.chance(0.3)
		if g.chance(0.3) {
			// No resource belongs to two.
			name := []string{"example.com/gpu", "vendor.io/fpga"}[i]
			e["managedResources"] = []any{tree{"name": name, "ignoredByScheduler": g.chance(0.5)}}
		}
		out = append(out, e)
	}
	return out
}
