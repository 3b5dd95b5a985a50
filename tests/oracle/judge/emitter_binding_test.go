// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// emittedAt is when everything in an emitted log happens that is not said to be later.
var emittedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// emitBinding are the lines of a binding: what the plugins write, what the controller of volumes makes of it, and that the pod is
// bound, or why it is not. They are in force when it returns.
func emitBinding(w *world, d *decision, a *attempt) []logLine {
	var lines []logLine
	add := func(e *event) {
		lines = append(lines, logLine{Event: e})
		if err := w.apply(e); err != nil {
			panic(err)
		}
	}
	pod := &event{Kind: "Pod", Namespace: a.pod.Namespace, Name: a.pod.Name}
	if err := w.assume(a, d.Node); err != nil {
		panic(err)
	}
	b, err := w.bind(a, d, emittedAt)
	if err != nil {
		panic(err)
	}
	for _, write := range b.writes {
		e := modified(write.kind, write.said)
		if write.creates {
			e.Type = "Added"
		}
		add(e)
	}
	failed, later := b.failed, time.Duration(0)
	if failed == "" {
		for _, write := range b.all {
			bindVolume(w, write.object, add)
		}
	}
	for _, wait := range b.waits {
		done, text := wait.outcome(0)
		if !done && text == "" {
			later = wait.long
			_, text = wait.outcome(later)
		}
		if text != "" && failed == "" {
			failed = `running PreBind plugin "` + wait.plugin + `": ` + text
		}
	}
	if failed == "" {
		pod.Type = "Bound"
		add(pod)
		return lines
	}
	pod.Type = "BindFailed"
	add(pod)
	return append(lines, logLine{Decision: &decision{Pod: d.Pod, Profile: d.Profile, Attempt: d.Attempt, Cycle: d.Cycle,
		Time: emittedAt.Add(later).Format(time.RFC3339Nano), Result: "Error", Phase: "PreBind", Reason: v1.PodReasonSchedulerError, Message: failed}})
}

// modified is the event of an object whose next version this is.
func modified(kind string, object runtime.Object) *event {
	object = object.DeepCopyObject()
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		panic(err)
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	o, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	version, _ := strconv.Atoi(o.GetResourceVersion())
	o.SetResourceVersion(strconv.Itoa(version + 100))
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return &event{Type: "Modified", Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), Object: text}
}

// bindVolume does to a claim what the controller of volumes does, once a volume was chosen for it or a node to make one for.
func bindVolume(w *world, written runtime.Object, add func(*event)) {
	bound := func(namespace, name, volume string) {
		object, err := w.client.Tracker().Get(resources["PersistentVolumeClaim"], namespace, name)
		if err != nil {
			return
		}
		claim := object.(*v1.PersistentVolumeClaim).DeepCopy()
		if claim.Spec.VolumeName != "" {
			return
		}
		claim.Spec.VolumeName, claim.Status.Phase = volume, v1.ClaimBound
		if claim.Annotations == nil {
			claim.Annotations = map[string]string{}
		}
		claim.Annotations["pv.kubernetes.io/bind-completed"] = "yes"
		add(modified("PersistentVolumeClaim", claim))
	}
	switch o := written.(type) {
	case *v1.PersistentVolume:
		bound(o.Spec.ClaimRef.Namespace, o.Spec.ClaimRef.Name, o.Name)
	case *v1.PersistentVolumeClaim:
		volume := &v1.PersistentVolume{}
		volume.Name = "made-for-" + string(o.UID)
		volume.Spec.StorageClassName, volume.Spec.AccessModes = storagehelpers.GetPersistentVolumeClaimClass(o), o.Spec.AccessModes
		volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: o.Spec.Resources.Requests[v1.ResourceStorage]}
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: o.Namespace, Name: o.Name, UID: o.UID}
		volume.Spec.HostPath = &v1.HostPathVolumeSource{Path: "/made"}
		add(modified("PersistentVolume", volume))
		bound(o.Namespace, o.Name, volume.Name)
	}
}
