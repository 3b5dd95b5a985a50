// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
)

// changing is one template of a churn: where its objects go, and the names of those that are there.
type changing struct {
	template *unstructured.Unstructured
	api      dynamic.ResourceInterface
	there    []string
}

func (l *live) churn(ctx context.Context, op churn) error {
	all, err := l.changing(op)
	if err != nil {
		return err
	}
	tick := time.NewTicker(time.Duration(op.IntervalMilliseconds) * time.Millisecond)
	defer tick.Stop()
	for round := 0; op.Mode == "recreate" || op.Number == 0 || round < op.Number; round++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for i := range all {
			if err := all[i].change(ctx, op, round); err != nil {
				return fmt.Errorf("churn: %w", err)
			}
			if all[i].template.GetKind() == "Pod" && op.deletes(round) {
				l.deleted.Add(1)
			}
		}
	}
	return nil
}

func (op churn) deletes(round int) bool { return op.Mode == "recreate" && round/op.Number%2 == 1 }

// change creates an object; with mode recreate Number rounds create, and the next Number delete what those created.
func (c *changing) change(ctx context.Context, op churn, round int) error {
	if op.deletes(round) {
		name := c.there[0]
		c.there = c.there[1:]
		if err := c.api.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
			return err
		}
		return nil
	}
	made, err := c.api.Create(ctx, c.template.DeepCopy(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if op.Mode == "recreate" {
		c.there = append(c.there, made.GetName())
	}
	return nil
}

func (l *live) changing(op churn) ([]changing, error) {
	kinds, err := l.anyKind()
	if err != nil {
		return nil, err
	}
	var all []changing
	for _, path := range op.TemplatePaths {
		object := &unstructured.Unstructured{}
		if err := readTemplate(path, 0, 1, object); err != nil {
			return nil, err
		}
		api, _, err := kinds.of(object, op.Namespace)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, changing{template: object, api: api})
	}
	return all, nil
}

func (l *live) deletePods(ctx context.Context, op deletePods) error {
	chosen := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(op.LabelSelector).String()}
	api := l.client.CoreV1().Pods(op.Namespace)
	if op.DeletePodsPerSecond == 0 {
		return api.DeleteCollection(ctx, metav1.DeleteOptions{}, chosen)
	}
	pods, err := api.List(ctx, chosen)
	if err != nil {
		return err
	}
	tick := time.NewTicker(time.Second / time.Duration(op.DeletePodsPerSecond))
	defer tick.Stop()
	for i := range pods.Items {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := api.Delete(ctx, pods.Items[i].Name, metav1.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
			return fmt.Errorf("deletePods: %w", err)
		}
		l.deleted.Add(1)
	}
	return nil
}
