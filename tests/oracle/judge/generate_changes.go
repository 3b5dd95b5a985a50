// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	storage "k8s.io/api/storage/v1"

	"berth/tests/oracle/judge/release"
	"berth/tests/oracle/judge/timeline"
)

// What happens to objects of each kind once they are there.

// changes draws steps that change one object of a kind; none if there is nothing to be done with it. What belongs together comes
// in one piece.
var changes = map[string]func(t *teller, world timeline.View, o timeline.Object) []timeline.Step{
	"Node": (*teller).nodeChanges, "Pod": (*teller).podChanges, "PersistentVolumeClaim": (*teller).claimChanges,
	"PersistentVolume": (*teller).volumeChanges, "StorageClass": (*teller).classChanges, "CSINode": (*teller).csiNodeChanges,
	"CSIDriver": (*teller).csiDriverChanges, "CSIStorageCapacity": (*teller).capacityChanges,
	"VolumeAttachment": (*teller).removal, "ResourceClaim": (*teller).resourceClaimChanges, "DeviceClass": (*teller).deviceClassChanges,
	"ResourceSlice": (*teller).sliceChanges, "PodDisruptionBudget": (*teller).budgetChanges, "Namespace": (*teller).namespaceChanges,
	"Service": (*teller).removal, "ReplicationController": (*teller).removal, "ReplicaSet": (*teller).removal, "StatefulSet": (*teller).removal,
}

func objectKey(o timeline.Object) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

func merge(kind string, o timeline.Object, patch tree) []timeline.Step {
	return []timeline.Step{step("merge", kind, objectKey(o), patch)}
}

func (t *teller) create(o tree) []timeline.Step {
	t.definite(o)
	if o["kind"] == "Pod" && t.chance(0.2) {
		o["spec"].(tree)["terminationGracePeriodSeconds"] = t.leastGrace + t.IntN(2)
	}
	return []timeline.Step{step("create", o["kind"].(string), "", o)}
}

func removed(kind string, o timeline.Object) []timeline.Step {
	return []timeline.Step{step("remove", kind, objectKey(o), nil)}
}

func (t *teller) removal(_ timeline.View, o timeline.Object) []timeline.Step {
	if t.chance(0.7) {
		return nil
	}
	return removed(o.GetObjectKind().GroupVersionKind().Kind, o)
}

func (t *teller) nodeChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	node := o.(*v1.Node)
	fresh := t.valid(t.node)
	metadata, spec, status := fresh["metadata"].(tree), fresh["spec"].(tree), fresh["status"].(tree)
	switch t.IntN(16) {
	case 0:
		return removed("Node", o)
	case 1, 2, 3:
		labels, _ := metadata["labels"].(tree)
		if labels["kubernetes.io/hostname"] != nil {
			labels["kubernetes.io/hostname"] = node.Name
		}
		return merge("Node", o, tree{"metadata": tree{"labels": instead(node.Labels, labels)}})
	case 4:
		key := pick(t.generator, labelKeys...)
		return merge("Node", o, tree{"metadata": tree{"labels": tree{key: t.labelValue(key)}}})
	case 5, 6:
		return merge("Node", o, tree{"spec": tree{"taints": spec["taints"]}})
	case 7:
		return merge("Node", o, tree{"spec": tree{"taints": nil}})
	case 8:
		return merge("Node", o, tree{"spec": tree{"unschedulable": pick[any](t.generator, true, nil, nil)}})
	case 9, 10, 11:
		allocatable, _ := status["allocatable"].(tree)
		return merge("Node", o, tree{"status": tree{"allocatable": instead(node.Status.Allocatable, allocatable)}})
	case 12:
		return merge("Node", o, tree{"status": tree{"declaredFeatures": status["declaredFeatures"]}})
	case 13:
		return merge("Node", o, tree{"status": tree{"images": status["images"]}})
	case 14:
		return merge("Node", o, tree{"status": tree{"conditions": []any{tree{"type": "Ready", "status": pick(t.generator, "True", "False", "Unknown"),
			"reason": "r", "message": pick(t.generator, "a", "b"), "lastHeartbeatTime": "2026-01-02T00:00:00Z", "lastTransitionTime": "2026-01-02T00:00:00Z"}}}})
	default:
		return merge("Node", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	}
}

// instead is the merge patch that makes one map of another.
func instead[K ~string, V any](before map[K]V, after tree) tree {
	patch := tree{}
	for key := range before {
		patch[string(key)] = nil
	}
	for key, value := range after {
		patch[key] = value
	}
	return patch
}

func (t *teller) podChanges(world timeline.View, o timeline.Object) []timeline.Step {
	pod := o.(*v1.Pod)
	ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	switch {
	case ended && t.chance(0.7), pod.DeletionTimestamp != nil && t.chance(0.8):
		return removed("Pod", o)
	case pod.Spec.NodeName != "" && pod.Status.Phase == v1.PodPending && t.chance(0.5):
		return merge("Pod", o, tree{"status": tree{"phase": "Running", "startTime": world.Now().UTC().Format(time.RFC3339)}})
	}
	if steps := t.claimMade(pod); steps != nil && t.chance(0.5) {
		return steps
	}
	if pod.Spec.NodeName == "" && pod.Spec.HostNetwork && t.chance(0.3) { // Then it needs another feature of its node, or none.
		return merge("Pod", o, tree{"spec": tree{"hostUsers": pod.Spec.HostUsers != nil && !*pod.Spec.HostUsers}})
	}
	switch t.IntN(10) {
	case 0, 1:
		return []timeline.Step{step("delete", "Pod", objectKey(o), nil)}
	case 2:
		if pod.Spec.NodeName == "" {
			return nil
		}
		return merge("Pod", o, tree{"status": tree{"phase": pick(t.generator, "Succeeded", "Failed")}})
	case 3, 4:
		labels := tree{"app": pick(t.generator, "web", "db")}
		if t.chance(0.5) {
			key := pick(t.generator, podLabelKeys...)
			labels[key] = pick(t.generator, podLabels[key]...)
		}
		return merge("Pod", o, tree{"metadata": tree{"labels": instead(pod.Labels, labels)}})
	case 5:
		if len(pod.Spec.SchedulingGates) == 0 {
			return nil
		}
		return merge("Pod", o, tree{"spec": tree{"schedulingGates": pick[any](t.generator, nil, nil, pod.Spec.SchedulingGates[:1])}})
	case 6:
		tolerations := append([]v1.Toleration{}, pod.Spec.Tolerations...)
		return merge("Pod", o, tree{"spec": tree{"tolerations": append(tolerations, v1.Toleration{
			Key: pick(t.generator, "dedicated", "gpu", "spot", "node.kubernetes.io/unschedulable"), Operator: v1.TolerationOpExists})}})
	case 7, 8:
		return t.resized(pod)
	default:
		return merge("Pod", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	}
}

// claimMade is what the controller of claims does: a claim made of a template, and then its name in the pod's status.
func (t *teller) claimMade(pod *v1.Pod) []timeline.Step {
	known := map[string]bool{}
	for _, status := range pod.Status.ResourceClaimStatuses {
		known[status.Name] = true
	}
	for _, wanted := range pod.Spec.ResourceClaims {
		if pod.Spec.NodeName != "" || wanted.ResourceClaimTemplateName == nil || known[wanted.Name] {
			continue
		}
		name := pod.Name + "-" + wanted.Name
		claim := t.claims.claim(pod.Namespace, name)
		claim["metadata"].(tree)["ownerReferences"] = []any{tree{"apiVersion": "v1", "kind": "Pod", "name": pod.Name, "uid": pod.UID, "controller": true}}
		statuses := append(slices.Clone(pod.Status.ResourceClaimStatuses), v1.PodResourceClaimStatus{Name: wanted.Name, ResourceClaimName: &name})
		return append(t.create(claim), merge("Pod", pod, tree{"status": tree{"resourceClaimStatuses": statuses}})...)
	}
	return nil
}

// resized asks for other amounts, as an in-place resize of a placed pod does.
func (t *teller) resized(pod *v1.Pod) []timeline.Step {
	if pod.Spec.NodeName == "" || len(pod.Spec.Containers) == 0 {
		return nil
	}
	containers := append([]v1.Container{}, pod.Spec.Containers...)
	i := t.IntN(len(containers))
	text, err := encode(containers[i], false)
	if err != nil {
		return nil
	}
	container := asTree(text)
	requests := tree{"cpu": pick[any](t.generator, "1m", "100m", "1"), "memory": pick[any](t.generator, "1Mi", "64Mi", "1Gi")}
	if old, ok := container["resources"].(tree); ok {
		if was, ok := old["requests"].(tree); ok {
			for name, amount := range was {
				if name != "cpu" && name != "memory" {
					requests[name] = amount
				}
			}
		}
		container["resources"] = tree{"requests": requests, "limits": old["limits"]}
	} else {
		container["resources"] = tree{"requests": requests}
	}
	var list []any
	for k := range containers {
		if k == i {
			list = append(list, container)
		} else {
			list = append(list, containers[k])
		}
	}
	return merge("Pod", pod, tree{"spec": tree{"containers": list}})
}

func (t *teller) claimChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	claim := o.(*v1.PersistentVolumeClaim)
	if claim.Spec.VolumeName == "" && t.chance(0.6) {
		return t.bound(claim)
	}
	switch t.IntN(5) {
	case 0:
		return removed("PersistentVolumeClaim", o)
	case 1:
		return merge("PersistentVolumeClaim", o, tree{"metadata": tree{"annotations": tree{"volume.kubernetes.io/selected-node": nil}}})
	case 2:
		return merge("PersistentVolumeClaim", o, tree{"status": tree{"phase": pick(t.generator, "Lost", "Bound", "Pending")}})
	case 3:
		return merge("PersistentVolumeClaim", o, tree{"spec": tree{"resources": tree{"requests": tree{"storage": pick(t.generator, "4Gi", "1Gi")}}}})
	default:
		return merge("PersistentVolumeClaim", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	}
}

// bound is what the volume controller does: a volume for the claim.
func (t *teller) bound(claim *v1.PersistentVolumeClaim) []timeline.Step {
	t.serial++
	name := fmt.Sprintf("made-%d", t.serial)
	text, err := encode(claim, false)
	if err != nil {
		return nil
	}
	volume := t.volumes.volume(name, asTree(text))
	return []timeline.Step{
		step("create", "PersistentVolume", "", volume),
		step("merge", "PersistentVolumeClaim", objectKey(claim), tree{
			"metadata": tree{"annotations": tree{"pv.kubernetes.io/bind-completed": "yes"}},
			"spec":     tree{"volumeName": name}, "status": tree{"phase": "Bound"},
		}),
	}
}

func (t *teller) volumeChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	volume := o.(*v1.PersistentVolume)
	switch t.IntN(6) {
	case 0:
		return removed("PersistentVolume", o)
	case 1:
		if volume.Spec.ClaimRef == nil {
			return nil
		}
		return merge("PersistentVolume", o, tree{"status": tree{"phase": "Released"}})
	case 2, 3:
		zone := pick(t.generator, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
		return merge("PersistentVolume", o, tree{"metadata": tree{"labels": tree{zone: pick[any](t.generator, "z1", "z2", "z1__z2", nil)}}})
	case 4:
		return merge("PersistentVolume", o, tree{"status": tree{"phase": pick(t.generator, "Available", "Bound")}})
	default:
		return merge("PersistentVolume", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	}
}

func (t *teller) classChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	class := o.(*storage.StorageClass)
	switch t.IntN(4) {
	case 0:
		return removed("StorageClass", o)
	case 1:
		return merge("StorageClass", o, tree{"allowedTopologies": pick[any](t.generator, nil, []any{tree{"matchLabelExpressions": []any{
			tree{"key": "topology.kubernetes.io/zone", "values": []any{pick(t.generator, "z1", "z2", "z3")}}}}})})
	case 2:
		// Made anew, and of another kind.
		for _, fresh := range t.volumes.classes() {
			if fresh["kind"] == "StorageClass" && fresh["metadata"].(tree)["name"] == class.Name {
				if t.chance(0.5) {
					fresh["volumeBindingMode"] = pick(t.generator, "Immediate", "WaitForFirstConsumer")
				}
				return append(removed("StorageClass", o), t.create(fresh)...)
			}
		}
	}
	return merge("StorageClass", o, tree{"allowVolumeExpansion": pick(t.generator, true, false)})
}

func (t *teller) csiNodeChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	node := o.(*storage.CSINode)
	fresh := t.volumes.csiNode(node.Name)
	switch t.IntN(5) {
	case 0:
		return removed("CSINode", o)
	case 1:
		return merge("CSINode", o, tree{"metadata": tree{"annotations": fresh["metadata"].(tree)["annotations"]}})
	default:
		return merge("CSINode", o, tree{"spec": fresh["spec"]})
	}
}

func (t *teller) csiDriverChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	if t.chance(0.2) {
		return removed("CSIDriver", o)
	}
	return merge("CSIDriver", o, tree{"spec": tree{"storageCapacity": pick(t.generator, true, false)}})
}

func (t *teller) capacityChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	if t.chance(0.2) {
		return removed("CSIStorageCapacity", o)
	}
	change := tree{
		"capacity": pick[any](t.generator, "1Gi", "5Gi", "100Gi", nil), "maximumVolumeSize": pick[any](t.generator, "1Gi", "50Gi", nil)}
	if release.CapacityScoreEnds && change["capacity"] == nil {
		change["maximumVolumeSize"] = nil
	}
	return merge("CSIStorageCapacity", o, change)
}

func (t *teller) resourceClaimChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	claim := o.(*resource.ResourceClaim)
	fresh := t.claims.claim(claim.Namespace, claim.Name)
	switch t.IntN(5) {
	case 0:
		return removed("ResourceClaim", o)
	case 1:
		return merge("ResourceClaim", o, tree{"status": tree{"allocation": nil, "reservedFor": nil, "devices": nil}})
	case 2:
		return merge("ResourceClaim", o, tree{"status": tree{"reservedFor": nil}})
	case 3:
		return merge("ResourceClaim", o, tree{"metadata": tree{"annotations": tree{"note": pick(t.generator, "a", "b")}}})
	default:
		status, _ := fresh["status"].(tree)
		patch := tree{"allocation": nil, "reservedFor": nil, "devices": nil}
		for key, value := range status {
			patch[key] = value
		}
		return []timeline.Step{ // An allocation is replaced, not merged.
			step("merge", "ResourceClaim", objectKey(o), tree{"status": tree{"allocation": nil, "reservedFor": nil, "devices": nil}}),
			step("merge", "ResourceClaim", objectKey(o), tree{"status": patch}),
		}
	}
}

func (t *teller) deviceClassChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	if t.chance(0.2) {
		return removed("DeviceClass", o)
	}
	return merge("DeviceClass", o, tree{"spec": tree{"extendedResourceName": pick[any](t.generator, "example.com/gpu", "example.com/other", nil)}})
}

func (t *teller) sliceChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	slice := o.(*resource.ResourceSlice)
	if t.chance(0.3) {
		return removed("ResourceSlice", o)
	}
	return merge("ResourceSlice", o, tree{"spec": tree{"pool": tree{"generation": slice.Spec.Pool.Generation + 1}}})
}

// emptySlice offers nothing.
func (t *teller) emptySlice() tree {
	t.serial++
	return object("ResourceSlice", "resource.k8s.io/v1", "", fmt.Sprintf("slice-%d", t.serial), tree{"spec": tree{
		"driver": "d.example.com", "allNodes": true, "pool": tree{"name": fmt.Sprintf("pool-%d", t.serial), "generation": 1, "resourceSliceCount": 1}}})
}

func (t *teller) budgetChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	budget := o.(*policy.PodDisruptionBudget)
	switch t.IntN(4) {
	case 0:
		return removed("PodDisruptionBudget", o)
	case 1:
		fresh := t.valid(t.budget)["spec"].(tree)
		return []timeline.Step{
			step("merge", "PodDisruptionBudget", objectKey(budget), tree{"spec": tree{"selector": nil}}),
			step("merge", "PodDisruptionBudget", objectKey(budget), tree{"spec": tree{"selector": fresh["selector"]}}),
		}
	default:
		return merge("PodDisruptionBudget", o, tree{"status": tree{"disruptionsAllowed": pick(t.generator, 0, 1, 2)}})
	}
}

func (t *teller) namespaceChanges(_ timeline.View, o timeline.Object) []timeline.Step {
	labels := tree{"team": pick[any](t.generator, "a", "b", nil), "env": pick[any](t.generator, "prod", "dev", nil)}
	return merge("Namespace", o, tree{"metadata": tree{"labels": labels}})
}

// newcomers draws an object that was not there before.
func (t *teller) newcomers() []timeline.Step {
	namespace := pick(t.generator, "default", "team-a", "team-b")
	switch t.IntN(20) {
	case 0, 1:
		return t.create(t.valid(func() tree { return t.pod(true) }))
	case 2:
		node := t.valid(t.node)
		t.nodeNames = append(t.nodeNames, node["metadata"].(tree)["name"].(string))
		return t.create(node)
	case 3, 4:
		if t.volumes.use == 0 {
			break
		}
		claim, volume := t.volumes.claim(namespace, fmt.Sprintf("data-%d", t.IntN(7)))
		if volume == nil {
			return t.create(claim)
		}
		return append(t.create(volume), t.create(claim)...)
	case 5:
		if t.volumes.use == 0 {
			break
		}
		return t.create(t.freeVolumeOfItsOwn())
	case 6:
		if t.volumes.use == 0 {
			break
		}
		return t.create(pick(t.generator, t.volumes.classes()...))
	case 7:
		if t.volumes.use == 0 || len(t.nodeNames) == 0 {
			break
		}
		return t.create(t.volumes.csiNode(pick(t.generator, t.nodeNames...)))
	case 8, 9:
		if t.claims.use == 0 {
			break
		}
		return t.create(t.claims.claim(namespace, fmt.Sprintf("shared-%d", t.IntN(5))))
	case 10:
		if t.claims.use == 0 {
			break
		}
		if t.chance(0.5) {
			return t.create(t.emptySlice())
		}
		return t.create(object("DeviceClass", "resource.k8s.io/v1", "", "gpus", tree{"spec": t.claims.gpus}))
	case 11:
		return t.create(t.valid(t.budget))
	}
	return t.create(t.valid(func() tree { return t.pod(false) }))
}

// freeVolumeOfItsOwn is one whose size no other has: among equal ones upstream takes any.
func (t *teller) freeVolumeOfItsOwn() tree {
	t.serial++
	volume := t.volumes.freeVolume()
	volume["metadata"].(tree)["name"] = fmt.Sprintf("late-%d", t.serial)
	volume["spec"].(tree)["capacity"] = tree{"storage": fmt.Sprintf("%dMi", 512*41+7*t.serial)}
	return volume
}

// watchedInPreBind tells whether upstream would see a change of that object when it looks at the pods in PreBind next time, and
// Berth at once.
func watchedInPreBind(world timeline.View, kind string, o timeline.Object) bool {
	binding := world.Binding()
	switch kind {
	case "Pod":
		_, is := binding[objectKey(o)]
		return is
	case "Node", "CSINode", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim":
		return len(binding) > 0
	}
	return false
}

// provides is what the volume controller does for a pod whose volumes are being bound, at a moment at which upstream looks.
func (t *teller) provides(world timeline.View, binding map[string]time.Time) (timeline.Step, bool) {
	key := pick(t.generator, slices.Sorted(maps.Keys(binding))...)
	var steps []timeline.Step
	period := time.Second
	claims := map[string]bool{}
	for _, o := range world.List("Pod") {
		if objectKey(o) == key {
			for _, volume := range o.(*v1.Pod).Spec.Volumes {
				switch {
				case volume.PersistentVolumeClaim != nil:
					claims[o.GetNamespace()+"/"+volume.PersistentVolumeClaim.ClaimName] = true
				case volume.Ephemeral != nil:
					claims[key+"-"+volume.Name] = true
				}
			}
		}
	}
	for _, o := range world.List("PersistentVolumeClaim") {
		claim := o.(*v1.PersistentVolumeClaim)
		if !claims[objectKey(o)] || claim.Spec.VolumeName != "" {
			continue
		}
		if t.chance(0.1) { // It could not be provided.
			steps = append(steps, merge("PersistentVolumeClaim", o, tree{"metadata": tree{"annotations": tree{"volume.kubernetes.io/selected-node": nil}}})...)
			continue
		}
		promised := ""
		for _, v := range world.List("PersistentVolume") {
			if ref := v.(*v1.PersistentVolume).Spec.ClaimRef; ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name {
				promised = v.GetName()
			}
		}
		if promised == "" {
			steps = append(steps, t.bound(claim)...)
			continue
		}
		steps = append(steps, merge("PersistentVolumeClaim", o, tree{
			"metadata": tree{"annotations": tree{"pv.kubernetes.io/bind-completed": "yes"}},
			"spec":     tree{"volumeName": promised}, "status": tree{"phase": "Bound"}})...)
	}
	if len(steps) == 0 {
		steps, period = t.attaches(world, key), 5*time.Second
	}
	at := binding[key].Add((world.Now().Sub(binding[key])/period + 1) * period)
	// At whole seconds the queue has things of its own to do.
	if len(steps) == 0 || at.Nanosecond() < int(time.Millisecond) || !world.AllLook(at) {
		return timeline.Step{}, false
	}
	first := steps[0]
	first.Also = steps[1:]
	t.at = at
	return first, true
}

// attaches is what a driver does for a pod that waits for its devices.
func (t *teller) attaches(world timeline.View, pod string) (steps []timeline.Step) {
	for _, o := range world.List("ResourceClaim") {
		claim := o.(*resource.ResourceClaim)
		if !slices.ContainsFunc(claim.Status.ReservedFor, func(r resource.ResourceClaimConsumerReference) bool {
			return claim.Namespace+"/"+r.Name == pod
		}) {
			continue
		}
		steps = append(steps, merge("ResourceClaim", o, tree{"status": tree{"devices": []any{tree{
			"driver": "d.example.com", "pool": "p", "device": "g0", "conditions": []any{tree{
				"type": pick(t.generator, "Attached", "Attached", "Broken"), "status": "True", "reason": "r", "message": "m",
				"lastTransitionTime": "2026-01-02T00:00:00Z"}}}}}})...)
	}
	return steps
}
