// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	"berth/tests/oracle/judge/release"

	v1 "k8s.io/api/core/v1"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
)

// admissible tells whether the API server would admit an object, with its real defaulting and
// validation, so that the generator never asks for what no cluster can hold.
func admissible(object tree) bool {
	text, err := json.Marshal(object)
	if err != nil {
		return false
	}
	switch object["kind"] {
	case "Pod":
	case "Node":
		node, internal := &v1.Node{}, &core.Node{}
		if json.Unmarshal(text, node) != nil {
			return false
		}
		corev1.SetObjectDefaults_Node(node)
		if corev1.Convert_v1_Node_To_core_Node(node, internal, nil) != nil {
			return false
		}
		return len(validation.ValidateNode(internal)) == 0
	default:
		return admissibleObject(text)
	}
	pod, internal := &v1.Pod{}, &core.Pod{}
	if json.Unmarshal(text, pod) != nil {
		return false
	}
	if pod.Namespace == "" {
		pod.Namespace = v1.NamespaceDefault
	}
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = nil, nil
	corev1.SetObjectDefaults_Pod(pod)
	release.CompletePodLevel(pod)
	if corev1.Convert_v1_Pod_To_core_Pod(pod, internal, nil) != nil {
		return false
	}
	options := podapi.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	errors := validation.ValidatePodCreate(internal, options)
	for _, e := range errors {
		lastRefusal = e.Error()
	}
	return len(errors) == 0
}

// lastRefusal is why the last pod was not admissible, for the curious.
var lastRefusal string

// written decides how an object appears in the file: as somebody wrote it by hand, or as the API
// server gives it back, with the defaults filled in and quantities in canonical form.
func (g *generator) written(object tree) tree {
	if object["kind"] != "Pod" {
		return object
	}
	if spec, ok := object["spec"].(tree); ok && g.chance(g.oddities*0.05) {
		// The API server admits these operators only behind a feature gate that is off, but a dump of a cluster that
		// once had it on holds them.
		tolerations, _ := spec["tolerations"].([]any)
		spec["tolerations"] = append(tolerations, tree{"key": "dedicated", "operator": pick(g, "Lt", "Gt"), "value": "5"})
	}
	byHand := g.chance(0.6)
	if spec, ok := object["spec"].(tree); ok && spec["resources"] != nil && release.ServerCompletesPodLevel {
		// A scheduler never sees those that the server has not completed.
		byHand = false
	}
	if byHand {
		return object
	}
	text, err := json.Marshal(object)
	if err != nil {
		return object
	}
	pod := &v1.Pod{}
	if json.Unmarshal(text, pod) != nil {
		return object
	}
	corev1.SetObjectDefaults_Pod(pod)
	release.CompletePodLevel(pod)
	fillIdentity(pod)
	if text, err = json.Marshal(pod); err != nil {
		return object
	}
	var back tree
	if json.Unmarshal(text, &back) != nil {
		return object
	}
	return back
}
