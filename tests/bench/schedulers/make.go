// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"
)

// makePods makes as many pods as one wants from a file of upstream's.
func makePods(file, namespace string, count int) ([]*corev1.Pod, error) {
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = &corev1.Pod{}
		if err := readTemplate(file, i, count, pods[i]); err != nil {
			return nil, err
		}
		pods[i].Namespace = namespace
	}
	return pods, nil
}

func makeNodes(op createNodes, file string) ([]*corev1.Node, error) {
	if op.NodeTemplatePath != "" {
		file = op.NodeTemplatePath
	}
	nodes := make([]*corev1.Node, op.Count)
	for i := range nodes {
		node := &corev1.Node{}
		if err := readTemplate(file, i, op.Count, node); err != nil {
			return nil, err
		}
		if node.Name == "" {
			// With its index, because the short random names of upstream collide now and then.
			node.Name = fmt.Sprintf("%s%s-%d", node.GenerateName, rand.String(5), i)
		}
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels[corev1.LabelHostname] = node.Name
		if s := op.AllocatableStrategy; s != nil {
			s.extend(&node.Status)
		}
		if s := op.LabelStrategy; s != nil {
			node.Labels[s.LabelKey] = s.LabelValues[i%len(s.LabelValues)]
		}
		if s := op.UniqueStrategy; s != nil {
			node.Labels[s.LabelKey] = string(uuid.NewUUID())
		}
		nodes[i] = node
	}
	return nodes, nil
}

// templateFunctions are those of upstream's that its templates use.
var templateFunctions = template.FuncMap{
	"DivideInt": func(a, b int) int { return a / b },
	"Mod":       func(a, b int) int { return a % b },
}

// readTemplate makes object number index of count from a file of upstream's.
func readTemplate(path string, index, count int, object any) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := template.New(filepath.Base(path)).Option("missingkey=error").Funcs(templateFunctions).Parse(string(source))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, map[string]any{"Index": index, "Count": count}); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := yaml.UnmarshalStrict(text.Bytes(), object); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// extend adds to what is allocatable, which is the capacity where a node says nothing.
func (s *nodeAllocatable) extend(status *corev1.NodeStatus) {
	if status.Allocatable == nil {
		status.Allocatable = maps.Clone(status.Capacity)
	}
	for name, quantity := range s.NodeAllocatable {
		status.Allocatable[name] = quantity
	}
}

// makeCSINodes makes what a kubelet writes of its CSI drivers: none without a strategy.
func makeCSINodes(s *nodeAllocatable, nodes []*corev1.Node) []*storagev1.CSINode {
	if s == nil {
		return nil
	}
	made := make([]*storagev1.CSINode, len(nodes))
	for i, node := range nodes {
		made[i] = &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{
			Name:        node.Name,
			Annotations: map[string]string{corev1.MigratedPluginsAnnotationKey: strings.Join(s.MigratedPlugins, ",")},
		}}
		for _, driver := range slices.Sorted(maps.Keys(s.CSINodeAllocatable)) {
			made[i].Spec.Drivers = append(made[i].Spec.Drivers,
				storagev1.CSINodeDriver{Name: driver, NodeID: node.Name, Allocatable: s.CSINodeAllocatable[driver]})
		}
	}
	return made
}

// boundVolume is a volume and the claim that it is bound to.
type boundVolume struct {
	volume *corev1.PersistentVolume
	claim  *corev1.PersistentVolumeClaim
}

// makeVolumes makes one for each pod that the operation creates in this namespace.
func makeVolumes(op createPods, namespace string) ([]boundVolume, error) {
	made := make([]boundVolume, op.Count)
	for i := range made {
		volume, claim := &corev1.PersistentVolume{}, &corev1.PersistentVolumeClaim{}
		if err := readTemplate(op.VolumeTemplatePath, i, op.Count, volume); err != nil {
			return nil, err
		}
		if err := readTemplate(op.ClaimTemplatePath, i, op.Count, claim); err != nil {
			return nil, err
		}
		claim.Namespace, claim.Name = namespace, fmt.Sprintf("pvc-%d", i)
		volume.Name = fmt.Sprintf("%s-vol-%d", namespace, i) // with the namespace, because volumes are in none
		if volume.Spec.CSI != nil {
			volume.Spec.CSI.VolumeHandle = volume.Name
		} else if volume.Spec.AWSElasticBlockStore != nil {
			volume.Spec.AWSElasticBlockStore.VolumeID = fmt.Sprintf("vol-%d", i)
		}
		volume.Spec.ClaimRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
			Namespace: claim.Namespace, Name: claim.Name}
		volume.Status.Phase = corev1.VolumeBound
		claim.Spec.VolumeName = volume.Name
		claim.Status.Phase = corev1.ClaimBound
		made[i] = boundVolume{volume, claim}
	}
	return made, nil
}

// mount gives each pod its claim, and no other volume.
func mount(pods []*corev1.Pod, volumes []boundVolume) {
	for i, pod := range pods {
		pod.Spec.Volumes = []corev1.Volume{{Name: "vol", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: volumes[i].claim.Name},
		}}}
	}
}
