// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

func TestAPodWithoutItsEventMakesARunVoid(t *testing.T) {
	client := fake.NewClientset()
	o, err := observe(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	o.patience = 200 * time.Millisecond
	begin := time.Now()
	for _, name := range []string{"one", "two", "unbound", "refused"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name)}}
		switch name {
		case "one", "two":
			pod.Spec.NodeName = "node"
		case "refused":
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady}, {Type: corev1.PodScheduled}}
		}
		if _, err := client.CoreV1().Pods("a").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	tell := func(name string) {
		event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Reason: "Scheduled",
			InvolvedObject: corev1.ObjectReference{UID: types.UID(name)}}
		if _, err := client.CoreV1().Events("a").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.await(t.Context(), "a", scheduled, 2); err != nil {
		t.Fatal(err)
	}
	if err := o.await(t.Context(), "a", attempted, 3); err != nil {
		t.Error(err)
	}
	again := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "refused", UID: "refused"},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled}}}}
	if _, err := client.CoreV1().Pods("a").Update(t.Context(), again, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := o.await(t.Context(), "a", attempted, 4); err == nil || !strings.Contains(err.Error(), "3 of 4 pods of namespace a are attempted") {
		t.Error(err)
	}
	tell("one")
	err = o.awaitEvents(t.Context(), false)
	if err == nil || !strings.Contains(err.Error(), "2 pods are bound, and 1 of them have a Scheduled event") {
		t.Errorf("expected the missing event to be told, not %v", err)
	}
	tell("two")
	if err := o.awaitEvents(t.Context(), false); err != nil {
		t.Error(err)
	}
	if err := o.await(t.Context(), "a", scheduled, 3); err == nil {
		t.Error("expected that the third pod is missed")
	}
	o.mark(begin, map[string]bool{"a": true})
	if m := o.times(begin); m.pods != 2 || m.length <= 0 {
		t.Errorf("expected two measured pods, not %+v", m)
	}
	o.mark(time.Now(), map[string]bool{"a": true})
	if m := o.times(begin); m.pods != 0 {
		t.Errorf("expected none that was bound later, not %+v", m)
	}
}

func TestQuantiles(t *testing.T) {
	values := make([]time.Duration, 200)
	for i := range values {
		values[i] = time.Duration(i + 1)
	}
	if p50, p99 := quantile(values, 50), quantile(values, 99); p50 != 100 || p99 != 198 {
		t.Errorf("of 1 to 200: %d, %d", p50, p99)
	}
	if only := quantile(values[:1], 99); only != 1 {
		t.Errorf("of 1: %d", only)
	}
}
