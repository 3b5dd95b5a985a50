// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// opener begins a watch.
type opener func(context.Context, metav1.ListOptions) (watch.Interface, error)

// newest is the version of the API server's data as it is now.
func newest(ctx context.Context, client kubernetes.Interface) (string, error) {
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	return pods.ResourceVersion, nil
}

// follow passes on everything that happened after a version, until ctx ends or an error comes. On a busy machine the API
// server hangs up on a watcher that is a fraction of a second behind; the next watch goes on where the last one ended.
func follow(ctx context.Context, version string, open opener, see func(watch.Event)) error {
	for ctx.Err() == nil {
		stream, err := open(ctx, metav1.ListOptions{ResourceVersion: version})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for event := range stream.ResultChan() {
			if event.Type == watch.Error {
				stream.Stop()
				if ctx.Err() != nil {
					return nil
				}
				return errors.FromObject(event.Object)
			}
			if object, err := meta.Accessor(event.Object); err == nil {
				version = object.GetResourceVersion()
			}
			see(event)
		}
		stream.Stop()
	}
	return nil
}
