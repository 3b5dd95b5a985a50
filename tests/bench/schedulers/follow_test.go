// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestAWatchThatEndsGoesOnWhereItWas(t *testing.T) {
	streams := [][]watch.Event{
		{{Type: watch.Added, Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "7"}}}},
		{},
		{{Type: watch.Error, Object: &metav1.Status{Message: "too old", Code: 410}}},
	}
	var asked []string
	seen := 0
	err := follow(t.Context(), "3", func(_ context.Context, list metav1.ListOptions) (watch.Interface, error) {
		stream := watch.NewFakeWithChanSize(1, false)
		for _, event := range streams[len(asked)] {
			stream.Action(event.Type, event.Object)
		}
		asked = append(asked, list.ResourceVersion)
		stream.Stop()
		return stream, nil
	}, func(watch.Event) { seen++ })
	if err == nil || err.Error() != "too old" {
		t.Errorf("expected the server's error, not %v", err)
	}
	if !slices.Equal(asked, []string{"3", "7", "7"}) || seen != 1 {
		t.Errorf("asked from %v, saw %d", asked, seen)
	}
}
