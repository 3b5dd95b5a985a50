// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// answerPreemption leaves out nodes and victims, puts these into another order, and says now and then what it may not. Only
// one thing is wrong at a time: which of several upstream tells of is for a Go map to say.
func answerPreemption(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderPreemptionArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil || args.Pod == nil {
		http.Error(w, "no ExtenderPreemptionArgs", http.StatusBadRequest)
		return
	}
	pod, path := args.Pod.Namespace+"/"+args.Pod.Name, r.URL.Path
	asked := args.NodeNameToMetaVictims
	if asked == nil {
		asked = map[string]*extenderv1.MetaVictims{}
		for node, victims := range args.NodeNameToVictims {
			asked[node] = &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
			for _, victim := range victims.Pods {
				asked[node].Pods = append(asked[node].Pods, &extenderv1.MetaPod{UID: string(victim.UID)})
			}
		}
	}
	roll := dice(path, pod)
	if roll < 5 {
		http.Error(w, "out to lunch", http.StatusInternalServerError)
		return
	}
	result := map[string]*extenderv1.MetaVictims{}
	for _, node := range slices.Sorted(maps.Keys(asked)) {
		victims := asked[node]
		if dice(path, pod, node) < 25 {
			continue
		}
		left := &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
		if dice(path, pod, node, "violations") < 20 {
			left.NumPDBViolations++
		}
		for i, victim := range victims.Pods {
			if i == 0 || dice(path, pod, node, strconv.Itoa(i)) < 70 { // A UID that a file lacks is everybody's own.
				left.Pods = append(left.Pods, victim)
			}
		}
		if dice(path, pod, node, "order") < 30 {
			slices.Reverse(left.Pods)
		}
		result[node] = left
	}
	if first := slices.Sorted(maps.Keys(result)); len(first) > 0 {
		switch {
		case roll < 10:
			result[first[0]].Pods = nil
		case roll < 13:
			result[first[0]].Pods = []*extenderv1.MetaPod{{UID: "stranger"}}
		case roll < 16:
			result["nowhere"] = result[first[0]]
		}
	}
	_ = json.NewEncoder(w).Encode(extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: result})
}

// watchedExtender keeps what it last made of a preemption.
type watchedExtender struct {
	fwk.Extender
	left map[string]*extenderv1.Victims
}

func (e *watchedExtender) ProcessPreemption(pod *v1.Pod, victims map[string]*extenderv1.Victims, nodes fwk.NodeInfoLister) (
	map[string]*extenderv1.Victims, error) {
	left, err := e.Extender.ProcessPreemption(pod, victims, nodes)
	for range patience {
		if !timedOut(err) {
			break
		}
		left, err = e.Extender.ProcessPreemption(pod, victims, nodes)
	}
	if err == nil {
		e.left = left // Upstream takes nodes without victims out of this very map.
	}
	return left, err
}

// narrowed lists the candidates that the extenders left, and tells whether any of them had a say since forgetNarrowed.
func (w *world) narrowed() ([]candidate, bool) {
	for _, extender := range slices.Backward(w.extenders) {
		if left := extender.(*watchedExtender).left; left != nil {
			var list []candidate
			for _, node := range slices.Sorted(maps.Keys(left)) {
				list = append(list, candidate{node, left[node]})
			}
			return list, true
		}
	}
	return nil, false
}

func (w *world) forgetNarrowed() {
	for _, extender := range w.extenders {
		extender.(*watchedExtender).left = nil
	}
}

// tryAllNodes makes preemption try every node, so that extenders are asked about the same ones whichever comes first.
func tryAllNodes(profile tree) {
	configs, _ := profile["pluginConfig"].([]any)
	configs = slices.DeleteFunc(configs, func(c any) bool { return c.(tree)["name"] == names.DefaultPreemption })
	profile["pluginConfig"] = append(configs, tree{"name": names.DefaultPreemption, "args": tree{"minCandidateNodesPercentage": 100}})
}
