// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWritesAreWhatTheServerCounts(t *testing.T) {
	w := readWrites([]byte(`# TYPE apiserver_request_total counter
apiserver_request_total{code="201",component="apiserver",group="",resource="pods",scope="resource",subresource="binding",verb="POST",version="v1"} 10
apiserver_request_total{code="409",resource="pods",subresource="binding",verb="POST"} 3
apiserver_request_total{code="201",group="events.k8s.io",resource="events",subresource="",verb="POST"} 1.4e+01
apiserver_request_total{code="200",resource="events",subresource="",verb="PATCH"} 2
apiserver_request_total{code="200",resource="pods",subresource="status",verb="PATCH"} 4
apiserver_request_total{code="200",resource="pods",subresource="",verb="DELETE"} 5
apiserver_request_total{code="200",resource="pods",subresource="",verb="GET"} 6
apiserver_other_total{code="201",resource="pods",subresource="binding",verb="POST"} 7
`))
	if w != (writes{Bindings: 10, Events: 16, Statuses: 4, Deletions: 5}) {
		t.Errorf("%+v", w)
	}
	if run := w.minus(writes{Bindings: 4, Events: 4, Statuses: 4, Deletions: 5}); run.failures() != 6 || run.more() != 6 || !run.muchMore() {
		t.Errorf("%+v", run)
	}
	if (writes{Bindings: 10, Events: 10}).muchMore() || (writes{Statuses: 1}).muchMore() {
		t.Error("nothing is repeated where there is nothing more, or nothing was bound")
	}
}

func TestTheCeilingDividesWhatItRepeats(t *testing.T) {
	for _, count := range []int{0, 3, 7, 20} {
		sum, most := 0, 0
		for number := range 7 {
			one := share(count, number, 7)
			sum, most = sum+one, max(most, one)
		}
		if sum != count || most > count/7+1 {
			t.Errorf("%d among 7: %d in all, at most %d", count, sum, most)
		}
	}
}

func TestTheCeilingDeletesOnlyWhatCanBePreempted(t *testing.T) {
	pod := func(name string, priority int32) bound {
		return bound{pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Priority: &priority}}}
	}
	c := &ceiling{prey: []bound{pod("high", 5), pod("low", 1), pod("lower", 0)}}
	for _, expected := range []string{"low", "lower"} {
		if victim, found := c.victim(pod("new", 5)); !found || victim.pod.Name != expected {
			t.Errorf("expected %s, not %v", expected, victim.pod)
		}
	}
	if victim, found := c.victim(pod("new", 5)); found {
		t.Errorf("%s cannot be preempted", victim.pod.Name)
	}
}
