// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// What a binding makes for a pod's extended resources: a claim, and a note in the pod's status.

// made judges that a claim was made, and gives that of upstream's plugin the same name.
func (j *judge) made(seq int64, e *event) error {
	object, err := loadObject(e.Object)
	if err != nil {
		return err
	}
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok || !forExtended(claim) || len(claim.OwnerReferences) == 0 || seq < j.begun {
		return nil
	}
	b := j.bindings[keyOf(claim.Namespace, claim.OwnerReferences[0].Name)]
	at := -1
	if b != nil {
		at = slices.IndexFunc(b.writes, func(w *write) bool { return w.creates })
	}
	if at < 0 {
		j.current = &decision{Seq: seq, Pod: objectRef{Namespace: e.Namespace, Name: e.Name}}
		j.differ("", "", "write", "a claim is made", "nobody makes one")
		return nil
	}
	provisional := b.writes[at].key
	for _, w := range b.all {
		if pod, ok := w.said.(*v1.Pod); ok {
			pod.Status.ExtendedResourceClaimStatus.ResourceClaimName = claim.Name
		}
		if w.key != provisional {
			continue
		}
		w.key = keyOf(claim.Namespace, claim.Name)
		for _, object := range []runtime.Object{w.object, w.said} {
			theirs := object.(*resourceapi.ResourceClaim)
			theirs.Name, theirs.UID, theirs.CreationTimestamp = claim.Name, claim.UID, claim.CreationTimestamp
		}
	}
	theirs := b.writes[at]
	if !alike(theirs.said, claim) {
		j.current = b.decision
		j.differ("", theirs.plugin, "write of "+e.Kind, string(e.Object), textOf(theirs.said))
	}
	b.writes = slices.Delete(slices.Clone(b.writes), at, at+1)
	b.claim = theirs.key
	j.coverage.add("", "PreBind writes", "a claim for extended resources")
	return nil
}

// toldPod judges what a pod is told of the claim for its extended resources.
func (j *judge) toldPod(e *event) error {
	key := keyOf(e.Namespace, e.Name)
	after := &v1.Pod{}
	if err := json.Unmarshal(e.Object, after); err != nil {
		return err
	}
	now := after.Status.ExtendedResourceClaimStatus
	if before := j.world.podByKey[key]; now == nil || before != nil && equality.Semantic.DeepEqual(before.Status.ExtendedResourceClaimStatus, now) {
		return nil
	}
	b := j.bindings[key]
	at := -1
	if b != nil {
		at = slices.IndexFunc(b.writes, func(w *write) bool { return w.kind == "Pod" })
	}
	if at < 0 {
		j.current = &decision{Pod: objectRef{Namespace: e.Namespace, Name: e.Name}}
		j.differ("", "", "extendedResourceClaimStatus", textOf(now), "nobody writes that")
		return nil
	}
	if theirs := b.writes[at].said.(*v1.Pod).Status.ExtendedResourceClaimStatus; !equality.Semantic.DeepEqual(theirs, now) {
		j.current = b.decision
		j.differ("", b.writes[at].plugin, "extendedResourceClaimStatus", textOf(now), textOf(theirs))
	}
	b.writes = slices.Delete(slices.Clone(b.writes), at, at+1)
	j.coverage.add("", "PreBind writes", "extendedResourceClaimStatus")
	return nil
}

// gaveUp notes that a binding has failed: what it made for the pod has to go.
func (j *judge) gaveUp(b *binding) {
	if b.claim != "" {
		j.unwanted[b.claim] = b.decision
	}
}
