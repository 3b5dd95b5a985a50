// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// frameOf is what the API server sends for an event.
func frameOf(t *testing.T, kind watch.EventType, object runtime.Object, name string) []byte {
	object.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(name))
	var text bytes.Buffer
	if err := toProtobuf.Encode(object, &text); err != nil {
		t.Fatal(err)
	}
	event, err := (&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: text.Bytes()}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

func podNamed(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n", UID: types.UID(name)}}
	change(pod)
	return pod
}

func TestAWatchShowsEachOpenPodOnce(t *testing.T) {
	open := func(*corev1.Pod) {}
	bound := func(pod *corev1.Pod) { pod.Spec.NodeName = "one" }
	gated := func(pod *corev1.Pod) { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}} }
	var stream []byte
	for _, one := range []struct {
		kind   watch.EventType
		name   string
		change func(*corev1.Pod)
	}{
		{watch.Added, "a", open}, {watch.Added, "b", bound}, {watch.Added, "c", gated}, {watch.Added, "a", open},
		{watch.Modified, "a", bound}, {watch.Modified, "c", open}, {watch.Modified, "c", open}, {watch.Deleted, "a", bound}, {watch.Added, "d", open},
	} {
		stream = append(stream, frameOf(t, one.kind, podNamed(one.name, one.change), "Pod")...)
	}
	var shown []string
	p := &podWatch{shown: map[types.UID]bool{}, show: func(pod *corev1.Pod) { shown = append(shown, pod.Namespace+"/"+pod.Name) }}
	if err := p.read(bytes.NewReader(stream)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(shown, []string{"n/a", "n/c", "n/d"}) {
		t.Error(shown)
	}
	tooOld := frameOf(t, watch.Error, &metav1.Status{Message: "too old", Code: 410, Status: metav1.StatusFailure}, "Status")
	if err := p.read(bytes.NewReader(tooOld)); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Error(err)
	}
	for name, spoiled := range map[string][]byte{"JSON": frameWith(t, []byte(`{"kind":"Pod"}`)), "no event": {0, 0, 0, 2, 0xff, 0xff}} {
		if p.read(bytes.NewReader(spoiled)) == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}

func frameWith(t *testing.T, object []byte) []byte {
	event, err := (&metav1.WatchEvent{Type: string(watch.Added), Object: runtime.RawExtension{Raw: object}}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}
